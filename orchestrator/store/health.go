package store

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
)

// mostComplaints is how much is told of what is wrong with a file.
const mostComplaints = 20

// Check looks for damage in all of the file, and for rows that refer to rows
// that are not there. It returns what SQLite complains of, nothing where all is
// well; an error says that it could not look.
func (s *Store) Check(ctx context.Context) (complaints []string, err error) {
	err = s.read(ctx, "check the store", func(q sqlx.QueryerContext) error {
		complaints = nil
		var said []string
		if err := sqlx.SelectContext(ctx, q, &said, fmt.Sprintf("PRAGMA quick_check(%d)", mostComplaints)); err != nil {
			if isDamaged(err) { // so much that it cannot say more
				complaints = append(complaints, err.Error())
				return nil
			}
			return err
		}
		for _, line := range said {
			if line != "ok" {
				complaints = append(complaints, line)
			}
		}
		var dangling []string
		err := sqlx.SelectContext(ctx, q, &dangling, fmt.Sprintf(
			`SELECT "table" || ' row ' || coalesce(rowid, '?') || ' refers to a row of ' || parent || ' that is not there' FROM pragma_foreign_key_check LIMIT %d`, mostComplaints))
		complaints = append(complaints, dangling...)
		return err
	})
	return complaints, err
}

package store

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// millis is the form in which a time is stored; the zero time is 0.
func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// instant is the time that was stored.
func instant(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms).UTC()
}

// reference is an id in a column that may be NULL; "" stands for that.
type reference string

// Value implements [driver.Valuer].
func (r reference) Value() (driver.Value, error) {
	if r == "" {
		return nil, nil
	}
	return string(r), nil
}

// Scan implements [database/sql.Scanner].
func (r *reference) Scan(value any) error {
	switch v := value.(type) {
	case nil:
		*r = ""
	case string:
		*r = reference(v)
	default:
		return fmt.Errorf("read an id: it is a %T", value)
	}
	return nil
}

// list is the form in which SQL takes a list of strings: "x IN (SELECT value
// FROM json_each(?))".
func list[T ~string](items []T) string {
	text, err := json.Marshal(items)
	if err != nil {
		return "[]" // strings always marshal
	}
	return string(text)
}

// filter collects the conditions of a query.
type filter struct {
	conditions []string
	args       []any
}

func (f *filter) and(condition string, args ...any) {
	f.conditions = append(f.conditions, condition)
	f.args = append(f.args, args...)
}

// andPrefix selects the ids that begin with prefix, by a range that an index
// serves. Ids have no character above "z".
func (f *filter) andPrefix(column, prefix string) {
	f.and(column+" >= ? AND "+column+" < ?", prefix, prefix+"{")
}

func (f *filter) where() string {
	if len(f.conditions) == 0 {
		return ""
	}
	return "WHERE " + strings.Join(f.conditions, " AND ")
}

// atMost is a LIMIT; a query without one gets all.
func atMost(limit int) int {
	if limit <= 0 {
		return -1
	}
	return limit
}

// convert makes the orchestrator's values of rows.
func convert[Row, Value any](rows []Row, value func(Row) (Value, error)) ([]Value, error) {
	values := make([]Value, len(rows))
	for i, row := range rows {
		var err error
		if values[i], err = value(row); err != nil {
			return nil, err
		}
	}
	return values, nil
}

package pending

import (
	"slices"
	"time"

	"boo/orchestrator"
)

// step is everything that decides how a pending set moves: the rows that are
// pending, what differs from the baseline now, and who did what since the
// snapshot before.
type step struct {
	rows  []orchestrator.Change
	diff  []orchestrator.FileChange
	share []orchestrator.FileChange
	by    orchestrator.Contribution
	now   time.Time
}

// delta makes the pending set equal to s.diff. A path whose two sides are what
// its row says keeps the row; one that moved gets a new row that supersedes the
// old; one that is back at the baseline loses its row.
func (s step) delta() (insert []orchestrator.Change, retire map[orchestrator.ChangeID]orchestrator.ChangeID) {
	rows := byPath(s.rows)
	touched := make(map[orchestrator.Path]bool, len(s.share))
	for _, c := range s.share {
		touched[c.Path] = true
	}
	retire = map[orchestrator.ChangeID]orchestrator.ChangeID{}
	differs := make(map[orchestrator.Path]bool, len(s.diff))
	for _, d := range s.diff {
		differs[d.Path] = true
		old, had := rows[d.Path]
		if had && old.Old == d.Old && old.New == d.New {
			continue
		}
		row := s.successor(old, d, touched[d.Path])
		if had {
			retire[old.ID] = row.ID
		}
		insert = append(insert, row)
	}
	for _, old := range s.rows {
		if !differs[old.Path] {
			retire[old.ID] = ""
		}
	}
	return insert, retire
}

// successor is the row of a path that moved. Where nobody's share names the
// path, nobody is credited: it keeps those it had.
func (s step) successor(old orchestrator.Change, d orchestrator.FileChange, touched bool) orchestrator.Change {
	row := orchestrator.Change{
		ID: orchestrator.NewChangeID(), Chat: old.Chat, FileChange: d,
		State: orchestrator.ChangePending, Turn: old.Turn,
		Contributors: slices.Clone(old.Contributors), CreatedAt: s.now,
	}
	if touched {
		row.Contributors = credit(row.Contributors, s.by)
	}
	if touched || row.Turn == "" {
		row.Turn = s.by.Turn
	}
	return row
}

// credit adds contributions to a list that holds each pair once.
func credit(list []orchestrator.Contribution, by ...orchestrator.Contribution) []orchestrator.Contribution {
	for _, c := range by {
		if !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list
}

func byPath(rows []orchestrator.Change) map[orchestrator.Path]orchestrator.Change {
	m := make(map[orchestrator.Path]orchestrator.Change, len(rows))
	for _, r := range rows {
		m[r.Path] = r
	}
	return m
}

package pending

import (
	"fmt"
	"slices"

	"boo/orchestrator"
)

// move is one path on its way from one state to another.
type move struct {
	orchestrator.ApplyStep
	row     orchestrator.Change
	slot    string // its name in the stage, once the order is settled
	at      place
	merged  bool
	marked  bool
	part    bool
	already bool   // the place it goes to had it before
	refused string // why the path cannot be moved, in words
}

// writes reports whether the path's file changes at all.
func (m *move) writes() bool { return m.Before != m.After }

// makeRoom judges what stands in the way of the moves on disk, given that all
// of them happen together, and notes the directories that have to be made.
func makeRoom(s *survey, moves []*move) error {
	leaves := map[orchestrator.Path]bool{} // files that are gone after the moves
	for _, m := range moves {
		leaves[m.Path] = m.Before.Exists() && !m.After.Exists()
	}
	made := map[orchestrator.Path]bool{}
	for _, m := range moves {
		if m.refused != "" || !m.writes() || !m.After.Exists() {
			continue
		}
		if err := roomFor(s, m, func(p orchestrator.Path) bool { return leaves[p] }); err != nil {
			return err
		}
		for _, d := range m.at.missing {
			if !made[d] {
				made[d] = true
				m.Dirs = append(m.Dirs, d)
			}
		}
	}
	return nil
}

func roomFor(s *survey, m *move, leaves func(orchestrator.Path) bool) error {
	switch {
	case m.at.blocker != "" && !leaves(m.at.blocker):
		m.refused = fmt.Sprintf("%s is a file or a symlink, and a directory is needed there", m.at.blocker)
	case m.at.kind == directory:
		left, err := s.occupants(m.Path, leaves)
		if err != nil {
			return err
		}
		if len(left) > 0 {
			m.refused = fmt.Sprintf("a directory stands in its place, and the change does not remove what is in it (%s)", slices.Min(left))
		}
	}
	return nil
}

// refusals lists the moves that cannot be made.
func refusals(moves []*move) []orchestrator.PathConflict {
	var list []orchestrator.PathConflict
	for _, m := range moves {
		if m.refused != "" {
			list = append(list, orchestrator.PathConflict{Path: m.Path, Reason: m.refused})
		}
	}
	return list
}

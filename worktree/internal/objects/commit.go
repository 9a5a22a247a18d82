package objects

import (
	"errors"
	"strings"

	"boo/orchestrator"
)

// parseCommit reads the header of a commit: the tree, the parents, and what
// boo does not need.
func parseCommit(content []byte) (Commit, error) {
	var c Commit
	for line := range strings.SplitSeq(string(content), "\n") {
		word, value, _ := strings.Cut(line, " ")
		if word != "tree" && word != "parent" {
			break
		}
		id, err := orchestrator.ParseObjectID(value)
		if err != nil {
			return Commit{}, err
		}
		if word == "parent" {
			c.Parents = append(c.Parents, id)
			continue
		}
		if c.Tree != "" {
			return Commit{}, errors.New("commit has two trees")
		}
		c.Tree = id
	}
	if c.Tree == "" {
		return Commit{}, errors.New("commit has no tree")
	}
	return c, nil
}

package worktree

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"boo/orchestrator"
)

// Renames lists the files that have another name in to than in from, as git
// finds them: a deletion and a creation whose contents are at least half alike.
// Where more than a thousand files came or went, only equal contents are found.
func (e *Engine) Renames(ctx context.Context, common orchestrator.GitDir, from, to orchestrator.ObjectID) ([]orchestrator.Rename, error) {
	call, err := e.diffTree(ctx, common, from, to, "--find-renames", "-l1000", "--diff-filter=R", "--raw", "--numstat", "-z")
	if err != nil {
		return nil, coded(err, "look for renames")
	}
	out, err := e.git.Run(ctx, call)
	if err != nil {
		return nil, coded(err, "look for renames")
	}
	renames, err := parseRenames(string(out.Stdout))
	return renames, coded(err, "look for renames")
}

// parseRenames reads raw records, each ":mode mode id id R<score>" and two
// paths, and then counts, each "added deleted" and an empty name and two paths.
func parseRenames(raw string) ([]orchestrator.Rename, error) {
	var renames []orchestrator.Rename
	at := map[orchestrator.Path]int{} // by the new path
	fields := strings.Split(strings.TrimSuffix(raw, "\x00"), "\x00")
	for ; len(fields) >= 3; fields = fields[3:] {
		from, to := orchestrator.Path(fields[1]), orchestrator.Path(fields[2])
		info, isRaw := strings.CutPrefix(fields[0], ":")
		if isRaw {
			_, score, ok := strings.Cut(info, " R")
			n, err := strconv.Atoi(score)
			if !ok || err != nil {
				return nil, fmt.Errorf("read a rename: %q", fields[0])
			}
			at[to] = len(renames)
			renames = append(renames, orchestrator.Rename{From: from, To: to, Similarity: n})
			continue
		}
		counts := strings.Split(fields[0], "\t")
		i, known := at[to]
		if !known || len(counts) != 3 {
			return nil, fmt.Errorf("read the line counts of a rename: %q", fields[0])
		}
		// A binary file has "-" for both, which counts as no lines.
		renames[i].Added, _ = strconv.Atoi(counts[0])
		renames[i].Deleted, _ = strconv.Atoi(counts[1])
	}
	return renames, nil
}

package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"boo/orchestrator"
)

// Blame says for each line of a file, as the snapshot at has it, which commit
// of the chat's chain it comes from: exactly what "git blame --first-parent
// <base>..<at>" says. Lines older than the chain come from the base.
//
// The answer is kept, in boo's own directory. When the chain has grown since,
// git is asked for the new part alone, and a second question about the same
// snapshot starts no git at all. CodeNotFound if there is no such file in at.
func (e *Engine) Blame(ctx context.Context, wt orchestrator.Worktree, at orchestrator.ObjectID, path orchestrator.Path) ([]orchestrator.BlameRun, error) {
	place := e.blamePlace(wt.Chat, path)
	known, ok := readBlame(place)
	ok = ok && known.Base == wt.Base && known.Path == path
	if ok && known.At == at {
		return known.runs(), nil
	}
	if ok {
		b, joined, err := e.blameSince(ctx, wt, known, at)
		if err != nil {
			return nil, err
		}
		if joined {
			e.keepBlame(place, b)
			return b.runs(), nil
		}
	}
	lines, err := e.blameLines(ctx, wt.CommonDir, wt.Base, at, path)
	if err != nil {
		return nil, err
	}
	b := blame{Base: wt.Base, At: at, Path: path}
	for _, l := range lines {
		b.add(l.commit, l.text)
	}
	e.keepBlame(place, b)
	return b.runs(), nil
}

// blameSince goes on from what is known of an earlier snapshot. joined is false
// where the two do not fit together: the file had another name then, or at is
// not after it on the chain.
func (e *Engine) blameSince(ctx context.Context, wt orchestrator.Worktree, known blame, at orchestrator.ObjectID) (b blame, joined bool, err error) {
	lines, err := e.blameLines(ctx, wt.CommonDir, known.At, at, known.Path)
	if err != nil {
		return blame{}, false, err
	}
	before := known.commits()
	b = blame{Base: wt.Base, At: at, Path: known.Path}
	for _, l := range lines {
		commit := l.commit
		if l.boundary {
			if l.commit != known.At || l.name != known.Path || l.number > len(before) {
				return blame{}, false, nil
			}
			commit = before[l.number-1]
		}
		b.add(commit, l.text)
	}
	return b, true, nil
}

// blamedLine is one line as git tells of it.
type blamedLine struct {
	commit   orchestrator.ObjectID
	boundary bool              // the commit is the one that the question begins at
	name     orchestrator.Path // of the file in that commit
	number   int               // of the line in that commit, from 1
	text     string
}

// blameLines asks git about the part of the chain after one commit, up to
// another.
func (e *Engine) blameLines(ctx context.Context, common orchestrator.GitDir, after, at orchestrator.ObjectID, path orchestrator.Path) ([]blamedLine, error) {
	r, err := e.plain(common, at)
	if err != nil {
		return nil, coded(err, "blame %s", path)
	}
	out, err := e.git.Run(ctx, r.call("blame", "--porcelain", "--first-parent", "--no-textconv", "--no-progress",
		string(after)+".."+string(at), "--", string(path)))
	if err != nil {
		if git, ok := errors.AsType[*GitError](err); ok && (git.Says("no such path") || git.Says("cannot stat path")) {
			return nil, orchestrator.Errorf(orchestrator.CodeNotFound, "there is no file %s in the newest snapshot", path).
				WithHint("boo pending ls")
		}
		return nil, coded(err, "blame %s", path)
	}
	lines, err := parseBlame(out.Stdout)
	return lines, coded(err, "read what git blames of %s", path)
}

// parseBlame reads "git blame --porcelain": for each line "<commit> <number
// there> <number here>", then what has not been said yet of the commit, then
// the line itself behind a tab.
func parseBlame(out []byte) ([]blamedLine, error) {
	var lines []blamedLine
	boundary := map[orchestrator.ObjectID]bool{}
	names := map[orchestrator.ObjectID]orchestrator.Path{}
	var now blamedLine
	for len(out) > 0 {
		line, rest, _ := bytes.Cut(out, []byte("\n"))
		out = rest
		word, value, _ := strings.Cut(string(line), " ")
		switch {
		case strings.HasPrefix(word, "\t"):
			now.text = string(line[1:])
			now.boundary, now.name = boundary[now.commit], names[now.commit]
			lines = append(lines, now)
			now = blamedLine{}
		case now.commit == "":
			id, err := orchestrator.ParseObjectID(word)
			if err != nil {
				return nil, err
			}
			there, _, _ := strings.Cut(value, " ")
			if now.number, err = strconv.Atoi(there); err != nil || now.number < 1 {
				return nil, fmt.Errorf("line number in %q", line)
			}
			now.commit = id
		case word == "boundary":
			boundary[now.commit] = true
		case word == "filename":
			names[now.commit] = unquote(value)
		}
	}
	return lines, nil
}

// unquote undoes how git writes a name that holds bytes it does not show.
func unquote(s string) orchestrator.Path {
	body, quoted := strings.CutPrefix(s, `"`)
	if !quoted {
		return orchestrator.Path(s)
	}
	const letters, bytes = `abtnvfr"\`, "\a\b\t\n\v\f\r\"\\"
	var name []byte
	for body = strings.TrimSuffix(body, `"`); body != ""; body = body[1:] {
		if body[0] != '\\' || len(body) < 2 {
			name = append(name, body[0])
			continue
		}
		body = body[1:]
		if i := strings.IndexByte(letters, body[0]); i >= 0 {
			name = append(name, bytes[i])
		} else if octal, err := strconv.ParseUint(body[:min(3, len(body))], 8, 8); err == nil && len(body) >= 3 {
			name = append(name, byte(octal))
			body = body[2:]
		}
	}
	return orchestrator.Path(name)
}

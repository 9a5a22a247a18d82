package worktree

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"boo/orchestrator"
)

// maxBlames is how many answers are kept for a chat; the oldest go.
const maxBlames = 500

// blame is a whole answer, as it is kept.
type blame struct {
	Base, At orchestrator.ObjectID
	Path     orchestrator.Path
	Runs     []blameRun
	Text     []byte // the lines, each with a newline at its end
}

// blameRun is how many lines in a row come from a commit.
type blameRun struct {
	Commit orchestrator.ObjectID
	Lines  int
}

func (b *blame) add(commit orchestrator.ObjectID, text string) {
	if n := len(b.Runs); n > 0 && b.Runs[n-1].Commit == commit {
		b.Runs[n-1].Lines++
	} else {
		b.Runs = append(b.Runs, blameRun{commit, 1})
	}
	b.Text = append(append(b.Text, text...), '\n')
}

// commits returns the commit of each line.
func (b *blame) commits() []orchestrator.ObjectID {
	var all []orchestrator.ObjectID
	for _, r := range b.Runs {
		all = append(all, slices.Repeat([]orchestrator.ObjectID{r.Commit}, r.Lines)...)
	}
	return all
}

func (b *blame) runs() []orchestrator.BlameRun {
	runs := make([]orchestrator.BlameRun, 0, len(b.Runs))
	text := string(b.Text)
	for _, r := range b.Runs {
		run := orchestrator.BlameRun{Commit: r.Commit, Lines: make([]string, 0, r.Lines)}
		for range r.Lines {
			line, rest, _ := strings.Cut(text, "\n")
			run.Lines, text = append(run.Lines, line), rest
		}
		runs = append(runs, run)
	}
	return runs
}

// blamePlace is where the answer for a file of a chat is kept.
func (e *Engine) blamePlace(chat orchestrator.ChatID, path orchestrator.Path) string {
	sum := sha256.Sum256([]byte(path))
	return filepath.Join(e.dir, "blame", string(chat), hex.EncodeToString(sum[:16]))
}

// readBlame reads a kept answer: a checksum, and what it is of. Whatever is
// wrong with it, it is as if there were none.
func readBlame(place string) (blame, bool) {
	raw, err := os.ReadFile(place)
	if err != nil || len(raw) < sha256.Size {
		return blame{}, false
	}
	if sum := sha256.Sum256(raw[sha256.Size:]); !bytes.Equal(sum[:], raw[:sha256.Size]) {
		return blame{}, false
	}
	var b blame
	err = gob.NewDecoder(bytes.NewReader(raw[sha256.Size:])).Decode(&b)
	return b, err == nil
}

// keepBlame keeps an answer for the next question. That it could not be kept
// costs that one some time, and nothing else.
func (e *Engine) keepBlame(place string, b blame) {
	var body bytes.Buffer
	if gob.NewEncoder(&body).Encode(b) != nil {
		return
	}
	sum := sha256.Sum256(body.Bytes())
	home, err := e.tempHome()
	if err != nil {
		return
	}
	temp, err := os.CreateTemp(home, "blame-")
	if err != nil {
		return
	}
	_, err = temp.Write(append(sum[:], body.Bytes()...))
	err = cmp.Or(err, temp.Close(), os.MkdirAll(filepath.Dir(place), 0o700))
	if err == nil {
		err = os.Rename(temp.Name(), place)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		return
	}
	pruneBlames(filepath.Dir(place))
}

func pruneBlames(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) <= maxBlames {
		return
	}
	age := func(entry os.DirEntry) int64 {
		info, err := entry.Info()
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(entries, func(a, b os.DirEntry) int { return cmp.Compare(age(a), age(b)) })
	for _, old := range entries[:len(entries)-maxBlames] {
		_ = os.Remove(filepath.Join(dir, old.Name())) // tried again the next time
	}
}

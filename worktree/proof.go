package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"boo/orchestrator"
	"boo/worktree/internal/dircache"
	"boo/worktree/internal/gitcmd"
	"boo/worktree/internal/pack/objectid"
)

// errTouched says that a spare is not what was left behind.
var errTouched = errors.New("the spare worktree is not as it was left")

// proof is what a spare was like when it was ready.
type proof struct {
	Base   orchestrator.ObjectID
	Sparse []string
	Rules  string // digest of the settings by which the files were written
	From   []mark // files that these settings come from
	Places []mark // its directory, registration, indexes, and a sample of its files
}

// mark is a file or directory at a moment, or that there was none.
type mark struct {
	Path []byte // need not be UTF-8
	Is   identity
}

// identity is the zero value for nothing.
type identity struct {
	Dev, Ino     uint64
	Mode         uint32
	Size         int64 // of directories 0: it says nothing
	Mtime, Ctime unix.Timespec
}

// samples is how many files of a spare are looked at, each with its directory.
const samples = 32

// markOf looks at a path; follow says whether through symlinks.
func markOf(path string, follow bool) mark {
	var st unix.Stat_t
	look := unix.Lstat
	if follow {
		look = unix.Stat
	}
	if look(path, &st) != nil {
		return mark{Path: []byte(path)}
	}
	is := identity{Dev: uint64(st.Dev), Ino: st.Ino, Mode: st.Mode, Mtime: st.Mtim, Ctime: st.Ctim}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		is.Size = st.Size
	}
	return mark{Path: []byte(path), Is: is}
}

// same reports whether what is at the path now is what was there.
func (m mark) same(follow bool) bool {
	return markOf(string(m.Path), follow).Is == m.Is
}

// prove writes down what a spare is like. It is on disk, or not there, after the
// machine lost its power: who reads half of one does without the spare.
func (e *Engine) prove(ctx context.Context, wt orchestrator.Worktree) error {
	p := proof{Base: wt.Base, Sparse: wt.Sparse}
	var err error
	if p.From, err = e.sources(ctx, wt.CommonDir); err != nil {
		return err
	}
	if p.Rules, err = e.rulesDigest(ctx, wt.CommonDir); err != nil {
		return err
	}
	if p.Places, err = e.places(wt); err != nil {
		return err
	}
	content, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return replaceFile(e.proofFile(wt.Chat), content)
}

// places marks what a change of the spare would most likely show in.
func (e *Engine) places(wt orchestrator.Worktree) ([]mark, error) {
	format, err := objectid.FormatOf(wt.Base)
	if err != nil {
		return nil, err
	}
	index, err := dircache.Read(filepath.Join(e.chatDir(wt.Chat), "index"), format)
	if err != nil {
		return nil, err
	}
	a := adminOf(wt)
	paths := []string{
		string(wt.Dir), filepath.Join(string(wt.Dir), ".git"), string(a), a.file("index"), a.file("HEAD"), a.file("gitdir"), a.file("commondir"),
		filepath.Join(e.chatDir(wt.Chat), "index"), filepath.Join(e.chatDir(wt.Chat), "git", "HEAD"), filepath.Join(e.chatDir(wt.Chat), "git", "config"),
	}
	entries := index.Entries()
	step := max(1, len(entries)/samples)
	for i := 0; i < len(entries); i += step {
		if entries[i].Flags != 0 || entries[i].Mode == orchestrator.ModeGitlink {
			continue
		}
		path := filepath.Join(string(wt.Dir), string(entries[i].Path))
		var st unix.Stat_t
		if err := unix.Lstat(path, &st); err != nil || index.Match(&entries[i], &st) != dircache.Unchanged {
			return nil, fmt.Errorf("%w: %s", errTouched, entries[i].Path)
		}
		paths = append(paths, path, filepath.Dir(path))
	}
	slices.Sort(paths)
	var marks []mark
	for _, path := range slices.Compact(paths) {
		marks = append(marks, markOf(path, false))
	}
	return marks, nil
}

// sources marks the files that the settings of a repository come from, and those
// that they would come from if they were there.
func (e *Engine) sources(ctx context.Context, common orchestrator.GitDir) ([]mark, error) {
	out, err := e.git.Run(ctx, gitcmd.Call{
		Args: []string{"config", "--list", "-z", "--includes", "--show-origin"}, GitDir: string(common), Personal: true,
	})
	if err != nil {
		return nil, fmt.Errorf("read the configuration of %s: %w", common, err)
	}
	home, xdg := e.git.Person("HOME"), e.git.Person("XDG_CONFIG_HOME")
	if xdg == "" {
		xdg = filepath.Join(home, ".config")
	}
	paths := []string{
		filepath.Join(string(common), "config"), filepath.Join(string(common), "config.worktree"),
		filepath.Join(string(common), "info", "exclude"), filepath.Join(string(common), "info", "attributes"),
		filepath.Join(home, ".gitconfig"), filepath.Join(xdg, "git", "config"), filepath.Join(xdg, "git", "ignore"), filepath.Join(xdg, "git", "attributes"),
		"/etc/gitconfig", e.git.Person("GIT_CONFIG_GLOBAL"), e.git.Person("GIT_CONFIG_SYSTEM"),
	}
	for part := range strings.SplitSeq(string(out.Stdout), "\x00") {
		if path, ok := strings.CutPrefix(part, "file:"); ok {
			paths = append(paths, path)
		}
		key, value, _ := strings.Cut(part, "\n")
		if key == "core.excludesfile" || key == "core.attributesfile" {
			if rest, ok := strings.CutPrefix(value, "~/"); ok {
				value = filepath.Join(home, rest)
			}
			paths = append(paths, value)
		}
	}
	slices.Sort(paths)
	var marks []mark
	for _, path := range slices.Compact(paths) {
		if filepath.IsAbs(path) {
			marks = append(marks, markOf(path, true))
		}
	}
	return marks, nil
}

// rulesDigest stands for all settings that decide how files are written and read.
func (e *Engine) rulesDigest(ctx context.Context, common orchestrator.GitDir) (string, error) {
	s, err := e.carry(ctx, common, common)
	if err != nil {
		return "", err
	}
	sum := sha256.New()
	for _, part := range [][]byte{s.config(""), s.excludes, s.attributes, s.exclude, s.info} {
		fmt.Fprintf(sum, "%d\n%s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// proven returns the proof of a spare that is, by all that can be told in a few
// small reads, as it was left. Git is asked only where settings may have changed.
func (e *Engine) proven(ctx context.Context, wt orchestrator.Worktree) (p proof, err error) {
	content, err := readSmall(e.proofFile(wt.Chat), 1<<20)
	if err != nil {
		return p, err
	}
	if err := json.Unmarshal(content, &p); err != nil {
		return p, err
	}
	if !slices.Equal(p.Sparse, wt.Sparse) || len(p.Places) == 0 {
		return p, errTouched
	}
	if err := e.Verify(ctx, wt); err != nil {
		return p, err
	}
	reason, err := readSmall(adminOf(wt).file("locked"), 4<<10)
	if err != nil || string(reason) != spareReason(wt.Chat)+"\n" {
		return p, errTouched
	}
	for _, m := range p.Places {
		if !m.same(false) {
			return p, fmt.Errorf("%w: %s", errTouched, m.Path)
		}
	}
	head, base, baseline := refsOf(wt.Chat)
	for name, want := range map[string]orchestrator.ObjectID{head: "", base: p.Base, baseline: p.Base} {
		if now, err := refValue(wt.CommonDir, name); err != nil || now != want {
			return p, fmt.Errorf("%w: %s", errTouched, name)
		}
	}
	return p, e.sameRules(ctx, wt.CommonDir, p)
}

func (e *Engine) sameRules(ctx context.Context, common orchestrator.GitDir, p proof) error {
	if !slices.ContainsFunc(p.From, func(m mark) bool { return !m.same(true) }) {
		return nil
	}
	now, err := e.rulesDigest(ctx, common)
	if err == nil && now != p.Rules {
		err = fmt.Errorf("%w: the settings are others", errTouched)
	}
	return err
}

package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"boo/orchestrator"
)

// lfs is how content that is kept with Git LFS becomes a pointer when it is
// recorded: by the one filter that boo has git run, and only where the person's
// own git runs it too. The program is looked up on their PATH and never named by
// a repository. The other way, from pointers to contents, is boo's own.
type lfs struct {
	program string // absolute; "" where there is no filter
	storage string // where contents go
}

// lfsProgram finds git-lfs on the person's PATH; "" if it is not installed.
func (e *Engine) lfsProgram() string {
	for dir := range strings.SplitSeq(e.git.Person("PATH"), string(os.PathListSeparator)) {
		path := filepath.Join(dir, "git-lfs")
		if info, err := os.Stat(path); err == nil && filepath.IsAbs(dir) && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return path
		}
	}
	return ""
}

// isLFS reports whether a filter's command, as a person's configuration has it, is
// that of Git LFS and not another one of the name.
func isLFS(command string) bool {
	words := strings.Fields(command)
	return len(words) > 1 && (filepath.Base(words[0]) == "git-lfs" || words[0] == "git" && words[1] == "lfs")
}

// keptAt has contents go to a directory.
func (s settings) keptAt(storage string) settings {
	s.lfs.storage = storage
	return s
}

// config is empty where there is no filter.
func (l lfs) config() string {
	if l.program == "" {
		return ""
	}
	// The version is there so that nobody writes it.
	return "[filter \"lfs\"]\n\tclean = " + quoteValue(quoteShell(l.program)+" clean -- %f") + "\n" +
		"[lfs]\n\trepositoryformatversion = 0\n\tstorage = " + quoteValue(l.storage) + "\n"
}

// usesLFS reports whether the core settings that were carried have the filter.
func usesLFS(core map[string]string) bool { return core["clean"] != "" }

// lfsOf is where a repository has the contents that its person's git knows of.
func lfsOf(common orchestrator.GitDir) string { return filepath.Join(string(common), "lfs") }

// lfsOfChat is where those of a chat are: none that "git lfs prune" looks into, as
// it does not know what chats refer to.
func lfsOfChat(common orchestrator.GitDir, chat orchestrator.ChatID) string {
	return filepath.Join(lfsOf(common), "boo", string(chat))
}

// contentName is where a store has a content, by its sum.
func contentName(storage, sum string) string {
	return filepath.Join(storage, "objects", sum[:2], sum[2:4], sum)
}

// shareContents makes the contents that chats have made part of the repository's
// own, without a copy, so that files of theirs can be written into the person's
// checkout, and pushed.
func (e *Engine) shareContents(common orchestrator.GitDir) error {
	made, err := filepath.Glob(filepath.Join(lfsOfChat(common, "*"), "objects", "??", "??", "*"))
	if err != nil {
		return err
	}
	for _, file := range made {
		sum := filepath.Base(file)
		if len(sum) != pointedSum {
			continue
		}
		name := contentName(lfsOf(common), sum)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.Link(file, name); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("share what is kept with Git LFS: %w", err)
		}
	}
	return nil
}

// pointedSum is the length of a content's name in a pointer.
const pointedSum = 64

// pointerLimit is more than any pointer takes, in bytes.
const pointerLimit = 1 << 10

// pointed returns the name of the content that a file stands for, "" if it is no
// pointer (the specification of Git LFS, "the pointer").
func pointed(content []byte) string {
	text := string(content)
	if len(content) >= pointerLimit || !strings.HasPrefix(text, "version https://git-lfs.github.com/spec/v1\n") {
		return ""
	}
	for line := range strings.Lines(text) {
		sum, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "oid sha256:")
		if ok && len(sum) == pointedSum && strings.Trim(sum, "0123456789abcdef") == "" {
			return sum
		}
	}
	return ""
}

// dropContents lets go of what a chat has kept with Git LFS.
func dropContents(common orchestrator.GitDir, chat orchestrator.ChatID) error {
	dir := lfsOfChat(common, chat)
	err := os.RemoveAll(dir)
	_ = os.Remove(filepath.Dir(dir)) // fails while other chats have some
	return err
}

package worktree

import (
	"bufio"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/pack"
	"boo/worktree/internal/pack/objectid"
)

// aside has git write new objects into a directory of boo's own, beside the
// repository's, which it goes on reading. There no garbage collection sees
// them before something refers to them; see [Engine.bringIn].
func (r repo) aside(objects string) repo {
	r.borrowed, r.objects = r.objects, objects
	return r
}

// bringIn puts the objects that git has written aside into the repository, as
// one pack that is kept until the caller removes its .keep file.
func (e *Engine) bringIn(wt orchestrator.Worktree, objects string) (written pack.Result, err error) {
	format, err := objectid.FormatOf(wt.Base)
	if err != nil {
		return written, err
	}
	if packs, _ := filepath.Glob(filepath.Join(objects, "pack", "*.pack")); len(packs) > 0 {
		return written, errors.New("git has packed objects by itself")
	}
	w := pack.New(packsDir(wt.CommonDir), e.packOptions(wt, format))
	defer func() { err = errors.Join(err, w.Close()) }()
	files, err := filepath.Glob(filepath.Join(objects, "??", "*"))
	if err != nil {
		return written, err
	}
	for _, file := range files {
		if err := addLoose(w, file); err != nil {
			return written, fmt.Errorf("read an object that git has written: %w", err)
		}
	}
	return w.Commit()
}

// packOptions are those of a pack with what a chat's snapshot needs.
func (e *Engine) packOptions(wt orchestrator.Worktree, format objectid.Format) pack.Options {
	return pack.Options{
		Format: format,
		Keep:   func(path string) error { return e.keepPack(wt.Chat, path) },
		Made:   func(name string) { e.mark(wt.CommonDir, name) },
		Exists: func(id orchestrator.ObjectID) (bool, error) { return id == format.EmptyTree(), nil },
	}
}

// addLoose adds an object that is a file of its own: a header "kind size NUL"
// and the content, compressed (gitrepository-layout(5), objects).
func addLoose(w *pack.Writer, file string) error {
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := zlib.NewReader(f)
	if err != nil {
		return err
	}
	content := bufio.NewReader(z)
	header, err := content.ReadString(0)
	if err != nil {
		return err
	}
	name, length, _ := strings.Cut(strings.TrimSuffix(header, "\x00"), " ")
	kind, err := objectid.ParseKind(name)
	if err != nil {
		return err
	}
	size, err := strconv.ParseInt(length, 10, 64)
	if err != nil {
		return err
	}
	if kind == objectid.Blob {
		_, err = w.AddBlob(content, size)
		return err
	}
	whole, err := io.ReadAll(content)
	if err == nil && int64(len(whole)) != size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	_, err = w.Add(kind, whole)
	return err
}

package objects

import (
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"boo/orchestrator"
	"boo/worktree/internal/pack/objectid"

	"golang.org/x/sys/unix"
)

// maxBlob bounds the blobs that are read in process: they are held whole. Git
// streams the others.
const maxBlob = 4 << 20

// maxStores bounds how many object stores alternates may lead to.
const maxStores = 16

// stored reads blobs in process from the packs and loose files of an object
// store and its alternates, as they are at the first read. It is for reading
// many: what it does not find, or cannot make sense of, is left to git. It
// may be used concurrently, but not with or after close.
type stored struct {
	objects string
	format  objectid.Format
	off     bool

	once   sync.Once
	dirs   []string
	packs  []*packFile
	recent atomic.Pointer[packFile] // the next object is most often in the same one
	bases  bases
	spare  sync.Pool // of *inflater
}

func newStored(opts Options) *stored {
	return &stored{objects: filepath.Join(string(opts.CommonDir), "objects"), format: opts.Format, off: opts.GitOnly}
}

// blob gives the content of a blob to use, which may not keep it. found is
// false, and use not called, when git has to be asked.
func (s *stored) blob(id orchestrator.ObjectID, use func(content []byte) error) (found bool, err error) {
	raw, err := hex.DecodeString(string(id))
	if s.off || err != nil || len(raw) != s.format.Size() {
		return false, nil
	}
	inflate, _ := s.spare.Get().(*inflater)
	if inflate == nil {
		inflate = &inflater{}
	}
	var content []byte
	if panics(func() { content, found = s.find(inflate, raw) }) || !found {
		return false, nil // and an inflater in an unknown state is not kept
	}
	defer s.spare.Put(inflate)
	return true, use(content)
}

// find returns the content of a blob; it is the inflater's, or shared.
func (s *stored) find(inflate *inflater, raw []byte) (content []byte, found bool) {
	s.once.Do(s.open)
	if p := s.recent.Load(); p != nil {
		if at, ok := p.offset(raw); ok {
			return s.packed(inflate, p, at)
		}
	}
	for _, p := range s.packs {
		if at, ok := p.offset(raw); ok {
			s.recent.Store(p)
			return s.packed(inflate, p, at)
		}
	}
	name := hex.EncodeToString(raw)
	for _, dir := range s.dirs {
		file, err := readRegular(filepath.Join(dir, name[:2], name[2:]), maxBlob)
		if err != nil {
			continue
		}
		kind, content, err := loose(file)
		return content, err == nil && kind == objectid.Blob
	}
	return nil, false
}

func (s *stored) packed(inflate *inflater, p *packFile, at int64) (content []byte, found bool) {
	kind, content, err := p.read(inflate, &s.bases, at)
	return content, err == nil && kind == objectid.Blob
}

// open finds the stores and opens their packs. One that cannot be used is left
// out.
func (s *stored) open() {
	s.dirs = []string{s.objects}
	for i := 0; i < len(s.dirs) && len(s.dirs) < maxStores; i++ {
		s.dirs = append(s.dirs, alternates(s.dirs[i])...)
	}
	var size int64
	for _, dir := range s.dirs {
		entries, _ := os.ReadDir(filepath.Join(dir, "pack"))
		for _, entry := range entries {
			name, isIndex := strings.CutSuffix(entry.Name(), ".idx")
			info, err := entry.Info()
			if !isIndex || err != nil || !info.Mode().IsRegular() {
				continue
			}
			if size += info.Size(); size > maxIndexes {
				return
			}
			if p, err := openPack(filepath.Join(dir, "pack", name), s.format); err == nil {
				s.packs = append(s.packs, p)
			}
		}
	}
}

// alternates are the stores that one borrows from (gitrepository-layout(5)).
func alternates(objects string) (dirs []string) {
	content, _ := readRegular(filepath.Join(objects, "info", "alternates"), 1<<20)
	for line := range strings.SplitSeq(string(content), "\n") {
		if line == "" || line[0] == '#' || line[0] == '"' {
			continue // the last is a name that git quotes: for git to find
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(objects, line)
		}
		dirs = append(dirs, line)
	}
	return dirs
}

// openRegular opens a file, and nothing that opening could wait for.
func openRegular(name string) (*os.File, int64, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errDamaged
	}
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// readRegular returns the content of a file of at most limit bytes.
func readRegular(name string, limit int64) ([]byte, error) {
	f, size, err := openRegular(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if size > limit {
		return nil, errDamaged
	}
	content := make([]byte, size)
	_, err = io.ReadFull(f, content)
	return content, err
}

func (s *stored) close() {
	for _, p := range s.packs {
		p.close()
	}
}

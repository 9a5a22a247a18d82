package store_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/orchestrator/store"
)

func TestDamageIsFound(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "boo.db")
	s, err := store.Open(t.Context(), path, store.Options{})
	must(t, err)
	complaints, err := s.Check(t.Context())
	must(t, err)
	equal(t, "of a new store", complaints, []string(nil))
	must(t, s.Close())

	file, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	info, err := file.Stat()
	must(t, err)
	_, err = file.WriteAt([]byte(strings.Repeat("\xff", 4096)), info.Size()-4096)
	must(t, err)
	must(t, file.Close())
	s, err = store.Open(t.Context(), path, store.Options{})
	must(t, err)
	defer s.Close()
	complaints, err = s.Check(t.Context())
	must(t, err)
	if len(complaints) == 0 {
		t.Error("nothing is said of a page that is overwritten")
	}
}

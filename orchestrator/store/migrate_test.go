package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"boo/orchestrator"
	"boo/orchestrator/store"
)

// backup is what the copy of a store in the schema of this boo is named.
var backup = fmt.Sprintf(".v%d.bak", store.Newest())

func TestAnOlderSchemaIsBackedUpAndBroughtUpToDate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	f := newFixtureIn(t, openAt(t, path))
	steps := append(store.Migrations(), store.Step(1, "CREATE TABLE extra (x INTEGER) STRICT"), store.Step(2, "ALTER TABLE extra ADD COLUMN y INTEGER"))
	newer, err := store.OpenAt(t.Context(), path, steps...)
	must(t, err)
	defer newer.Close()
	must(t, newer.Exec(t.Context(), "INSERT INTO extra (x, y) VALUES (1, 2)"))
	if turn, err := newer.Turn(t.Context(), f.turn.ID); err != nil || turn.Prompt != f.turn.Prompt {
		t.Fatalf("turn %+v, %v", turn, err)
	}

	copied := path + backup
	info, err := os.Stat(copied)
	must(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("the backup has mode %o", info.Mode().Perm())
	}
	old := openAt(t, copied) // the first schema, as this boo knows it
	if turn, err := old.Turn(t.Context(), f.turn.ID); err != nil || turn.Prompt != f.turn.Prompt {
		t.Fatalf("turn in the backup %+v, %v", turn, err)
	}

	_, err = store.Open(t.Context(), path, store.Options{})
	wantCode(t, orchestrator.CodeInvalid, err)
	if !strings.Contains(err.Error(), "newer boo") || orchestrator.HintOf(err) == "" {
		t.Fatal(err)
	}
}

func TestANewStoreLeavesNoBackup(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	openAt(t, path)
	if copies, err := filepath.Glob(path + "*.bak*"); err != nil || len(copies) > 0 {
		t.Fatal(copies, err)
	}
}

func TestAStepThatCameLateIsTakenAndRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	first, late, last := store.Step(1, "CREATE TABLE first (x INTEGER) STRICT"),
		store.Step(2, "ALTER TABLE first ADD COLUMN late INTEGER"), store.Step(3, "ALTER TABLE first ADD COLUMN last INTEGER")
	before := append(store.Migrations(), first, last)
	must(t, openWith(t, path, before))
	all := append(store.Migrations(), first, late, last)
	for range 2 { // the second time there is nothing to do
		must(t, openWith(t, path, all))
	}
	s, err := store.OpenAt(t.Context(), path, all...)
	must(t, err)
	must(t, s.Exec(t.Context(), "INSERT INTO first (x, late, last) VALUES (1, 2, 3)"))
	must(t, s.Close())
	wantCode(t, orchestrator.CodeInvalid, openWith(t, path, before)) // it does not know the late one
}

func TestAFileFromBeforeStepsWereRecordedIsTakenByItsVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	s := openAt(t, path)
	must(t, s.Exec(t.Context(), "DROP TABLE migrations"))
	must(t, s.Exec(t.Context(), "PRAGMA user_version = 3"))
	must(t, s.Close())
	must(t, openWith(t, path, store.Migrations()[:3]))
	must(t, openWith(t, path, append(store.Migrations()[:3], store.Step(1, "CREATE TABLE extra (x INTEGER) STRICT"))))
}

func openWith(t *testing.T, path string, steps []store.Migration) error {
	t.Helper()
	s, err := store.OpenAt(t.Context(), path, steps...)
	if err != nil {
		return err
	}
	return s.Close()
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	f := newFixtureIn(t, openAt(t, path))
	steps := append(store.Migrations(), store.Step(1, "CREATE TABLE extra (x INTEGER) STRICT; INSERT INTO nowhere VALUES (1)"))
	for range 2 {
		_, err := store.OpenAt(t.Context(), path, steps...)
		wantCode(t, orchestrator.CodeInternal, err)
	}
	if _, there := f.schema(t)["extra"]; there {
		t.Fatal("half a migration is there")
	}
	openAt(t, path)
	left, err := filepath.Glob(path + backup + "?*")
	must(t, err)
	if len(left) > 0 {
		t.Fatalf("left behind: %q", left)
	}
}

func TestManyOpenANewFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "boo.db")
	steps := append(store.Migrations(), store.Step(1, "CREATE TABLE extra (x INTEGER) STRICT"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			s, err := store.OpenAt(t.Context(), path, steps...)
			if err != nil {
				t.Error(err)
				return
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestADatabaseOfSomebodyElseIsLeftAlone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "other.db")
	other, err := store.OpenAt(t.Context(), path)
	must(t, err)
	must(t, other.Exec(t.Context(), "CREATE TABLE theirs (x)"))
	must(t, other.Close())
	_, err = store.Open(t.Context(), path, store.Options{})
	wantCode(t, orchestrator.CodeInvalid, err)
	if !strings.Contains(err.Error(), "not one of boo's") {
		t.Fatal(err)
	}
}

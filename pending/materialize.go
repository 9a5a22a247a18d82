package pending

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"boo/orchestrator"
)

const attributesFile = ".gitattributes"

// materialize stages the files of an apply in the form that they have in the
// checkout.
func (e *Engine) materialize(ctx context.Context, j *journal) error {
	entries := map[orchestrator.Path]orchestrator.Entry{}
	rules := map[orchestrator.Path]orchestrator.Entry{} // attributes files that change
	for _, m := range j.moves {
		if !m.writes() {
			continue
		}
		if m.After.Exists() {
			entries[m.Path] = m.After
		}
		if _, name := split(m.Path); name == attributesFile {
			rules[m.Path] = m.After
		}
	}
	if len(entries) == 0 {
		return nil
	}
	view := j.checkout
	if len(rules) > 0 {
		dir, err := e.rulesToCome(ctx, j, entries, rules)
		if err != nil {
			return fmt.Errorf("gather attributes: %w", err)
		}
		view.Dir = orchestrator.CheckoutDir(dir)
	}
	return e.git.Materialize(ctx, view, filepath.Join(j.stage.path, "new"), entries, j.slots())
}

// slots says how the staged files of the paths are called.
func (j *journal) slots() func(orchestrator.Path) string {
	names := make(map[orchestrator.Path]string, len(j.moves))
	for _, m := range j.moves {
		names[m.Path] = m.slot
	}
	return func(p orchestrator.Path) string { return names[p] }
}

// rulesToCome makes a directory that has the attributes files that are going to
// hold for the entries, and nothing else: git reads the rules from the checkout,
// and there they are still the old ones.
func (e *Engine) rulesToCome(ctx context.Context, j *journal, entries, rules map[orchestrator.Path]orchestrator.Entry) (string, error) {
	path := filepath.Join(j.stage.path, "rules")
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", err
	}
	view, err := openTree(path)
	if err != nil {
		return "", err
	}
	defer view.close()
	done := map[orchestrator.Path]bool{}
	for p := range entries {
		for _, dir := range append([]orchestrator.Path{""}, ancestors(p)...) {
			at := orchestrator.Path(attributesFile)
			if dir != "" {
				at = dir + "/" + attributesFile
			}
			if done[at] {
				continue
			}
			done[at] = true
			if err := e.ruleToCome(ctx, j, view, at, rules); err != nil {
				return "", err
			}
		}
	}
	return path, nil
}

func (e *Engine) ruleToCome(ctx context.Context, j *journal, view *tree, at orchestrator.Path, rules map[orchestrator.Path]orchestrator.Entry) error {
	if next, changes := rules[at]; changes {
		if !regular(next) {
			return nil // git reads no rules through a symlink
		}
		return view.writeRaw(at, next.Mode, e.blob(ctx, j.CommonDir, next.ID))
	}
	now, err := j.tree.look(at)
	if err != nil || now.kind != file {
		return err
	}
	d, name, err := j.tree.parent(at)
	if err != nil {
		return err
	}
	content, err := d.read(name, file)
	if err != nil {
		return err
	}
	defer content.Close()
	return view.writeRaw(at, orchestrator.ModeRegular, func(w io.Writer) error {
		_, err := io.Copy(w, content)
		return err
	})
}

// stageBefore stages the files that an apply had moved away, byte for byte. As
// a rule git's form of them is those very bytes, and one git writes them all;
// those that it writes differently, or knows in another form only, are written
// one by one.
func (e *Engine) stageBefore(ctx context.Context, j *journal) error {
	entries := map[orchestrator.Path]orchestrator.Entry{}
	for _, m := range j.moves {
		if m.writes() && m.After.Exists() && m.AfterRaw == m.After.ID {
			entries[m.Path] = m.After
		}
	}
	if len(entries) > 0 {
		if err := e.git.Materialize(ctx, j.checkout, filepath.Join(j.stage.path, "new"), entries, j.slots()); err != nil {
			return err
		}
	}
	for _, m := range j.moves {
		if !m.writes() || !m.After.Exists() {
			continue
		}
		if err := e.stageRaw(ctx, j, m); err != nil {
			return err
		}
	}
	return nil
}

// stageRaw writes one file from its bytes unless it is staged so already.
func (e *Engine) stageRaw(ctx context.Context, j *journal, m *move) error {
	d, name := j.stage.new, m.slot
	at, err := d.look(name)
	if err != nil {
		return err
	}
	if at.kind != nothing {
		raw, err := d.raw(name, len(m.AfterRaw))
		if err != nil || raw == m.AfterRaw {
			return err
		}
		if err := d.remove(name); err != nil {
			return err
		}
	}
	return d.writeRaw(name, m.After.Mode, e.blob(ctx, j.CommonDir, m.AfterRaw))
}

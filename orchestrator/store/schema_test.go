package store_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"boo/orchestrator"
)

// vocabulary reads the values of the orchestrator's enumerations from its source.
func vocabulary(t testing.TB) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob("../*.go")
	must(t, err)
	words := map[string][]string{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		must(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			kind, isName := spec.Type.(*ast.Ident)
			value, isLiteral := spec.Values[0].(*ast.BasicLit)
			if isName && isLiteral && value.Kind == token.STRING {
				word, err := strconv.Unquote(value.Value)
				must(t, err)
				words[kind.Name] = append(words[kind.Name], word)
			}
			return true
		})
	}
	return words
}

func TestTheSchemaKnowsExactlyTheStatesOfTheVocabulary(t *testing.T) {
	f := newFixture(t)
	change := f.change("a")
	must(t, f.StoreDelta(f.ctx, f.delta(change)))
	must(t, f.PutApply(f.ctx, f.apply(change)))
	must(t, f.PutSession(f.ctx, orchestrator.Session{Chat: f.chat, Agent: "goose", State: orchestrator.SessionNone}))
	must(t, f.step(1))
	words := vocabulary(t)
	for _, column := range []struct{ table, column, kind string }{
		{"chats", "state", "ChatState"},
		{"worktrees", "state", "WorktreeState"},
		{"turns", "state", "TurnState"},
		{"turns", "rung", "Rung"},
		{"sessions", "state", "SessionState"},
		{"sessions", "rung", "Rung"},
		{"changes", "state", "ChangeState"},
		{"applies", "state", "ApplyState"},
		{"checkpoints", "status", "CheckpointStatus"},
	} {
		update := fmt.Sprintf("UPDATE %s SET %s = ?", column.table, column.column)
		if len(words[column.kind]) < 4 {
			t.Fatalf("%s has the values %q: are they read right?", column.kind, words[column.kind])
		}
		for _, word := range words[column.kind] {
			if err := f.Exec(f.ctx, update, word); err != nil {
				t.Errorf("%s.%s refuses %q: %v", column.table, column.column, word, err)
			}
		}
		if err := f.Exec(f.ctx, update, "nonsense"); err == nil || !strings.Contains(err.Error(), "CHECK") {
			t.Errorf("%s.%s takes nonsense: %v", column.table, column.column, err)
		}
		for _, word := range checked(t, f, column.table, column.column) {
			if word != "" && !strings.Contains("\n"+strings.Join(words[column.kind], "\n")+"\n", "\n"+word+"\n") {
				t.Errorf("%s.%s takes %q, which is no %s", column.table, column.column, word, column.kind)
			}
		}
	}
}

// checked lists the values that a column's CHECK names.
func checked(t testing.TB, f fixture, table, column string) []string {
	t.Helper()
	schema := f.schema(t)[table]
	_, rest, found := strings.Cut(schema, "CHECK ("+column+" IN (")
	if !found {
		t.Fatalf("%s.%s has no CHECK", table, column)
	}
	values, _, _ := strings.Cut(rest, "))")
	var list []string
	for word := range strings.SplitSeq(values, ",") {
		list = append(list, strings.Trim(strings.TrimSpace(word), "'"))
	}
	return list
}

func TestEveryTableIsStrict(t *testing.T) {
	tables := newFixture(t).schema(t)
	if len(tables) < 10 {
		t.Fatalf("%d tables", len(tables))
	}
	for name, statement := range tables {
		if !strings.Contains(statement[strings.LastIndex(statement, ")"):], "STRICT") {
			t.Errorf("%s is not STRICT", name)
		}
	}
}

func TestTheSchemaRefusesWhatOnlyOneCanHave(t *testing.T) {
	f := newFixture(t)
	second := f.enqueue(t, "goose")
	must(t, f.StoreDelta(f.ctx, f.delta(f.change("a"), f.change("b"))))
	mustChat(t, f.Store, f.repo, "goose")
	for what, statement := range map[string]string{
		"two live turns":            "UPDATE turns SET state = 'running' WHERE chat_id = '" + string(f.chat) + "'",
		"one number twice":          "UPDATE turns SET number = 1 WHERE id = '" + string(second.ID) + "'",
		"two pending changes":       "UPDATE changes SET path = CAST('a' AS BLOB)",
		"one directory twice":       "UPDATE worktrees SET dir = CAST('/x' AS BLOB)",
		"an event number twice":     "UPDATE events SET seq = 1",
		"a path that is text":       "UPDATE changes SET path = 'text'",
		"a turn of no chat":         "UPDATE turns SET chat_id = 'c-nowhere'",
		"a chat of no repository":   "UPDATE chats SET repo_id = 'r-nowhere'",
		"a payload that is no JSON": "UPDATE events SET payload = '{'",
		"the removal of a chat":     "DELETE FROM chats",
	} {
		if err := f.Exec(f.ctx, statement); err == nil {
			t.Errorf("the schema takes %s", what)
		}
	}
}

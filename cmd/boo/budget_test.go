package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// What the code may cost a reader.
const (
	maxFileLines     = 500
	medianFileLines  = 120
	maxFuncLines     = 80
	p90FuncLines     = 40
	moduleRootFromMe = "../.."
)

type source struct {
	path  string
	lines int
	file  *ast.File
	fset  *token.FileSet
}

func (s source) test() bool { return strings.HasSuffix(s.path, "_test.go") }

func readSources(t *testing.T) []source {
	t.Helper()
	var all []source
	err := filepath.WalkDir(moduleRootFromMe, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && len(d.Name()) > 2) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, source{path: path, lines: bytes.Count(text, []byte("\n")), file: file, fset: fset})
		return nil
	})
	if err != nil || len(all) < 20 {
		t.Fatalf("read the module: %d files, %v", len(all), err)
	}
	return all
}

func TestFilesAndFunctionsStaySmall(t *testing.T) {
	var files, funcs []int
	for _, s := range readSources(t) {
		if s.lines > maxFileLines {
			t.Errorf("%s has %d lines, more than %d", s.path, s.lines, maxFileLines)
		}
		if !s.test() {
			files = append(files, s.lines)
		}
		for _, d := range s.file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			n := s.fset.Position(f.End()).Line - s.fset.Position(f.Pos()).Line + 1
			if n > maxFuncLines && !s.test() {
				t.Errorf("%s: %s has %d lines, more than %d", s.path, f.Name.Name, n, maxFuncLines)
			}
			if !s.test() {
				funcs = append(funcs, n)
			}
		}
	}
	slices.Sort(files)
	slices.Sort(funcs)
	if m := files[len(files)/2]; m > medianFileLines {
		t.Errorf("half of the files have more than %d lines, want %d", m, medianFileLines)
	}
	if p := funcs[len(funcs)*9/10]; p > p90FuncLines {
		t.Errorf("a tenth of the functions has more than %d lines, want %d", p, p90FuncLines)
	}
}

func TestPackagesAndExportedNamesAreDocumented(t *testing.T) {
	documented := map[string]bool{}
	for _, s := range readSources(t) {
		if s.test() {
			continue
		}
		dir := filepath.Dir(s.path)
		documented[dir] = documented[dir] || s.file.Doc != nil
		for _, d := range s.file.Decls {
			for _, name := range undocumented(d) {
				t.Errorf("%s: %s has no comment", s.path, name)
			}
		}
	}
	for dir, ok := range documented {
		if !ok {
			t.Errorf("the package in %s has no comment", dir)
		}
	}
}

// undocumented lists the exported names of a declaration that nothing says
// anything about.
func undocumented(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) {
			return []string{d.Name.Name}
		}
	case *ast.GenDecl:
		var names []string
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
					names = append(names, s.Name.Name)
				}
			case *ast.ValueSpec:
				for _, n := range s.Names {
					if n.IsExported() && d.Doc == nil && s.Doc == nil && s.Comment == nil {
						names = append(names, n.Name)
					}
				}
			}
		}
		return names
	}
	return nil
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil {
		return true
	}
	name := strings.TrimLeft(fmt.Sprint(typeName(d.Recv.List[0].Type)), "*")
	return ast.IsExported(name)
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.IndexExpr:
		return typeName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

func TestTestsNeitherSleepNorSkip(t *testing.T) {
	for _, s := range readSources(t) {
		if !s.test() {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			f, ok := call.Fun.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			on, _ := f.X.(*ast.Ident)
			sleeps := on != nil && on.Name == "time" && f.Sel.Name == "Sleep"
			skips := slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, f.Sel.Name)
			if sleeps || skips {
				t.Errorf("%s: %s", s.fset.Position(call.Pos()), f.Sel.Name)
			}
			return true
		})
	}
}

package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"boo/orchestrator"
	"boo/worktree/internal/gitcmd"
	"boo/worktree/internal/pack/objectid"
)

// settings is what a private git directory carries, by value, of the person's
// configuration: the rules that decide how files and objects correspond.
type settings struct {
	bare       bool
	sha256     bool
	core       []setting // in the order of carried
	hooks      string    // core.hooksPath
	excludes   []byte    // of the person, for all their repositories
	attributes []byte
	exclude    []byte // info/exclude of the repository
	info       []byte // info/attributes of the repository
	lfs        lfs
}

// format is the kind of ids that the repository has.
func (s settings) format() objectid.Format {
	if s.sha256 {
		return objectid.SHA256
	}
	return objectid.SHA1
}

type setting struct{ name, value string }

// carried names the core settings that are copied. Everything that git could
// run, read from elsewhere or write to is not among them; nor is what has it look
// less closely for changes, as boo's indexes are written by boo alone.
var carried = []string{
	"autocrlf", "bigfilethreshold", "checkroundtripencoding", "eol", "filemode", "ignorecase",
	"precomposeunicode", "protecthfs", "protectntfs", "sharedrepository", "symlinks",
}

// ruleLimit bounds an exclude or attributes file, in bytes.
const ruleLimit = 4 << 20

// carry reads the settings of the repository that gitDir belongs to.
func (e *Engine) carry(ctx context.Context, gitDir, common orchestrator.GitDir) (settings, error) {
	out, err := e.git.Run(ctx, gitcmd.Call{
		Args: []string{"config", "--list", "-z", "--includes"}, GitDir: string(gitDir), Personal: true,
	})
	if err != nil {
		return settings{}, fmt.Errorf("read the configuration of %s: %w", common, err)
	}
	values := map[string]string{}
	for entry := range strings.SplitSeq(string(out.Stdout), "\x00") {
		key, value, given := strings.Cut(entry, "\n")
		if !given {
			value = "true" // a key alone is a boolean
		}
		if key == "core.hookspath" && value == os.DevNull {
			continue // what boo's own commands are told, or no hooks at all
		}
		values[key] = value
	}
	s := settings{sha256: strings.EqualFold(values["extensions.objectformat"], "sha256")}
	for _, name := range carried {
		if value, ok := values["core."+name]; ok {
			s.core = append(s.core, setting{name, value})
		}
	}
	if isLFS(values["filter.lfs.clean"]) || isLFS(values["filter.lfs.process"]) {
		s.lfs.program = e.lfsProgram()
	}
	s.hooks = values["core.hookspath"]
	excludes, given := values["core.excludesfile"]
	s.excludes = e.rules(excludes, given, "ignore")
	attributes, given := values["core.attributesfile"]
	s.attributes = e.rules(attributes, given, "attributes")
	s.exclude, _ = readSmall(filepath.Join(string(common), "info", "exclude"), ruleLimit)
	s.info, _ = readSmall(filepath.Join(string(common), "info", "attributes"), ruleLimit)
	return s, nil
}

// rules reads a file of the person's that holds for all their repositories:
// where they say, or else at git's default place. Like git it takes a file
// that cannot be read for an empty one.
func (e *Engine) rules(path string, given bool, name string) []byte {
	home := e.git.Person("HOME")
	switch rest, ok := strings.CutPrefix(path, "~/"); {
	case given && ok && home != "":
		path = filepath.Join(home, rest)
	case given:
	case e.git.Person("XDG_CONFIG_HOME") != "":
		path = filepath.Join(e.git.Person("XDG_CONFIG_HOME"), "git", name)
	case home != "":
		path = filepath.Join(home, ".config", "git", name)
	}
	if !filepath.IsAbs(path) {
		return nil
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // people keep these in a repository of dot files
	}
	content, _ := readSmall(path, ruleLimit)
	return content
}

// config renders the settings as the configuration of the git directory dir.
func (s settings) config(dir string) []byte {
	var b strings.Builder
	version := 0
	if s.sha256 {
		version = 1
	}
	fmt.Fprintf(&b, "[core]\n\trepositoryformatversion = %d\n\tbare = %t\n", version, s.bare)
	for _, c := range slices.Concat(s.core, []setting{
		{"excludesfile", filepath.Join(dir, "excludes")}, {"attributesfile", filepath.Join(dir, "attributes")},
	}) {
		fmt.Fprintf(&b, "\t%s = %s\n", c.name, quoteValue(c.value))
	}
	if s.sha256 {
		b.WriteString("[extensions]\n\tobjectformat = sha256\n")
	}
	b.WriteString(s.lfs.config())
	return []byte(b.String())
}

func quoteValue(v string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(v) + `"`
}

// writeGitDir makes dir a git directory with these settings, or brings it up
// to date. Several may do so at once: each file is replaced as a whole, and
// only where it differs. HEAD is left alone once it is there.
func writeGitDir(dir string, s settings) error {
	for _, sub := range []string{"info", "refs", "objects"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o700); err != nil {
			return fmt.Errorf("make a private git directory: %w", err)
		}
	}
	files := []struct {
		name    string
		content []byte
	}{
		{"info/exclude", s.exclude},
		{"info/attributes", s.info},
		{"excludes", s.excludes},
		{"attributes", s.attributes},
		{"config", s.config(dir)},
	}
	for _, f := range files {
		if err := replaceFile(filepath.Join(dir, f.name), f.content); err != nil {
			return fmt.Errorf("write a private git directory: %w", err)
		}
	}
	head := filepath.Join(dir, "HEAD")
	if _, err := os.Lstat(head); err == nil {
		return nil
	}
	if err := replaceFile(head, []byte("ref: refs/heads/none\n")); err != nil {
		return fmt.Errorf("write a private git directory: %w", err)
	}
	return nil
}

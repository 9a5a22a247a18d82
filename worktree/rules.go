package worktree

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
)

// conversion is a set of ways in which git may change content between a file
// and its object.
type conversion uint8

const (
	textual   conversion = 1 << iota // CRLF in a file becomes LF in its object
	expanding                        // LF in an object becomes CRLF in its file
	filtered                         // by filters, which the person's git runs and boo's does not
	rewritten                        // keywords, encodings
	unusual                          // files cannot have the modes or names that objects say
	pointing                         // the file's content is elsewhere, with Git LFS, where that is used
)

// attributes says which conversions a gitattributes file can call for. It errs
// on the side of more: words are looked for anywhere but in comments.
func attributes(content []byte) (c conversion) {
	content = uncommented(content)
	for _, word := range []struct {
		text string
		conversion
	}{
		{"text", textual}, {"eol", textual}, {"crlf", textual | expanding}, {"filter", filtered}, {"=lfs", pointing},
		{"ident", rewritten}, {"encoding", rewritten},
	} {
		if bytes.Contains(content, []byte(word.text)) {
			c |= word.conversion
		}
	}
	return c
}

// carriedRules reads back what a private git directory carries of the person's
// configuration: the conversions that it calls for, but for those of the
// tree's own attributes, and its core settings.
func carriedRules(gitDir string) (c conversion, core map[string]string, err error) {
	for _, name := range []string{"attributes", "info/attributes"} {
		content, err := os.ReadFile(filepath.Join(gitDir, name))
		if err != nil {
			return 0, nil, err
		}
		c |= attributes(content)
	}
	config, err := os.ReadFile(filepath.Join(gitDir, "config"))
	if err != nil {
		return 0, nil, err
	}
	core = map[string]string{}
	for line := range strings.Lines(string(config)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), " = "); ok {
			core[name] = strings.Trim(value, `"`)
		}
	}
	return c | coreRules(core), core, nil
}

// rules are the conversions that settings call for, but for those of the tree's
// own attributes.
func (s settings) rules() conversion {
	core := map[string]string{}
	for _, c := range s.core {
		core[c.name] = c.value
	}
	c := coreRules(core)
	for _, content := range [][]byte{s.attributes, s.info} {
		c |= attributes(content) | outward(content)
	}
	return c
}

// outward says whether attributes can call for CRLF in files.
func outward(content []byte) conversion {
	if bytes.Contains(uncommented(content), []byte("crlf")) {
		return expanding
	}
	return 0
}

// uncommented leaves out the lines that git takes for comments.
func uncommented(content []byte) []byte {
	var rules []byte
	for line := range bytes.Lines(content) {
		if !bytes.HasPrefix(bytes.TrimLeft(line, " \t\r"), []byte("#")) {
			rules = append(rules, line...)
		}
	}
	return rules
}

func coreRules(core map[string]string) (c conversion) {
	if isSet(core, "autocrlf", false) {
		c |= textual | expanding
	}
	if strings.EqualFold(core["autocrlf"], "input") {
		c |= textual
	}
	if _, given := core["eol"]; given {
		c |= expanding
	}
	if !isSet(core, "filemode", true) || !isSet(core, "symlinks", true) || isSet(core, "ignorecase", false) || isSet(core, "precomposeunicode", false) {
		c |= unusual
	}
	return c
}

// isSet reads a boolean setting, as git-config(1) spells them.
func isSet(core map[string]string, name string, otherwise bool) bool {
	value, given := core[name]
	if !given {
		return otherwise
	}
	switch strings.ToLower(value) {
	case "true", "yes", "on", "1":
		return true
	case "false", "no", "off", "0", "":
		return false
	}
	return otherwise
}

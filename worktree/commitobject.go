package worktree

import (
	"fmt"
	"strings"

	"boo/orchestrator"
)

// encode returns the content of a commit object as git commit-tree writes it.
func (c commit) encode() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", c.tree)
	for _, p := range c.parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	for _, by := range []struct {
		role string
		orchestrator.Signature
	}{{"author", c.author}, {"committer", c.committer}} {
		fmt.Fprintf(&b, "%s %s <%s> %d %s\n", by.role,
			crudless(by.Name, "unknown"), crudless(by.Email, "unknown@localhost"), by.When.Unix(), by.When.Format("-0700"))
	}
	b.WriteByte('\n')
	message := strings.ReplaceAll(c.message, "\x00", "")
	b.WriteString(message)
	if message != "" && !strings.HasSuffix(message, "\n") {
		b.WriteByte('\n')
	}
	return []byte(b.String())
}

// crudless drops from a name or address what git does not store: control
// characters and angle brackets, and at both ends blanks and punctuation.
func crudless(v, otherwise string) string {
	v = strings.Map(func(r rune) rune {
		if r < ' ' || r == '<' || r == '>' || r == 0x7f {
			return -1
		}
		return r
	}, v)
	if v = strings.Trim(v, " .,:;\"\\'"); v == "" {
		return otherwise
	}
	return v
}

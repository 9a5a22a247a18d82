package orchestrator

import "strings"

// commandLine is a line for a shell, read as far as it can be without one.
type commandLine struct {
	commands [][]string // the words of each simple command, redirections among them
	// opaque says that what will run shows only when it runs.
	opaque bool
}

// readCommand splits a line into its simple commands. It knows quotes,
// separators and redirections; of expansions it knows the home directory alone.
func readCommand(line string) commandLine {
	l := &lexer{rest: line}
	l.run()
	for _, words := range l.line.commands {
		l.line.inner(words)
	}
	return l.line
}

// inner takes in what a shell is given as an argument.
func (c *commandLine) inner(words []string) {
	switch program(words) {
	case "sh", "bash", "dash", "zsh", "ksh":
	default:
		return
	}
	for i, w := range words {
		if strings.HasPrefix(w, "-") && !strings.HasPrefix(w, "--") && strings.HasSuffix(w, "c") && i+1 < len(words) {
			sub := readCommand(words[i+1])
			c.commands = append(c.commands, sub.commands...)
			c.opaque = c.opaque || sub.opaque
			return
		}
	}
	c.opaque = true
}

// program is what a simple command runs, by its last name.
func program(words []string) string {
	for _, w := range words {
		name, _, assigns := strings.Cut(w, "=")
		if assigns && name != "" && !strings.ContainsAny(name, "/-") {
			continue
		}
		return w[strings.LastIndexByte(w, '/')+1:]
	}
	return ""
}

type lexer struct {
	rest    string
	line    commandLine
	words   []string
	word    strings.Builder
	started bool // a word, possibly empty
}

func (l *lexer) run() {
	for l.rest != "" {
		c := l.rest[0]
		l.rest = l.rest[1:]
		switch c {
		case ' ', '\t':
			l.endWord()
		case '&':
			if !strings.HasPrefix(l.rest, ">") {
				l.endCommand()
			}
		case ';', '|', '\n', '(', ')', '\r':
			l.endCommand()
		case '<', '>':
			l.redirect(c)
		case '\\':
			if l.rest != "" {
				l.put(l.rest[0])
				l.rest = l.rest[1:]
			}
		case '\'':
			body, after, closed := strings.Cut(l.rest, "'")
			l.line.opaque = l.line.opaque || !closed
			l.word.WriteString(body)
			l.started, l.rest = true, after
		case '"':
			l.quoted()
		default:
			l.expand(c)
		}
	}
	l.endCommand()
}

// redirect takes a redirection, whose file is then a word like any other. Copies
// of descriptors are left out.
func (l *lexer) redirect(c byte) {
	if c == '<' && strings.HasPrefix(l.rest, "<") || strings.HasPrefix(l.rest, "(") {
		l.line.opaque = true // a document in the line, or a command
	}
	if strings.Trim(l.word.String(), "0123456789") == "" {
		l.word.Reset() // the number of a descriptor
		l.started = false
	}
	l.endWord()
	l.rest = strings.TrimLeft(l.rest, "<>|")
	if copied, ok := strings.CutPrefix(l.rest, "&"); ok {
		l.rest = strings.TrimLeft(copied, "0123456789-")
	}
}

// quoted reads up to the closing double quote.
func (l *lexer) quoted() {
	l.started = true
	for l.rest != "" {
		c := l.rest[0]
		l.rest = l.rest[1:]
		switch {
		case c == '"':
			return
		case c == '\\' && l.rest != "" && strings.IndexByte("$`\"\\\n", l.rest[0]) >= 0:
			l.put(l.rest[0])
			l.rest = l.rest[1:]
		default:
			l.expand(c)
		}
	}
	l.line.opaque = true // it never closes
}

// expand takes one character that may stand for something else.
func (l *lexer) expand(c byte) {
	if c == '$' && l.word.Len() == 0 {
		for _, home := range []string{"{HOME}", "HOME"} {
			after, ok := strings.CutPrefix(l.rest, home)
			if ok && (after == "" || strings.IndexByte("/ \t\"';|&)", after[0]) >= 0) {
				l.rest = after
				l.put('~')
				return
			}
		}
	}
	if c == '$' || c == '`' {
		l.line.opaque = true
	}
	l.put(c)
}

func (l *lexer) put(c byte) {
	l.word.WriteByte(c)
	l.started = true
}

func (l *lexer) endWord() {
	if l.started {
		l.words = append(l.words, l.word.String())
	}
	l.word.Reset()
	l.started = false
}

func (l *lexer) endCommand() {
	l.endWord()
	if len(l.words) > 0 {
		l.line.commands = append(l.line.commands, l.words)
	}
	l.words = nil
}

package sessionlog

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Words in the name of a variable that say its value is a secret.
var secretWords = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "AUTH", "COOKIE", "_PAT", "DSN", "DATABASE_URL"}

// What is shorter than this would be found in any text.
const shortestSecret = 8

// Tokens of known forms, and what one of each kind cannot do without.
var (
	tokens = lazily(strings.Join([]string{
		`\bsk-[A-Za-z0-9_-]{20,}`, `\bgh[opsur]_[A-Za-z0-9]{30,}`, `\bgithub_pat_[A-Za-z0-9_]{30,}`, `\bglpat-[A-Za-z0-9_-]{20,}`,
		`\b(?:AKIA|ASIA)[A-Z0-9]{16}\b`, `\bxox[a-z]-[A-Za-z0-9-]{10,}`, `\bAIza[A-Za-z0-9_-]{35}`, `\bnpm_[A-Za-z0-9]{36}`, `\bhf_[A-Za-z0-9]{30,}`,
		`\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+`, `\b[Bb]earer +[A-Za-z0-9._~+/-]{20,}`,
		`-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
	}, "|"))
	tokenMarks = []string{"sk-", "gh", "glpat-", "AKIA", "ASIA", "xox", "AIza", "npm_", "hf_", "eyJ", "earer", "PRIVATE KEY"}
)

const redacted = "[redacted]"

// redactor takes secrets out of JSON.
type redactor struct {
	marks [][]byte // one of them is in every JSON that has a secret in it
	known []string // secrets
}

func newRedactor(environ []string) redactor {
	var secrets []string
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if len(value) >= shortestSecret && value[0] != '/' && saysSecret(name) {
			secrets = append(secrets, value)
		}
	}
	r := redactor{known: secrets}
	for _, s := range secrets {
		r.marks = append(r.marks, []byte(quoted(s)))
	}
	for _, mark := range append([]string{`\u`, `\/`}, tokenMarks...) { // the former may hide any of them
		r.marks = append(r.marks, []byte(mark))
	}
	return r
}

func saysSecret(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(name, word) })
}

// quoted is a string as it stands between the quotes of JSON.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s) // a string always marshals
	text := strings.TrimSuffix(b.String(), "\n")
	return text[1 : len(text)-1]
}

// redact returns JSON without secrets in its strings.
func (r redactor) redact(text []byte) []byte {
	if !slices.ContainsFunc(r.marks, func(mark []byte) bool { return bytes.Contains(text, mark) }) {
		return text
	}
	out := make([]byte, 0, len(text))
	for len(text) > 0 {
		start := bytes.IndexByte(text, '"')
		if start < 0 {
			break
		}
		end := start + 1
		for end < len(text) && text[end] != '"' {
			if text[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(text))
		out = append(out, text[:start]...)
		out = append(out, r.literal(text[start:end])...)
		text = text[end:]
	}
	return append(out, text...)
}

// literal takes the secrets out of one string.
func (r redactor) literal(text []byte) []byte {
	var s string
	if json.Unmarshal(text, &s) != nil {
		return text
	}
	m := message{text: s, secrets: r.secrets(s)}
	if len(m.secrets) == 0 {
		return text
	}
	return []byte(`"` + quoted(m.clean(0, len(s))) + `"`)
}

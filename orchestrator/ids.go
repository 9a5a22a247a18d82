package orchestrator

import (
	"crypto/rand"
	"fmt"
	"strings"
)

// ChatID names a chat: "c" and nine characters. A person may shorten it to any
// prefix that is unique among their chats.
type ChatID string

// TurnID names a turn: "t" and nine characters.
type TurnID string

// ChangeID names a pending change: "p" and nine characters.
type ChangeID string

// ApplyID names one run of apply: "a" and nine characters.
type ApplyID string

// PermissionID names one request for permission: "q" and nine characters.
type PermissionID string

// RepoID names a repository that boo has been used in: "r" and nine characters.
type RepoID string

// AgentName names an agent definition, such as "goose".
type AgentName string

// Person is the name under which the person's own edits are attributed.
const Person AgentName = "you"

// Seq numbers the events of one chat from 1, without gaps.
type Seq int64

// The alphabet is Crockford's base 32: no i, l, o, u, so an id survives being
// read aloud and never spells anything.
const idAlphabet = "0123456789abcdefghjkmnpqrstvwxyz"

const idLength = 10

func newID(kind byte) string {
	var raw [idLength]byte
	_, _ = rand.Read(raw[:]) // never fails: crypto/rand aborts the program instead
	raw[0] = kind
	for i := 1; i < idLength; i++ {
		raw[i] = idAlphabet[raw[i]%32]
	}
	return string(raw[:])
}

// NewChatID returns a fresh random id.
func NewChatID() ChatID { return ChatID(newID('c')) }

// NewTurnID returns a fresh random id.
func NewTurnID() TurnID { return TurnID(newID('t')) }

// NewChangeID returns a fresh random id.
func NewChangeID() ChangeID { return ChangeID(newID('p')) }

// NewApplyID returns a fresh random id.
func NewApplyID() ApplyID { return ApplyID(newID('a')) }

// NewPermissionID returns a fresh random id.
func NewPermissionID() PermissionID { return PermissionID(newID('q')) }

// NewRepoID returns a fresh random id.
func NewRepoID() RepoID { return RepoID(newID('r')) }

func parseID(kind byte, what, s string, whole bool) (string, error) {
	s = strings.ToLower(s)
	ok := s != "" && s[0] == kind && len(s) <= idLength && (!whole || len(s) == idLength)
	for i := 1; ok && i < len(s); i++ {
		ok = strings.IndexByte(idAlphabet, s[i]) >= 0
	}
	if !ok {
		return "", Errorf(CodeInvalid, "%q is not a %s id", s, what)
	}
	return s, nil
}

// ParseChatID accepts a whole chat id.
func ParseChatID(s string) (ChatID, error) {
	id, err := parseID('c', "chat", s, true)
	return ChatID(id), err
}

// ParseRepoID accepts a whole repository id.
func ParseRepoID(s string) (RepoID, error) {
	id, err := parseID('r', "repository", s, true)
	return RepoID(id), err
}

// ParseChatPrefix accepts a chat id or the beginning of one.
func ParseChatPrefix(s string) (string, error) { return parseID('c', "chat", s, false) }

// ParseTurnID accepts a whole turn id.
func ParseTurnID(s string) (TurnID, error) {
	id, err := parseID('t', "turn", s, true)
	return TurnID(id), err
}

// ParseChangePrefix accepts the id of a pending change or the beginning of one.
func ParseChangePrefix(s string) (string, error) { return parseID('p', "change", s, false) }

// ParseAgentName accepts what may stand in configuration and on the command
// line: lower-case letters, digits, "-", "_" and ".", at most 40 bytes, and not
// the name that stands for the person.
func ParseAgentName(s string) (AgentName, error) {
	if s == "" || len(s) > 40 || s == string(Person) {
		return "", Errorf(CodeInvalid, "%q is not an agent name", s)
	}
	for i, r := range s {
		letter := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !letter && (i == 0 || !strings.ContainsRune("-_.", r)) {
			return "", Errorf(CodeInvalid, "%q is not an agent name", s)
		}
	}
	return AgentName(s), nil
}

// ObjectID is the lower-case hexadecimal name of a git object.
type ObjectID string

// ParseObjectID accepts 40 (SHA-1) or 64 (SHA-256) hexadecimal digits.
func ParseObjectID(s string) (ObjectID, error) {
	if len(s) != 40 && len(s) != 64 {
		return "", fmt.Errorf("object id %q: want 40 or 64 digits", s)
	}
	for _, r := range s {
		if (r < '0' || r > '9') && (r < 'a' || r > 'f') {
			return "", fmt.Errorf("object id %q: not hexadecimal", s)
		}
	}
	return ObjectID(s), nil
}

// Short returns the first ten digits, for people.
func (id ObjectID) Short() string {
	if len(id) < 10 {
		return string(id)
	}
	return string(id[:10])
}

package scriptedagent

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// said is one message of a session.
type said struct {
	Role string `json:"role"` // user, agent
	Text string `json:"text"`
}

// session is a conversation that the agent knows.
type session struct {
	id   string
	cwd  string
	path string
	log  []said
}

// store keeps each session in a file of JSON lines.
type store string

var errUnknownSession = &rpcError{Code: codeUnknownSession, Message: "Session not found"}

var sessionID = regexp.MustCompile(`^s-[a-z0-9]+$`)

func (s store) create(cwd string) (*session, error) {
	if err := os.MkdirAll(string(s), 0o700); err != nil {
		return nil, err
	}
	id := "s-" + strings.ToLower(rand.Text())
	made := &session{id: id, cwd: cwd, path: filepath.Join(string(s), id+".jsonl")}
	return made, os.WriteFile(made.path, nil, 0o600)
}

func (s store) open(id, cwd string) (*session, error) {
	found := &session{id: id, cwd: cwd, path: filepath.Join(string(s), id+".jsonl")}
	if !sessionID.MatchString(id) {
		return nil, errUnknownSession
	}
	data, err := os.ReadFile(found.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errUnknownSession
	} else if err != nil {
		return nil, err
	}
	for line := range bytes.Lines(data) {
		var message said
		if err := json.Unmarshal(line, &message); err != nil {
			return nil, err
		}
		found.log = append(found.log, message)
	}
	return found, nil
}

func (s store) remove(id string) error {
	if !sessionID.MatchString(id) || os.Remove(filepath.Join(string(s), id+".jsonl")) != nil {
		return errUnknownSession
	}
	return nil
}

// append stores a message; it is in the file when it returns.
func (s *session) append(role, text string) error {
	message := said{Role: role, Text: text}
	line, err := json.Marshal(message)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(s.path, os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := f.Write(append(line, '\n')); err != nil {
		_ = f.Close()
		return err
	}
	s.log = append(s.log, message)
	return f.Close()
}

// prompts returns what the person said.
func (s *session) prompts() []string {
	var texts []string
	for _, message := range s.log {
		if message.Role == "user" {
			texts = append(texts, message.Text)
		}
	}
	return texts
}

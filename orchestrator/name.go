package orchestrator

import "strings"

// ChatName is a person's name for a chat, unique in its repository.
type ChatName string

const maxName = 40

// ParseChatName accepts letters, digits, "-", "_" and ".", at most 40 bytes and
// a letter or digit first, and makes the letters small. What is a whole chat id
// is no name.
func ParseChatName(s string) (ChatName, error) {
	name := strings.ToLower(s)
	for i, r := range name {
		plain := r >= 'a' && r <= 'z' || r >= '0' && r <= '9'
		if !plain && (i == 0 || !strings.ContainsRune("-_.", r)) {
			return "", Errorf(CodeInvalid, "%q is not a name for a chat: letters, digits, -, _ and . make one, and the first is a letter or a digit", s)
		}
	}
	if name == "" || len(name) > maxName {
		return "", Errorf(CodeInvalid, "%q is not a name for a chat: it has 1 to %d characters", s, maxName)
	}
	if _, err := ParseChatID(name); err == nil {
		return "", Errorf(CodeInvalid, "%q is not a name for a chat: it could be the id of one", s)
	}
	return ChatName(name), nil
}

// ParseChatArgument accepts what may stand for a chat: an id, the beginning of
// one, or a name.
func ParseChatArgument(s string) (string, error) {
	if id, err := ParseChatPrefix(s); err == nil {
		return id, nil
	}
	name, err := ParseChatName(s)
	if err != nil {
		return "", Errorf(CodeInvalid, "%q is neither a chat's id nor the name of one", s).WithHint("boo chat ls --all")
	}
	return string(name), nil
}

package main

import "github.com/urfave/cli/v2"

// meant is the one of the commands that name is a slip of the keyboard for, or
// nothing if there is none.
func meant(commands []*cli.Command, name string) []string {
	for _, c := range commands {
		if !c.Hidden && isSlip(name, c.Name) {
			return []string{c.Name}
		}
	}
	return nil
}

// isSlip reports whether typed is word with one letter added, left out or
// changed, or with two beside each other in the wrong order.
func isSlip(typed, word string) bool {
	same := 0
	for same < min(len(typed), len(word)) && typed[same] == word[same] {
		same++
	}
	typed, word = typed[same:], word[same:]
	switch {
	case len(word) == len(typed)+1:
		return word[1:] == typed
	case len(typed) == len(word)+1:
		return typed[1:] == word
	case len(typed) != len(word) || typed == "":
		return false
	case typed[1:] == word[1:]:
		return true
	}
	return len(typed) > 1 && typed[0] == word[1] && typed[1] == word[0] && typed[2:] == word[2:]
}

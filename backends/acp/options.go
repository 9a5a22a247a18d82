package acp

import (
	"encoding/json"
	"slices"
)

// sessionResult is the answer to session/new, and, where it is not null, to
// session/load and session/resume.
type sessionResult struct {
	ID    string `json:"sessionId"`
	Modes *struct {
		Current   string `json:"currentModeId"`
		Available []struct {
			ID string `json:"id"`
		} `json:"availableModes"`
	} `json:"modes"`
	Options []json.RawMessage `json:"configOptions"`
}

// option is a session setting that the agent offers, as far as it is
// understood: one of several values, by name.
type option struct {
	ID       string          `json:"id"`
	Category string          `json:"category"`
	Current  string          `json:"currentValue"`
	Values   json.RawMessage `json:"options"`
}

// options decodes settings one by one: one of an unknown form is left out, and
// does not spoil the others.
func options(raw []json.RawMessage) []option {
	var all []option
	for _, item := range raw {
		var o option
		if json.Unmarshal(item, &o) == nil && o.ID != "" {
			all = append(all, o)
		}
	}
	return all
}

// pick returns the setting of a category, else the one with that id.
func pick(all []option, category string) (option, bool) {
	i := slices.IndexFunc(all, func(o option) bool { return o.Category == category })
	if i < 0 {
		i = slices.IndexFunc(all, func(o option) bool { return o.ID == category })
	}
	if i < 0 {
		return option{}, false
	}
	return all[i], true
}

// offers reports whether the setting can take a value. Values come in a flat
// list or in groups.
func (o option) offers(value string) bool {
	var entries []struct {
		Value   string `json:"value"`
		Options []struct {
			Value string `json:"value"`
		} `json:"options"`
	}
	if json.Unmarshal(o.Values, &entries) != nil {
		return false
	}
	for _, e := range entries {
		if e.Value == value && value != "" {
			return true
		}
		for _, inner := range e.Options {
			if inner.Value == value {
				return true
			}
		}
	}
	return false
}

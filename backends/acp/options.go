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
	Models *struct {
		Current   string  `json:"currentModelId"`
		Available []named `json:"availableModels"`
	} `json:"models"`
	Options []json.RawMessage `json:"configOptions"`
}

// named is a model by its id and the name that people know.
type named struct {
	ID   string `json:"modelId"`
	Name string `json:"name"`
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

// choice is one value of a setting.
type choice struct {
	Value   string   `json:"value"`
	Name    string   `json:"name"`
	Options []choice `json:"options"` // of a group
}

// choices returns the values that the setting can take. They come in a flat
// list or in groups.
func (o option) choices() []choice {
	var entries, all []choice
	_ = json.Unmarshal(o.Values, &entries) // another form offers nothing that is understood
	for _, e := range entries {
		if e.Value != "" {
			all = append(all, e)
		}
		all = append(all, e.Options...)
	}
	return all
}

// offers reports whether the setting can take a value.
func (o option) offers(value string) bool {
	return slices.ContainsFunc(o.choices(), func(c choice) bool { return c.Value == value })
}

// named returns the value whose name that is, else the name itself.
func (o option) named(name string) string {
	if o.offers(name) {
		return name
	}
	all := o.choices()
	if i := slices.IndexFunc(all, func(c choice) bool { return c.Name == name }); i >= 0 {
		return all[i].Value
	}
	return name
}

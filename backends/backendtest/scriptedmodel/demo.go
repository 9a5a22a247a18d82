package scriptedmodel

import "strings"

// Demo returns a small repository, the prompts of a conversation about it, in
// order, and the scenario that plays the model's part. After each prompt the
// repository's own go test passes. The caller owns what is returned.
func Demo() (files map[string]string, prompts []string, script Scenario) {
	files = map[string]string{
		"go.mod":        demoMod,
		"greet.go":      demoGreet,
		"greet_test.go": demoTest,
		"README.md":     demoReadme,
	}
	return files, []string{demoShoutPrompt, demoPolitePrompt}, playDemo
}

func playDemo(prompt string) Script {
	switch {
	case strings.Contains(prompt, demoPolitePrompt):
		return demoPolite()
	case strings.Contains(prompt, demoShoutPrompt):
		return demoShout()
	}
	return nil
}

const (
	demoShoutPrompt  = "Add a --shout flag to greet and document it"
	demoPolitePrompt = "Make the greeting polite with --polite, and keep --shout working"
)

func demoShout() Script {
	return Script{
		{Verb: Think, Text: "A flag that ends up in Greet, a test for it, and a line in the README. First a look at what is there."},
		{Verb: Say, Text: "I'll look at the program first."},
		{Verb: Run, Text: "cat greet.go"},
		{Verb: Say, Text: "Greet gets an options struct, so that the next flag is only a field."},
		{Verb: Edit, Path: "greet.go", Old: demoGreetFunc, Text: demoShoutFunc},
		{Verb: Edit, Path: "greet.go", Old: demoMainBody, Text: demoShoutMain},
		{Verb: Edit, Path: "greet_test.go", Old: `Greet("Ada")`, Text: `Greet("Ada", Options{})`},
		{Verb: Write, Path: "shout_test.go", Text: demoShoutTest},
		{Verb: Edit, Path: "README.md", Old: demoReadmeUsage, Text: demoReadmeUsage + demoReadmeShout},
		{Verb: Say, Text: "greet now takes --shout, which answers in capitals. It is tested in shout_test.go and documented in the README."},
	}
}

func demoPolite() Script {
	return Script{
		{Verb: Think, Text: "Options is already there: one more field. Shouting comes last, so that a polite greeting can be shouted too."},
		{Verb: Say, Text: "A second field in Options, applied before the capitals."},
		{Verb: Edit, Path: "greet.go", Old: demoShoutFunc, Text: demoPoliteFunc},
		{Verb: Edit, Path: "greet.go", Old: demoShoutMain, Text: demoPoliteMain},
		{Verb: Write, Path: "polite_test.go", Text: demoPoliteTest},
		{Verb: Edit, Path: "README.md", Old: demoReadmeShout, Text: demoReadmeShout + demoReadmePolite},
		{Verb: Say, Text: "greet --polite wishes a good day, and --polite --shout does it loudly. Both are tested and in the README."},
	}
}

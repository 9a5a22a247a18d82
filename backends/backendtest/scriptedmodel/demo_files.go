package scriptedmodel

// The files of the demo's repository, as they are at its first commit.
const (
	demoMod = `module example.com/greet

go 1.21
`

	demoGreet = `// Command greet greets whom it is told to.
package main

import (
	"flag"
	"fmt"
	"strings"
)

` + demoGreetFunc + `
func main() {
` + demoMainBody + `}
`

	demoGreetFunc = `// Greet returns the greeting for a name; nobody is the world.
func Greet(name string) string {
	name = strings.TrimSpace(name)
	if name == "" {
		name = "world"
	}
	return "Hello, " + name + "!"
}
`

	demoMainBody = `	flag.Parse()
	fmt.Println(Greet(flag.Arg(0)))
`

	demoTest = `package main

import "testing"

func TestGreet(t *testing.T) {
	if got := Greet("Ada"); got != "Hello, Ada!" {
		t.Errorf("got %q", got)
	}
}
`

	demoReadme = `# greet

A very small program that greets.

## Usage

` + demoReadmeUsage

	demoReadmeUsage = `    greet             greet the world
    greet NAME        greet somebody
`
)

// What the first turn makes of them.
const (
	demoShoutFunc = `// Options say how to greet.
type Options struct {
	Shout bool // in capitals
}

// Greet returns the greeting for a name; nobody is the world.
func Greet(name string, o Options) string {
	name = strings.TrimSpace(name)
	if name == "" {
		name = "world"
	}
	greeting := "Hello, " + name + "!"
	if o.Shout {
		greeting = strings.ToUpper(greeting)
	}
	return greeting
}
`

	demoShoutMain = `	var o Options
	flag.BoolVar(&o.Shout, "shout", false, "greet in capitals")
	flag.Parse()
	fmt.Println(Greet(flag.Arg(0), o))
`

	demoShoutTest = `package main

import "testing"

func TestShout(t *testing.T) {
	if got := Greet("Ada", Options{Shout: true}); got != "HELLO, ADA!" {
		t.Errorf("got %q", got)
	}
}
`

	demoReadmeShout = `    greet --shout     greet in capitals
`
)

// What the second turn makes of them.
const (
	demoPoliteFunc = `// Options say how to greet.
type Options struct {
	Shout  bool // in capitals
	Polite bool // with a good day
}

// Greet returns the greeting for a name; nobody is the world.
func Greet(name string, o Options) string {
	name = strings.TrimSpace(name)
	if name == "" {
		name = "world"
	}
	greeting := "Hello, " + name + "!"
	if o.Polite {
		greeting = "Good day to you, dear " + name + "."
	}
	if o.Shout {
		greeting = strings.ToUpper(greeting)
	}
	return greeting
}
`

	demoPoliteMain = `	var o Options
	flag.BoolVar(&o.Shout, "shout", false, "greet in capitals")
	flag.BoolVar(&o.Polite, "polite", false, "wish a good day")
	flag.Parse()
	fmt.Println(Greet(flag.Arg(0), o))
`

	demoPoliteTest = `package main

import "testing"

func TestPolite(t *testing.T) {
	if got := Greet("Ada", Options{Polite: true}); got != "Good day to you, dear Ada." {
		t.Errorf("got %q", got)
	}
	if got := Greet("Ada", Options{Polite: true, Shout: true}); got != "GOOD DAY TO YOU, DEAR ADA." {
		t.Errorf("got %q", got)
	}
}
`

	demoReadmePolite = `    greet --polite    greet with a good day
`
)

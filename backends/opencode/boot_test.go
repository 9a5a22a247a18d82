package opencode

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"boo/backends"
	"boo/orchestrator"
)

// starts plays programs that are started one after the other as a server: each
// prints something, and then lives on, or ends if "exit" is the last it prints.
type starts struct {
	t         *testing.T
	prints    []string
	begun     []*stub
	passwords []string
}

func (s *starts) launch(_ context.Context, adjust func([]string) ([]string, error)) (backends.Child, error) {
	for _, before := range s.begun {
		select {
		case <-before.Done():
		default:
			s.t.Error("the one before lives on")
		}
	}
	env, err := adjust(nil)
	if err != nil {
		return nil, err
	}
	s.passwords = append(s.passwords, lookUp(env, passwordVar))
	out, ends := strings.CutSuffix(s.prints[min(len(s.begun), len(s.prints)-1)], "exit")
	child := &stub{gone: make(chan struct{}), out: strings.NewReader(out)}
	if ends {
		_ = child.End(context.Background(), 0)
	}
	s.begun = append(s.begun, child)
	return child, nil
}

// TestAServerThatDoesNotComeUpIsTriedAgainWhereThatMayHelp has the time that it
// takes, and says why.
func TestAServerThatDoesNotComeUpIsTriedAgainWhereThatMayHelp(t *testing.T) {
	const steps = startStep + 2*startStep
	for name, c := range map[string]struct {
		prints string
		starts int
		takes  time.Duration
		want   []string
	}{
		"it ends":             {"cannot open the database\nexit", 3, steps, []string{"3 times", "exit status 3", "cannot open the database"}},
		"it never is ready":   {"loading\n", 3, 3*readyTime + steps, []string{"3 times", errUnready.Error(), "loading"}},
		"another machine":     {readyMark + " http://192.0.2.1:4096\n", 1, 0, []string{"192.0.2.1"}},
		"no address at all":   {readyMark + "\n", 1, 0, []string{`listens on ""`}},
		"its configuration":   {"Error: Config file at /x.json is not valid JSON\nexit", 1, 0, []string{"/x.json is not valid"}},
		"what a person lacks": {"no key was set\nexit", 1, 0, []string{"no key was set"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, before := &starts{t: t, prints: []string{c.prints}}, time.Now()
				def := backends.Definition{Name: "opencode", Quirks: backends.Quirks{Setup: []backends.SetupHint{{Match: "no key"}}}}
				_, err := Protocol{}.Boot(t.Context(), def, s.launch)
				if orchestrator.CodeOf(err) != orchestrator.CodeAgent || orchestrator.HintOf(err) == "" {
					t.Errorf("got %v", err)
				}
				for _, want := range c.want {
					if !strings.Contains(err.Error(), want) {
						t.Errorf("%q is not in: %v", want, err)
					}
				}
				if took := time.Since(before); len(s.begun) != c.starts || took != c.takes {
					t.Errorf("%d starts in %s, want %d in %s", len(s.begun), took, c.starts, c.takes)
				}
				<-s.begun[len(s.begun)-1].Done()
				slices.Sort(s.passwords)
				if len(s.passwords[0]) < 20 || len(slices.Compact(s.passwords)) != c.starts {
					t.Error("the passwords are not its own")
				}
			})
		})
	}
}

func TestAServerThatComesUpAtLastIsTaken(t *testing.T) {
	r := newReplay(t, nil)
	synctest.Test(t, func(t *testing.T) {
		s := &starts{t: t, prints: []string{"exit", "exit", readyMark + " " + r.http.URL + "\n"}}
		h, err := Protocol{}.Boot(t.Context(), backends.Definition{Name: "opencode"}, s.launch)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Close(t.Context()); err != nil || len(s.begun) != 3 {
			t.Errorf("%v after %d starts", err, len(s.begun))
		}
	})
}

func TestAStartThatIsStoppedIsNotTriedAgain(t *testing.T) {
	for name, prints := range map[string]string{"between two": "exit", "in the middle of one": "loading\n"} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &starts{t: t, prints: []string{prints}}
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(startStep/2, cancel)
				_, err := Protocol{}.Boot(ctx, backends.Definition{Name: "opencode"}, s.launch)
				if orchestrator.CodeOf(err) != orchestrator.CodeInterrupted || len(s.begun) != 1 {
					t.Errorf("got %v after %d starts", err, len(s.begun))
				}
				<-s.begun[0].Done()
			})
		})
	}
}

func TestAProgramThatCannotBeLaunchedIsNotTriedAgain(t *testing.T) {
	tries, missing := 0, errors.New("it is not installed")
	_, err := Protocol{}.Boot(t.Context(), backends.Definition{Name: "opencode"}, func(context.Context, func([]string) ([]string, error)) (backends.Child, error) {
		tries++
		return nil, missing
	})
	if !errors.Is(err, missing) || tries != 1 {
		t.Errorf("got %v after %d tries", err, tries)
	}
}

package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/urfave/cli/v2"
)

// elsewhere are the commands that the test of traps does not run, and why.
var elsewhere = map[string]string{
	"agents install":    "fetches an agent",
	"chat serve":        "does not end; its turns are those of chat send",
	"daemon run":        "does not end; daemon start runs it",
	"demo":              "makes a repository of its own",
	"reaper serve":      "does not end; reaper run is one round of it",
	"service install":   "changes the person's units",
	"service uninstall": "changes the person's units",
}

// trapped are commands with arguments that have them do their work, in this
// order, each with its exit status. Before each the worktrees are disturbed, but
// for those with a mark. Other commands are run as they are, after these.
var trapped = []struct {
	words  string
	status int
}{
	{"daemon start", 0},
	{"chat create nightly --agent mine", 0},
	{"chat send -c nightly|write a.txt with one;;write new.txt with new;;write dir/deep/x with x", 0},
	{"chat send -c nightly|write a.txt with two", 0},
	{"run --agent mine|write run.txt with run", 0},
	{"chat show nightly", 0},
	{"chat log nightly", 0},
	{"chat transcript nightly", 0},
	{"chat wait nightly", 0},
	{"pending ls -c nightly", 0},
	{"pending show -c nightly", 0},
	{"pending diff -c nightly", 0},
	{"pending diff -c nightly --word-diff", 0},
	{"pending blame -c nightly a.txt", 0},
	{"pending conflicts -c nightly", 8},
	{"pending check -c nightly --check-cmd true a.txt", 0},
	{"pending apply -c nightly a.txt", 0},
	{"pending undo", 0},
	{"pending apply -c nightly --commit -m taken a.txt", 0},
	{"pending reject -c nightly new.txt", 0},
	{"worktree ls --all -v", 0},
	{"worktree risk nightly", 4},
	{"worktree archive nightly --force", 4},
	{"! worktree repair nightly", 0},
	{"! worktree archive nightly --force", 0},
	{"worktree restore nightly", 0},
	{"chat restart nightly", 0},
	{"chat reset nightly", 0},
	{"reaper run", 0},
	{"reaper run --dry-run", 0},
	{"checkpoint ls nightly", 0},
	{"checkpoint verify nightly", 0},
	{"checkpoint export nightly --dir ../exported", 0},
	{"checkpoint import --dir ../exported", 0},
	{"usage", 0},
	{"doctor", 1},
	{"chat send --new --base dirty|write dirty.txt with dirty", 0},
	{"chat send --new --base main --sparse dir|write dir/y with y", 0},
	{"! worktree repair nightly", 0},
	{"! chat close nightly --force", 0},
	{"chat reopen nightly", 0},
	{"chat send -c nightly|write late.txt with late", 0},
}

// TestScriptsSpringNoTrap runs every command in a repository, and with a worktree,
// that name a program wherever git takes one. None of them runs, and no git that
// boo starts starts anything.
func TestScriptsSpringNoTrap(t *testing.T) {
	t.Parallel()
	p := newTrap(t)
	ran := map[string]bool{}
	for _, c := range trapped {
		line, calm := strings.CutPrefix(c.words, "! ")
		line, prompt, given := strings.Cut(line, "|")
		words := strings.Fields(line)
		if ran[words[0]], ran[strings.Join(words[:min(2, len(words))], " ")] = true, true; given {
			words = append(words, prompt)
		}
		if calm {
			p.calm()
		} else {
			p.disturb()
		}
		if status, said := p.boo(words...); status != c.status {
			t.Errorf("boo %s: status %d\n%s", strings.Join(words, " "), status, said)
		}
	}
	e, _, _ := testEnv(newFake())
	leaves(newApp(e).Commands, nil, func(_ *cli.Command, words []string) {
		if path := strings.Join(words, " "); !ran[path] && elsewhere[path] == "" {
			p.disturb()
			p.boo(words...)
		}
	})
	p.calm()
	p.boo("worktree", "repair", "nightly")
	if status, said := p.boo("chat", "rm", "nightly", "--yes", "--force"); status != 0 {
		t.Errorf("chat rm: status %d\n%s", status, said)
	}
	p.boo("daemon", "stop", "--now")
	p.unsprung()
}

// trap is a repository that is not to be trusted, and what runs boo in it.
type trap struct {
	t       *testing.T
	root    string
	repo    string
	program string // leaves a mark
	environ []string
	trees   string // the pattern of worktrees
}

func newTrap(t *testing.T) *trap {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := &trap{t: t, root: root, repo: root + "/repo", program: root + "/trap.sh", trees: root + "/home/data/worktrees/r*/c*"}
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"bin", "trace", "marks", "home", "person", "repo"} {
		p.mkdir(root + "/" + dir)
	}
	p.write("trap.sh", "#!/bin/sh\necho \"$0 $*\" >'"+root+"/marks/'$$\ncat\n")
	p.write("bin/git", "#!/bin/sh\nGIT_TRACE2_EVENT='"+root+"/trace' exec '"+git+"' \"$@\"\n")
	p.write("home/config.toml", "default_agent = \"mine\"\n[agents.mine]\ncommand = [\"boo-agent\"]\n[worktree]\nspares = 0\n") // what is made in the background would be disturbed while it is made
	p.environ = append(os.Environ(),
		"PATH="+root+"/bin:"+os.Getenv("PATH"), "HOME="+root+"/person", "BOO_HOME="+root+"/home", "XDG_DATA_HOME="+root+"/person",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=Pat", "GIT_AUTHOR_EMAIL=pat@example.invalid", "GIT_COMMITTER_NAME=Pat", "GIT_COMMITTER_EMAIL=pat@example.invalid",
		"GIT_EXTERNAL_DIFF="+p.program, "GIT_PAGER="+p.program, "PAGER="+p.program, "GIT_ASKPASS="+p.program, "GIT_EDITOR="+p.program, "GIT_SSH_COMMAND="+p.program)
	t.Cleanup(func() { endDaemons(root) })
	p.set()
	return p
}

// set makes the repository.
func (p *trap) set() {
	p.git(p.repo, "init", "-q", "-b", "main")
	for name, content := range map[string]string{
		"a.txt": "zero\n", "dir/deep/keep": "keep\n", "b.dat": "data\n", "hooks/pre-commit": "#!/bin/sh\nexec " + p.program + "\n",
		".gitattributes": "*.txt diff=t merge=t filter=t\n*.dat filter=u\n* ident\n",
		".gitmodules":    "[submodule \"sub\"]\n\tpath = sub\n\turl = ext::" + p.program + "\n\tupdate = !" + p.program + "\n",
		".inc":           "[core]\n\tfsmonitor = " + p.program + "\n\teditor = " + p.program + "\n[alias]\n\tstatus = !" + p.program + "\n",
	} {
		p.write("repo/"+name, content)
	}
	p.git(p.root, "init", "-q", p.repo+"/sub")
	p.git(p.repo+"/sub", "commit", "-q", "--allow-empty", "-m", "sub")
	p.git(p.repo, "add", "-A")
	p.git(p.repo, "commit", "-qm", "base")
	for _, hook := range []string{"post-checkout", "pre-commit", "post-commit", "commit-msg", "prepare-commit-msg", "post-index-change", "reference-transaction", "pre-auto-gc", "post-rewrite"} {
		p.write("repo/hooks/"+hook, "#!/bin/sh\nexec "+p.program+"\n")
		p.write("repo/.git/hooks/"+hook, "#!/bin/sh\nexec "+p.program+"\n")
	}
	p.arm(p.repo + "/.git/config")
	p.write("repo/.git/config.worktree", "[core]\n\tfsmonitor = "+p.program+"\n\thooksPath = "+p.repo+"/hooks\n")
	p.spring(p.repo)
}

// arm adds to a configuration file everything that can name the program.
func (p *trap) arm(config string) {
	p.t.Helper()
	var text strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(traps), "\n") {
		if strings.HasPrefix(line, "[") {
			text.WriteString(line + "\n")
			continue
		}
		key, value, given := strings.Cut(line, " = ")
		if !given {
			value = "PROGRAM"
		}
		text.WriteString("\t" + key + " = \"" + strings.NewReplacer("PROGRAM", p.program, "REPO", p.repo).Replace(value) + "\"\n")
	}
	f, err := os.OpenFile(config, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString(text.String())
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		p.t.Fatal(err)
	}
}

// traps are settings which make git start a program; PROGRAM where none is given.
const traps = `
[core]
fsmonitor
sshCommand
pager
editor
askPass
alternateRefsCommand
gitProxy
hooksPath = hooks
untrackedCache = true
repositoryFormatVersion = 1
[sequence]
editor
[diff]
external
submodule = log
ignoreSubmodules = none
[diff "t"]
command
textconv
[filter "t"]
clean
smudge
required = true
[filter "u"]
process
[filter "lfs"]
process
clean
smudge
[merge "t"]
driver
[credential]
helper
[gpg]
program
[gpg "ssh"]
program
[commit]
gpgSign = true
[tag]
gpgSign = true
[log]
showSignature = true
[pager]
status
diff
[interactive]
diffFilter
[uploadpack]
packObjectsHook
[trailer "x"]
command
[submodule]
recurse = true
[submodule "sub"]
active = true
url = ext::PROGRAM
update = !PROGRAM
[status]
submoduleSummary = true
[gc]
auto = 1
autoDetach = false
[maintenance]
auto = true
[checkout]
workers = 4
[protocol]
allow = always
[protocol "ext"]
allow = always
[remote "origin"]
url = ext::PROGRAM
promisor = true
[extensions]
worktreeConfig = true
partialClone = origin
[include]
path = REPO/.inc
[alias]
diff = !PROGRAM
[hook "t"]
command
event = reference-transaction
event = post-index-change
event = post-checkout
[blame]
ignoreRevsFile = REPO/.inc
`

// disturb does to the worktrees what a hostile agent would, over and over.
func (p *trap) disturb() {
	trees, _ := filepath.Glob(p.trees)
	for _, dir := range trees {
		for _, nested := range []string{"nested", "sub"} {
			if _, err := os.Stat(dir + "/" + nested + "/.git/config"); err == nil {
				continue
			}
			p.git(p.root, "init", "-q", dir+"/"+nested)
			p.git(dir+"/"+nested, "commit", "-q", "--allow-empty", "-m", "nested")
			p.arm(dir + "/" + nested + "/.git/config")
			p.put(dir+"/"+nested+"/.gitattributes", "* filter=t\n")
		}
		if _, err := os.Stat(dir + "/bare.git"); err != nil {
			p.git(p.root, "init", "-q", "--bare", dir+"/bare.git")
			p.arm(dir + "/bare.git/config")
		}
		p.put(dir+"/.git", "gitdir: "+dir+"/nested/.git\n")
		p.put(dir+"/.gitconfig", "[core]\n\tfsmonitor = "+p.program+"\n")
	}
}

// calm takes the repositories away that disturb has put into the worktrees.
func (p *trap) calm() {
	p.t.Helper()
	for _, name := range []string{"nested", "sub/.git", "sub/.gitattributes", "bare.git"} {
		found, _ := filepath.Glob(p.trees + "/" + name)
		for _, dir := range found {
			if err := os.RemoveAll(dir); err != nil {
				p.t.Fatal(err)
			}
		}
	}
}

// spring sees that plain git runs into a trap.
func (p *trap) spring(dir string) {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), "git", "status")
	cmd.Dir, cmd.Env = dir, p.environ
	_ = cmd.Run()
	if marks, _ := os.ReadDir(p.root + "/marks"); len(marks) == 0 {
		p.t.Fatal("plain git did not run into any trap: the test proves nothing")
	}
	for _, dir := range []string{"/marks", "/trace"} {
		if err := os.RemoveAll(p.root + dir); err != nil {
			p.t.Fatal(err)
		}
		p.mkdir(p.root + dir)
	}
}

// unsprung sees that nothing of it ran, and that no git started another program.
func (p *trap) unsprung() {
	marks, _ := filepath.Glob(p.root + "/marks/*")
	for _, mark := range marks {
		said, _ := os.ReadFile(mark)
		p.t.Errorf("a trap was sprung: %s", said)
	}
	traces, _ := filepath.Glob(p.root + "/trace/*")
	if len(traces) < 50 {
		p.t.Errorf("there are traces of %d gits only", len(traces))
	}
	for _, name := range traces {
		trace, _ := os.ReadFile(name)
		if at := startsProgram.FindIndex(trace); at != nil {
			p.t.Errorf("git started a program:\n%s", bytes.Join(bytes.SplitN(trace, []byte("\n"), 3)[:2], []byte("\n")))
			p.t.Errorf("\t%s", startsProgram.Find(trace))
		}
	}
}

var startsProgram = regexp.MustCompile(`(?m)^\{"event":"(child_start|exec)".*$`)

// boo runs a command.
func (p *trap) boo(words ...string) (status int, said string) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.t.Context(), waitTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "boo", words...)
	cmd.Dir, cmd.Env = p.repo, p.environ
	out, err := cmd.CombinedOutput()
	if ended, ok := errors.AsType[*exec.ExitError](err); ok && ctx.Err() == nil {
		return ended.ExitCode(), string(out)
	} else if err != nil {
		p.t.Fatalf("boo %s: %v\n%s", strings.Join(words, " "), err, out)
	}
	return 0, string(out)
}

// git runs git as somebody who has fallen into no trap.
func (p *trap) git(dir string, args ...string) {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), "git", append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Dir, cmd.Env = dir, p.environ
	if out, err := cmd.CombinedOutput(); err != nil {
		p.t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func (p *trap) mkdir(dir string) {
	p.t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		p.t.Fatal(err)
	}
}

func (p *trap) write(name, content string) {
	p.t.Helper()
	p.mkdir(filepath.Dir(p.root + "/" + name))
	p.put(p.root+"/"+name, content)
}

func (p *trap) put(path, content string) {
	p.t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o700); err != nil {
		p.t.Fatal(err)
	}
}

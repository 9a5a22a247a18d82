package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"boo/orchestrator"
)

// The oldest git that boo works with, and the patch of each later series by which
// CVE-2025-48384 and those before it were closed. What comes after the last has
// them all.
const oldestMajor, oldestMinor = 2, 38

var patched = map[int]int{43: 7, 44: 4, 45: 4, 46: 4, 47: 3, 48: 2, 49: 1, 50: 1}

const lastPatched = 50

// machine looks at what boo needs of the machine.
func machine(ctx context.Context, p Patient, l *findings) {
	if version, err := p.Trees.Version(ctx); err != nil {
		l.add(Finding{Check: "git", Level: Fault, What: err.Error(), Why: "everything that boo keeps is kept by git", Try: orchestrator.HintOf(err)})
	} else {
		judgeGit(version, l)
	}
	if free, err := p.Free(p.Worktrees); err != nil {
		l.unseen("disk", p.Worktrees, err)
	} else if free < p.MinFree {
		l.add(Finding{
			Check: "disk", Level: Fault, Subject: p.Worktrees,
			What: fmt.Sprintf("%s are free, and %s are to stay so (worktree.min_free)", orchestrator.Bytes(free), orchestrator.Bytes(p.MinFree)),
			Why:  "no worktree is made, so no chat begins", Try: "boo worktree ls --all, then boo worktree archive CHAT",
		})
	}
	for _, dir := range p.Private {
		private(dir, l)
	}
	watches(ctx, p, l)
	if p.Agents == 0 {
		l.add(Finding{Check: "agents", Level: Warning, What: "no agent is installed", Why: "there is nobody to take a turn", Try: "boo agents install goose"})
	}
}

func judgeGit(version string, l *findings) {
	var major, minor, patch int
	n, _ := fmt.Sscanf(version, "%d.%d.%d", &major, &minor, &patch)
	switch fixed, known := patched[minor]; {
	case n < 2:
		l.add(Finding{Check: "git", Level: Warning, What: fmt.Sprintf("git calls its version %q", version), Why: "boo cannot tell whether it is new enough"})
	case major < oldestMajor || major == oldestMajor && minor < oldestMinor:
		l.add(Finding{
			Check: "git", Level: Fault, What: "git " + version + " is too old", Why: "boo does not work with it",
			Try: fmt.Sprintf("install git %d.%d or later", oldestMajor, oldestMinor),
		})
	case major == 2 && minor <= lastPatched && (!known || patch < fixed):
		l.add(Finding{
			Check: "git", Level: Note, What: "git " + version + " has holes that later ones have not (CVE-2025-48384 and before), unless your distribution has closed them",
			Why: "boo's own git keeps clear of them, but yours and the agents' may not", Try: "install git 2.50.1 or later",
		})
	}
}

// private finds directories of boo's that others may enter.
func private(dir string, l *findings) {
	info, err := os.Stat(dir)
	if err != nil || info.Mode().Perm()&0o077 == 0 {
		return // what is not there yet is made as it has to be
	}
	l.add(Finding{
		Check: "directories", Level: Warning, Subject: dir,
		What: fmt.Sprintf("others may enter it (mode %o)", info.Mode().Perm()), Why: "prompts, answers and files of all chats are in it",
		Fix: "close it to everybody else (chmod 700)", mend: func(context.Context) error { return os.Chmod(dir, 0o700) },
	})
}

// watches compares what the system allows with what the largest worktree needs.
func watches(ctx context.Context, p Patient, l *findings) {
	sizes, err := p.Rows.Sizes(ctx)
	if err != nil {
		return // the store is looked at by itself
	}
	var most int64
	for _, s := range sizes {
		most = max(most, s.Dirs)
	}
	limited("max_user_watches", max(most, fewWatches), fmt.Sprintf("and the largest worktree has %d directories", most), l)
	limited("max_user_instances", fewInstances, "and each turn takes one, as editors do", l)
}

// Below these limits not even a small repository is watched for certain: other
// programs of the person use them up too.
const (
	fewWatches   = 8192
	fewInstances = 64
)

func limited(name string, need int64, because string, l *findings) {
	if limit, err := limitOf(name); err == nil && limit < need {
		l.add(Finding{
			Check: "watches", Level: Warning, Subject: "fs.inotify." + name, What: fmt.Sprintf("it is %d, %s", limit, because),
			Why: "what a turn changed is then found by a look at every file, which takes longer",
			Try: fmt.Sprintf("sudo sysctl fs.inotify.%s=%d", name, 4*need),
		})
	}
}

// inotify is where the kernel tells its limits.
var inotify = "/proc/sys/fs/inotify"

func limitOf(name string) (int64, error) {
	text, err := os.ReadFile(filepath.Join(inotify, name))
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
}

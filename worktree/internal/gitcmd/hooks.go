package gitcmd

// hookEvents are the hooks that git knows (githooks(5)), but for those of mail and
// of other programs' history. From git 2.54 on a configuration file can name a
// command for each, which core.hooksPath does not keep from running; from 2.55 on
// a whole event can be turned off.
var hookEvents = []string{
	"reference-transaction", "post-index-change", "post-checkout", "pre-auto-gc", "post-merge", "post-rewrite",
	"pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "pre-merge-commit", "pre-rebase",
	"applypatch-msg", "pre-applypatch", "post-applypatch",
	"pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update", "push-to-checkout",
}

// unhooked are the arguments that turn them off.
var unhooked = func() (args []string) {
	for _, event := range hookEvents {
		args = append(args, "-c", "hook."+event+".enabled=false")
	}
	return args
}()

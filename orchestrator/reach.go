package orchestrator

import (
	"path/filepath"
	"slices"
	"strings"
)

// Devices that are nobody's files.
var freeDevices = []string{"/dev/null", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/zero", "/dev/random", "/dev/urandom"}

// Directories of programs: to run one is not to touch it.
var programDirs = []string{"/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin"}

// placesIn lists what a word of a command may name: the paths in it, by
// themselves or as the value of a flag or an assignment. Words that are no
// paths are taken for files in base; only what is out of bounds then counts,
// and what has a slash.
func placesIn(t *tree, base, word string, first bool) []place {
	if strings.Contains(word, "://") && !strings.HasPrefix(word, "file:") {
		return nil
	}
	var places []place
	for _, said := range pathsIn(word) {
		if slices.Contains(freeDevices, said) || strings.HasPrefix(said, "/dev/fd/") ||
			first && slices.Contains(programDirs, filepath.Dir(said)) {
			continue
		}
		p := t.place(base, said)
		p.word = word
		if p.bounds != "" || strings.Contains(said, "/") {
			places = append(places, p)
		}
	}
	return places
}

// pathsIn cuts a word into what may be paths. A text with blanks is one only if
// it begins as an absolute path does.
func pathsIn(word string) []string {
	var said []string
	for _, part := range strings.FieldsFunc(strings.TrimPrefix(word, "file://"), func(r rune) bool { return strings.ContainsRune("=:,{}@", r) }) {
		absolute := strings.HasPrefix(part, "/") || strings.HasPrefix(part, "~")
		if strings.HasPrefix(part, "-") { // -I/usr/include
			i := strings.IndexByte(part, '/')
			if i < 0 {
				continue
			}
			part, absolute = part[i:], true
		}
		if absolute || !strings.ContainsAny(part, " \t\n\"'") {
			said = append(said, part)
		}
	}
	return said
}

// Programs that are made to act on what is not in a worktree, or to run what
// they are not told in words. No list of them can be complete: it keeps the mode
// auto from what is known to leave, and no more.
var farPrograms = []string{
	"sudo", "su", "doas", "ssh", "scp", "sftp", "rsync", "curl", "wget", "nc", "ncat", "socat", "telnet", "ftp",
	"docker", "podman", "kubectl", "helm", "terraform", "aws", "gcloud", "az", "gh", "glab",
	"systemctl", "service", "crontab", "at", "batch", "launchctl", "loginctl", "kill", "pkill", "killall", "shutdown", "reboot",
	"mount", "umount", "chroot", "unshare", "nsenter", "apt", "apt-get", "dnf", "yum", "pacman", "brew", "snap",
	"eval", "source", ".", "exec", "xargs", "parallel", "boo",
}

// reachesOut reports whether a simple command is known to act outside.
func reachesOut(words []string) bool {
	name := program(words)
	if slices.Contains(farPrograms, name) {
		return true
	}
	switch name {
	case "git":
		return slices.ContainsFunc(words, func(w string) bool {
			return slices.Contains([]string{"push", "fetch", "pull", "clone", "remote", "config", "worktree", "gc", "update-ref", "branch", "tag", "stash", "submodule"}, w)
		})
	case "python", "python3", "node", "perl", "ruby", "php", "lua", "awk":
		return slices.ContainsFunc(words, func(w string) bool { return w == "-c" || w == "-e" || w == "--eval" || w == "-r" })
	case "env", "nohup", "setsid", "timeout", "nice", "time", "command":
		return len(words) > 1 && reachesOut(words[1:])
	case "find":
		return slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "-exec") || strings.HasPrefix(w, "-ok") })
	}
	return false
}

package worktree_test

var nameCases = []edgeCase{
	{name: "odd names", turn: func(f *fixture, dir string) {
		for _, name := range []string{
			"new\nline", `quo"te`, "tab\there", "-dash", " space ", ":(glob)magic", "back\\slash", "not-utf8-\xff\xfe", "äö", "*", "a\r",
		} {
			f.write(dir+"/"+name, "x\n")
			f.write(dir+"/odd/"+name+"/file", "x\n")
		}
	}},
	{name: "odd names in the base, edited and deleted", base: func(f *fixture) {
		f.write(f.repo+"/new\nline", "1\n")
		f.write(f.repo+"/not-utf8-\xff", "1\n")
		f.write(f.repo+"/\"quoted\"", "1\n")
	}, turn: func(f *fixture, dir string) {
		f.write(dir+"/new\nline", "2\n")
		f.write(dir+"/\"quoted\"", "2\n")
		f.remove(dir + "/not-utf8-\xff")
	}},
}

var agentGitCases = []edgeCase{
	{name: "ignored file added by force and committed", base: ignore("*.log\n"), forced: []string{"x.log"}, turn: func(f *fixture, dir string) {
		f.write(dir+"/x.log", "log\n")
		f.git(dir, "add", "-f", "x.log")
		f.git(dir, "commit", "-qm", "forced")
	}},
	{name: "files added by force, then gone or behind a symlink", base: ignore("*.log\n"), turn: func(f *fixture, dir string) {
		f.write(f.root+"/outside/y.log", "the person's\n")
		f.write(dir+"/x.log", "log\n")
		f.write(dir+"/far/y.log", "log\n")
		f.git(dir, "add", "-f", "x.log", "far/y.log")
		f.remove(dir + "/x.log")
		f.remove(dir + "/far")
		f.symlink(f.root+"/outside", dir+"/far")
	}},
	{name: "commits, stages and moves HEAD", turn: func(f *fixture, dir string) {
		f.write(dir+"/edit.txt", "committed\n")
		f.git(dir, "commit", "-qam", "agent")
		f.write(dir+"/staged", "staged\n")
		f.git(dir, "add", "staged")
		f.git(dir, "checkout", "-q", "-b", "agent-branch")
		f.write(dir+"/staged", "and changed\n")
	}},
	{name: "in the middle of a merge with conflicts", turn: func(f *fixture, dir string) {
		f.git(dir, "checkout", "-q", "-b", "theirs")
		f.write(dir+"/edit.txt", "theirs\n")
		f.git(dir, "commit", "-qam", "theirs")
		f.git(dir, "checkout", "-q", "--detach", "HEAD~")
		f.write(dir+"/edit.txt", "ours\n")
		f.git(dir, "commit", "-qam", "ours")
		if _, err := f.tryGit(dir, "merge", "theirs"); err == nil {
			f.t.Fatal("the merge was meant to conflict")
		}
	}},
	{name: "in the middle of a rebase", turn: func(f *fixture, dir string) {
		f.git(dir, "checkout", "-q", "-b", "up")
		f.write(dir+"/edit.txt", "up\n")
		f.git(dir, "commit", "-qam", "up")
		f.git(dir, "checkout", "-q", "-b", "side", "HEAD~")
		f.write(dir+"/edit.txt", "side\n")
		f.git(dir, "commit", "-qam", "side")
		if _, err := f.tryGit(dir, "rebase", "up"); err == nil {
			f.t.Fatal("the rebase was meant to conflict")
		}
	}},
	{name: "assume-unchanged and skip-worktree, then edits", turn: func(f *fixture, dir string) {
		f.git(dir, "update-index", "--assume-unchanged", "edit.txt")
		f.git(dir, "update-index", "--skip-worktree", "keep.txt")
		f.write(dir+"/edit.txt", "hidden\n")
		f.write(dir+"/keep.txt", "hidden\n")
	}},
	{name: "intent to add", turn: func(f *fixture, dir string) {
		f.write(dir+"/intent", "i\n")
		f.git(dir, "add", "-N", "intent")
	}},
	{name: "index.lock held", turn: func(f *fixture, dir string) {
		f.write(f.git(dir, "rev-parse", "--absolute-git-dir")+"/index.lock", "")
		f.write(dir+"/edit.txt", "locked out\n")
	}},
	{name: "branch deleted, index removed, tracked file no longer", turn: func(f *fixture, dir string) {
		f.git(dir, "rm", "-q", "--cached", "edit.txt")
		f.remove(f.git(dir, "rev-parse", "--absolute-git-dir") + "/index")
		f.write(dir+"/edit.txt", "still here\n")
	}},
	{name: "embedded repository", noted: []string{"cloned"}, turn: func(f *fixture, dir string) {
		f.git(dir, "init", "-q", "cloned")
		f.write(dir+"/cloned/file", "x\n")
		f.git(dir+"/cloned", "add", "-A")
		f.git(dir+"/cloned", "commit", "-qm", "x")
		f.git(dir+"/cloned", "pack-refs", "--all")
	}},
	{name: "submodule left empty", base: withSubmodule, turn: func(f *fixture, dir string) {
		f.write(dir+"/edit.txt", "x\n")
	}},
	{name: "submodule removed", base: withSubmodule, turn: func(f *fixture, dir string) {
		f.remove(dir + "/sub")
	}},
	{name: "submodule replaced by a file", base: withSubmodule, turn: func(f *fixture, dir string) {
		f.remove(dir + "/sub")
		f.write(dir+"/sub", "file\n")
	}},
	{name: "submodule at another commit", base: withSubmodule, noted: []string{"sub"}, turn: func(f *fixture, dir string) {
		f.git(dir, "-c", "protocol.file.allow=always", "submodule", "update", "-q", "--init")
		f.git(dir+"/sub", "commit", "-q", "--allow-empty", "-m", "more")
		// As a directory, so that the copy of it is a repository too.
		gitDir := f.git(dir+"/sub", "rev-parse", "--absolute-git-dir")
		f.remove(dir + "/sub/.git")
		rename(f, gitDir, dir+"/sub/.git")
		f.git(dir+"/sub", "--work-tree=.", "config", "--unset", "core.worktree")
	}},
}

func withSubmodule(f *fixture) {
	lib := f.root + "/lib"
	f.mkdir(lib)
	f.git(lib, "init", "-q")
	f.write(lib+"/lib.txt", "lib\n")
	f.git(lib, "add", "-A")
	f.git(lib, "commit", "-qm", "lib")
	f.git(f.repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", lib, "sub")
}

func attributes(rules string) func(*fixture) {
	return func(f *fixture) { f.write(f.repo+"/.gitattributes", rules) }
}

var conversionCases = []edgeCase{
	{name: "autocrlf", base: func(f *fixture) {
		f.git(f.repo, "config", "--global", "core.autocrlf", "true")
	}, turn: func(f *fixture, dir string) {
		f.write(dir+"/edit.txt", "one\r\n2\r\n")
		f.write(dir+"/new.txt", "new\r\n")
	}},
	{name: "text=auto with CRLF already in the base", base: func(f *fixture) {
		f.write(f.repo+"/crlf.txt", "a\r\nb\r\n")
		f.commit()
		f.write(f.repo+"/.gitattributes", "* text=auto\n")
		f.git(f.repo, "add", ".gitattributes")
		f.git(f.repo, "commit", "-qm", "attributes")
		// Keep what is recorded: adding the file again would normalise it.
		f.git(f.repo, "update-index", "--assume-unchanged", "crlf.txt")
	}, turn: func(f *fixture, dir string) { f.write(dir+"/crlf.txt", "a\r\nB\r\n") }},
	{name: "eol=crlf and working-tree-encoding", base: func(f *fixture) {
		attributes("*.bat text eol=crlf\n*.u16 text working-tree-encoding=UTF-16LE\n")(f)
		f.write(f.repo+"/x.bat", "one\r\n")
		f.write(f.repo+"/x.u16", "h\x00i\x00\n\x00")
	}, turn: func(f *fixture, dir string) {
		f.write(dir+"/x.bat", "two\r\n")
		f.write(dir+"/x.u16", "h\x00o\x00\n\x00")
	}},
	{name: "ident", base: func(f *fixture) {
		attributes("*.c ident\n")(f)
		f.write(f.repo+"/x.c", "/* $Id$ */\n")
	}, turn: func(f *fixture, dir string) { f.write(dir+"/x.c", "/* $Id: 1234 $ */\nmore\n") }},
	{name: "attributes with words in comments", base: attributes("# no encoding, eol or text, by accident\n \t# ident\n*.txt -diff\n"),
		turn: func(f *fixture, dir string) { f.write(dir+"/edit.txt", "x\r\n") }},
	{name: "attributes changed in the turn", base: func(f *fixture) {
		f.write(f.repo+"/x.txt", "a\n")
	}, turn: func(f *fixture, dir string) {
		f.write(dir+"/.gitattributes", "*.txt text eol=crlf\n")
		f.write(dir+"/x.txt", "a\r\nb\r\n")
	}},
	{name: "info/attributes", base: func(f *fixture) {
		f.write(f.repo+"/.git/info/attributes", "*.dat -text\n")
		f.git(f.repo, "config", "--global", "core.autocrlf", "input")
	}, turn: func(f *fixture, dir string) { f.write(dir+"/x.dat", "a\r\n") }},
	{name: "clean filter like LFS, not run", filters: true, base: func(f *fixture) {
		attributes("*.big filter=lfs diff=lfs -text\n")(f)
		f.write(f.repo+"/x.big", "version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 3\n")
		f.commit()
		f.filters = []string{"filter.lfs.clean", "tr a-z A-Z", "filter.lfs.smudge", "tr a-z A-Z"}
	}, turn: func(f *fixture, dir string) {
		f.write(dir+"/y.big", "version https://git-lfs.github.com/spec/v1\noid sha256:34\nsize 4\n")
	}},
	{name: "required filter that is not installed", filters: true, base: func(f *fixture) {
		attributes("*.big filter=lfs\n")(f)
		f.write(f.repo+"/x.big", "pointer\n")
		f.commit()
		f.filters = []string{"filter.lfs.required", "true", "filter.lfs.process", "git-lfs-is-not-there"}
	}, turn: func(f *fixture, dir string) {
		f.write(dir+"/x.big", "pointer 2\n")
	}},
}

var refusedCases = []edgeCase{
	{name: "nested repository without a commit", skipped: []string{"void"}, turn: func(f *fixture, dir string) {
		f.git(dir, "init", "-q", "void")
		f.write(dir+"/edit.txt", "x\n")
	}},
	{name: "names that git refuses", skipped: []string{"git~1", ".GIT/config", "dir/.Git"}, turn: func(f *fixture, dir string) {
		f.write(dir+"/git~1", "x\n")
		f.write(dir+"/.GIT/config", "[core]\n")
		f.write(dir+"/dir/.Git", "x\n")
		f.write(dir+"/edit.txt", "x\n")
	}},
	{name: "many files whose encoding does not hold", base: attributes("bad* text working-tree-encoding=UTF-16\n"),
		skipped: []string{"bad1", "bad2", "dir/bad3", "git~1"}, turn: func(f *fixture, dir string) {
			for _, name := range []string{"bad1", "bad2", "dir/bad3", "good1", "dir/good2", "zgood3", "git~1"} {
				f.write(dir+"/"+name, "no byte order mark")
			}
		}},
	{name: "encoding that does not hold", base: attributes("*.u16 text working-tree-encoding=UTF-16\n"), skipped: []string{"bad.u16"},
		turn: func(f *fixture, dir string) {
			f.write(dir+"/bad.u16", "no byte order mark")
			f.write(dir+"/edit.txt", "x\n")
			f.write(dir+"/zzz", "after it\n")
		}},
}

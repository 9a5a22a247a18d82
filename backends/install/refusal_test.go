package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/backends"
	"boo/backends/install"
	"boo/orchestrator"
)

// refused installs, and expects an error of that code whose text or hint has
// the words, and nothing left behind.
func refused(t *testing.T, in install.Installer, def backends.Definition, code orchestrator.Code, words string) {
	t.Helper()
	_, err := in.Install(t.Context(), def, nil)
	if err == nil {
		t.Fatal("installed")
	}
	text := err.Error() + " / " + orchestrator.HintOf(err)
	if orchestrator.CodeOf(err) != code || !strings.Contains(text, words) || strings.Contains(text, "%!") {
		t.Errorf("got %s %s", orchestrator.CodeOf(err), text)
	}
	if orchestrator.HintOf(err) == "" && code != orchestrator.CodeAgent {
		t.Errorf("nothing to do next: %s", text)
	}
	if got := entries(t, in); got != "" {
		t.Errorf("left behind: %s", got)
	}
}

func TestNoSuchVersion(t *testing.T) {
	in := installer(t, serveRegistry(t, pack{}))
	def := tiny()
	def.Package.Version = "9.9.9"
	refused(t, in, def, orchestrator.CodeNotFound, "npm view @boo-test/tiny@9.9.9 version")
}

func TestNoSuchPackage(t *testing.T) {
	in := installer(t, serveRegistry(t, pack{}))
	def := tiny()
	def.Package.Name = "@boo-test/none"
	refused(t, in, def, orchestrator.CodeNotFound, "@boo-test/none@1.2.3")
}

func TestNoNetwork(t *testing.T) {
	r := serveRegistry(t, pack{})
	in := installer(t, r)
	r.Close()
	refused(t, in, tiny(), orchestrator.CodeAgent, "npm cannot reach its registry")
}

func TestOtherPlatform(t *testing.T) {
	refused(t, installer(t, serveRegistry(t, pack{os: []string{"plan9"}})), tiny(), orchestrator.CodeAgent, "not made for this machine")
}

func TestProgramOfAnotherVersion(t *testing.T) {
	r := serveRegistry(t, pack{says: "1.2.34"})
	close(r.open)
	refused(t, installer(t, r), tiny(), orchestrator.CodeAgent, "not 1.2.3")
}

func TestProgramThatIsNotThere(t *testing.T) {
	r := serveRegistry(t, pack{says: "1.2.3"})
	close(r.open)
	def := tiny()
	def.Package.Bin = "bin/other"
	refused(t, installer(t, r), def, orchestrator.CodeAgent, "does not run on this machine")
}

func TestNoNpm(t *testing.T) {
	in := install.Installer{Data: t.TempDir(), Environ: []string{"PATH=" + t.TempDir()}}
	refused(t, in, tiny(), orchestrator.CodeAgent, "install Node.js")
}

func TestNodeTooOld(t *testing.T) {
	def := tiny()
	def.Package.Node = 999
	refused(t, installer(t, serveRegistry(t, pack{})), def, orchestrator.CodeAgent, "node 999")
}

func TestTooLittleSpaceIsSeenFirst(t *testing.T) {
	def := tiny()
	def.Package.SizeMB = 1 << 30
	refused(t, installer(t, serveRegistry(t, pack{})), def, orchestrator.CodeFull, "free some space")
}

func TestDataDirectoryThatTakesNothing(t *testing.T) {
	in := installer(t, serveRegistry(t, pack{}))
	in.Data = "/proc/boo"
	_, err := in.Install(t.Context(), tiny(), nil)
	if err == nil || !strings.Contains(err.Error(), "tiny") {
		t.Errorf("got %v", err)
	}
}

// npmThat puts a program in npm's place that ends as npm is known to end.
func npmThat(t *testing.T, in *install.Installer, script string) {
	t.Helper()
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	in.Environ = append(in.Environ, "PATH="+bin+":"+os.Getenv("PATH"))
}

func TestWhatNpmSaysDecidesTheError(t *testing.T) {
	for script, want := range map[string]struct {
		code  orchestrator.Code
		words string
	}{
		"echo npm error code ENOSPC; echo npm error nospc no space left; exit 228": {orchestrator.CodeFull, "no space left"},
		"echo npm warn tar TAR_ENTRY_ERROR ENOSPC: no space left on device, write": {orchestrator.CodeFull, "free some space"},
		"echo npm error code EACCES; echo npm error path /cache; exit 243":         {orchestrator.CodeDenied, "path /cache"},
		"echo npm ERR! code EAI_AGAIN; exit 1":                                     {orchestrator.CodeAgent, "cannot reach its registry"},
		"echo npm error code EBADENGINE; exit 1":                                   {orchestrator.CodeAgent, "node --version"},
		"echo something else; exit 3":                                              {orchestrator.CodeAgent, "exit status 3: something else"},
		"exit 0":                                                                   {orchestrator.CodeAgent, "left no package"},
		"mkdir -p node_modules/@boo-test/tiny; cd node_modules/@boo-test/tiny; echo '{\"version\":\"1.0.0\"}' >package.json": {orchestrator.CodeAgent, "installed version 1.0.0"},
	} {
		in := install.Installer{Data: t.TempDir(), Environ: environ(t.TempDir(), "")}
		npmThat(t, &in, script)
		refused(t, in, tiny(), want.code, want.words)
	}
}

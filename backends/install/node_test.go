package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"boo/backends"
	"boo/backends/install"
)

// TestANewerNodeIsInstalledBesideTheAgentThatNeedsIt has a node on PATH that
// is too old, and an npm that makes whatever package it is asked for.
func TestANewerNodeIsInstalledBesideTheAgentThatNeedsIt(t *testing.T) {
	in := install.Installer{Data: t.TempDir(), Environ: environ(t.TempDir(), "")}
	bin, own := t.TempDir(), backends.Node()
	asked := filepath.Join(t.TempDir(), "asked")
	for name, script := range map[string]string{
		"node": "echo v20.1.0",
		"npm": `for what; do :; done
echo "$what $(command -v node)" >> ` + asked + `
name=${what%@*} version=${what##*@}
mkdir -p "node_modules/$name/bin" && cd "node_modules/$name" && echo "{\"version\":\"$version\"}" > package.json
printf '#!/bin/sh\n[ "$1" = --version ] || { shift; echo by the new node; }\necho v%s\n' "$version" | tee bin/tiny > bin/node
chmod +x bin/*`,
	} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	in.Environ = append(in.Environ, "PATH="+bin+":"+os.Getenv("PATH"))
	def := tiny()
	def.Package.Node = 22
	// The node that runs the program says its own version, and so that of both.
	def.Package.Version = own.Package.Version
	if _, err := in.Install(t.Context(), def, nil); err != nil {
		t.Fatal(err)
	}
	node, _, ok := in.Installed(own)
	if !ok {
		t.Fatal("no node was installed")
	}
	said, err := os.ReadFile(asked)
	want := own.Package.Name + "@" + own.Package.Version + " " + filepath.Join(bin, "node") + "\n" +
		pkgName + "@" + own.Package.Version + " " + node + "\n"
	if err != nil || string(said) != want {
		t.Errorf("npm was asked for\n%swant\n%s", said, want)
	}
	if strings.Contains(entries(t, in), ".staging") {
		t.Errorf("left behind: %s", entries(t, in))
	}
}

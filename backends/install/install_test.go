package install_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"boo/backends/install"
	"boo/orchestrator"
)

// environ is what npm needs of the environment, and nothing of this machine's
// npm configuration.
func environ(home, registry string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "npm_config_registry=" + registry,
		"npm_config_fetch_retries=0", "no_proxy=127.0.0.1",
	}
}

func installer(t *testing.T, r *registry) install.Installer {
	t.Helper()
	return install.Installer{Data: filepath.Join(t.TempDir(), "data"), Environ: environ(t.TempDir(), r.URL)}
}

// entries lists everything below the agent's directory.
func entries(t *testing.T, in install.Installer) string {
	t.Helper()
	found, err := os.ReadDir(filepath.Join(in.Data, "agents", "tiny"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range found {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

func TestInstallsThePinnedPackageThroughNpm(t *testing.T) {
	r := serveRegistry(t, pack{says: "tiny 1.2.3 (test)"})
	close(r.open)
	in := installer(t, r)
	if _, _, ok := in.Installed(tiny()); ok {
		t.Fatal("installed before anything was done")
	}
	var line string
	var done, total int64
	path, err := in.Install(t.Context(), tiny(), func(d, n int64, l string) { done, total, line = d, n, l })
	if err != nil {
		t.Fatal(err)
	}
	if path != tiny().InstalledProgram(in.Data) {
		t.Errorf("installed at %s", path)
	}
	if got, version, ok := in.Installed(tiny()); !ok || got != path || version != "1.2.3" {
		t.Errorf("Installed says %s %s %v", got, version, ok)
	}
	if done == 0 || total != 1<<20 || line == "" {
		t.Errorf("progress ended with %d of %d, %q", done, total, line)
	}
	if got := entries(t, in); got != "1.2.3" {
		t.Errorf("left in the directory: %s", got)
	}
	if _, err := os.Stat(filepath.Join(in.Data, "agents", "tiny", "ran")); err == nil {
		t.Error("a script of the package ran")
	}

	if _, err := in.Install(t.Context(), tiny(), nil); err != nil || r.count() != 1 {
		t.Errorf("second run: error %v, package loaded %d times", err, r.count())
	}
}

func TestDamagedInstallationIsReplaced(t *testing.T) {
	r := serveRegistry(t, pack{says: "1.2.3"})
	close(r.open)
	in := installer(t, r)
	path, err := in.Install(t.Context(), tiny(), nil)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, damage := range map[string]func() error{
		"cut off":       func() error { return os.Truncate(path, 3) },
		"other bytes":   func() error { return os.WriteFile(path, []byte(strings.Repeat("x", len(whole))), 0o755) },
		"no program":    func() error { return os.Remove(path) },
		"no exec bit":   func() error { return os.Chmod(path, 0o644) },
		"no manifest":   func() error { return os.Remove(filepath.Join(tiny().InstallDir(in.Data), "installed.json")) },
		"empty":         func() error { return os.RemoveAll(filepath.Join(tiny().InstallDir(in.Data), "node_modules")) },
		"file in place": func() error { d := tiny().InstallDir(in.Data); _ = os.RemoveAll(d); return os.WriteFile(d, nil, 0o600) },
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := in.Installed(tiny()); ok && name != "other bytes" {
			t.Errorf("%s: passes for installed", name)
		}
		if _, err := in.Install(t.Context(), tiny(), nil); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != string(whole) {
			t.Errorf("%s: not replaced: %v", name, err)
		}
		if got := entries(t, in); got != "1.2.3" {
			t.Errorf("%s: left in the directory: %s", name, got)
		}
	}
}

func TestSeveralInstallersLoadThePackageOnce(t *testing.T) {
	r := serveRegistry(t, pack{says: "1.2.3"})
	in := installer(t, r)
	var all sync.WaitGroup
	waited := make(chan struct{}, 3)
	for range 3 {
		all.Go(func() {
			if _, err := in.Install(t.Context(), tiny(), func(_, _ int64, line string) {
				if strings.HasPrefix(line, "waiting") {
					waited <- struct{}{}
				}
			}); err != nil {
				t.Error(err)
			}
		})
	}
	<-r.arrived
	<-waited
	<-waited
	close(r.open)
	all.Wait()
	if r.count() != 1 {
		t.Errorf("loaded %d times", r.count())
	}
}

func TestHomeThatTakesNothing(t *testing.T) {
	r := serveRegistry(t, pack{says: "1.2.3"})
	close(r.open)
	in := installer(t, r)
	for _, home := range []string{filepath.Join(t.TempDir(), "missing"), "/proc"} {
		in.Environ = environ(home, r.URL)
		if err := os.RemoveAll(in.Data); err != nil {
			t.Fatal(err)
		}
		if _, err := in.Install(t.Context(), tiny(), nil); err != nil {
			t.Errorf("HOME=%s: %v", home, err)
		}
		if _, err := os.Stat(filepath.Join(in.Data, "npm-cache")); err != nil {
			t.Errorf("HOME=%s: npm's cache is not in the data directory: %v", home, err)
		}
	}
}

func TestAgentWithoutPackage(t *testing.T) {
	def := tiny()
	def.Package.Name = ""
	in := install.Installer{Data: t.TempDir()}
	if _, err := in.Install(t.Context(), def, nil); orchestrator.CodeOf(err) != orchestrator.CodeInvalid {
		t.Errorf("got %v", err)
	}
	if _, _, ok := in.Installed(def); ok {
		t.Error("passes for installed")
	}
}

package install_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"boo/backends"
)

// registry serves the real npm client from loopback: one package, whose
// program is a shell script that says its version.
type registry struct {
	*httptest.Server
	arrived chan struct{} // a tarball is asked for
	open    chan struct{} // closed: tarballs are handed out

	mu      sync.Mutex
	fetched int
}

const (
	pkgName    = "@boo-test/tiny"
	pkgVersion = "1.2.3"
)

// pack describes the package that is served.
type pack struct {
	says string   // what the program prints
	os   []string // platforms it is made for; nil for all
}

func serveRegistry(t *testing.T, p pack) *registry {
	t.Helper()
	r := &registry{arrived: make(chan struct{}, 100), open: make(chan struct{})}
	ball := tarball(t, p)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /tiny.tgz", func(w http.ResponseWriter, req *http.Request) {
		r.mu.Lock()
		r.fetched++
		r.mu.Unlock()
		r.arrived <- struct{}{}
		select {
		case <-r.open:
			_, _ = w.Write(ball)
		case <-req.Context().Done():
		}
	})
	mux.HandleFunc("GET /", func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/"+pkgName {
			http.Error(w, `{"error":"not found"}`, http.StatusNotFound)
			return
		}
		sum := sha512.Sum512(ball)
		_ = json.NewEncoder(w).Encode(map[string]any{
			"name":      pkgName,
			"dist-tags": map[string]string{"latest": pkgVersion},
			"versions": map[string]any{pkgVersion: map[string]any{
				"name": pkgName, "version": pkgVersion, "os": p.os,
				"dist": map[string]string{
					"tarball":   r.URL + "/tiny.tgz",
					"integrity": "sha512-" + base64.StdEncoding.EncodeToString(sum[:]),
				},
			}},
		})
	})
	r.Server = httptest.NewUnstartedServer(mux)
	r.Start()
	t.Cleanup(r.Server.Close)
	t.Cleanup(r.CloseClientConnections)
	return r
}

// tarball packs the package as npm publishes it.
func tarball(t *testing.T, p pack) []byte {
	t.Helper()
	var buf bytes.Buffer
	zipped := gzip.NewWriter(&buf)
	archive := tar.NewWriter(zipped)
	for name, file := range map[string]struct {
		mode int64
		text string
	}{
		"package/package.json": {0o644, `{"name":"` + pkgName + `","version":"` + pkgVersion + `","scripts":{"postinstall":"touch ../../../../ran"}}`},
		"package/bin/tiny":     {0o755, "#!/bin/sh\necho \"" + p.says + "\"\n"},
	} {
		if err := archive.WriteHeader(&tar.Header{Name: name, Mode: file.mode, Size: int64(len(file.text)), Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(file.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func (r *registry) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fetched
}

func tiny() backends.Definition {
	return backends.Definition{
		Name:    "tiny",
		Package: backends.Package{Name: pkgName, Version: pkgVersion, Bin: "bin/tiny", SizeMB: 1},
	}
}

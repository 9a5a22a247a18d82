package orchestrator_test

import (
	"encoding/json"
	"testing"

	"boo/orchestrator"
)

func TestPathsStayInsideTheirTree(t *testing.T) {
	for s, want := range map[string]bool{
		"a": true, "a/b c": true, "-x": true, "a\nb": true, "\xff": true, "..a": true,
		"": false, "/a": false, "a/": false, "a//b": false, "../a": false, "a/../b": false, "./a": false, "a\x00b": false,
	} {
		if _, err := orchestrator.ParsePath(s); (err == nil) != want {
			t.Errorf("ParsePath(%q) = %v, want accepted: %v", s, err, want)
		}
	}
}

func TestPathUnder(t *testing.T) {
	if p := orchestrator.Path("a/b/c"); !p.Under("a/b") || !p.Under("") || !p.Under("a/b/c") || p.Under("a/b/") || p.Under("a/bb") {
		t.Error("Under does not go by whole components")
	}
}

// Every path survives JSON, whatever its bytes, and no two look the same.
func FuzzPathJSON(f *testing.F) {
	for _, s := range []string{"plain", "spa ce", "q\"uote", `"leads`, "new\nline", "\xff\xfe", `back\slash`, "é", "\u202e"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		data, err := json.Marshal(orchestrator.Path(s))
		if err != nil {
			t.Fatal(err)
		}
		var back orchestrator.Path
		if err := json.Unmarshal(data, &back); err != nil || string(back) != s {
			t.Fatalf("%q became %s became %q (%v)", s, data, back, err)
		}
	})
}

package scriptedmodel_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"boo/backends/backendtest/scriptedmodel"
)

type script = scriptedmodel.Script

func TestPromptIsReadAsScript(t *testing.T) {
	for prompt, want := range map[string]script{
		"write a.txt with hello":               {{Verb: scriptedmodel.Write, Path: "a.txt", Text: "hello\n"}},
		`write a.txt with "x\ny"`:              {{Verb: scriptedmodel.Write, Path: "a.txt", Text: "x\ny"}},
		`write a.txt with ""`:                  {{Verb: scriptedmodel.Write, Path: "a.txt", Text: ""}},
		`write "a b.txt" with c with d`:        {{Verb: scriptedmodel.Write, Path: "a b.txt", Text: "c with d\n"}},
		"edit a.txt replace one by two":        {{Verb: scriptedmodel.Edit, Path: "a.txt", Old: "one", Text: "two"}},
		`edit a.txt replace "x by y" by z`:     {{Verb: scriptedmodel.Edit, Path: "a.txt", Old: "x by y", Text: "z"}},
		"run ls -l; echo done":                 {{Verb: scriptedmodel.Run, Text: "ls -l; echo done"}},
		"plan look | change | test":            {{Verb: scriptedmodel.Plan, List: []string{"look", "change", "test"}}},
		`call tree {"path":"."}`:               {{Verb: scriptedmodel.Call, Text: "tree", Args: json.RawMessage(`{"path":"."}`)}},
		"think hm ;; say done":                 {{Verb: scriptedmodel.Think, Text: "hm"}, {Verb: scriptedmodel.Say, Text: "done"}},
		"remember blue\nrecall":                {{Verb: scriptedmodel.Remember, Text: "blue"}, {Verb: scriptedmodel.Recall}},
		"stream 3 words":                       {{Verb: scriptedmodel.Stream, Count: 3, Every: 50 * time.Millisecond}},
		"stream 3 words every 1s":              {{Verb: scriptedmodel.Stream, Count: 3, Every: time.Second}},
		"flood 10 chunks":                      {{Verb: scriptedmodel.Chunks, Count: 10}},
		"flood 10 bytes":                       {{Verb: scriptedmodel.Bytes, Count: 10}},
		"status 429 slow down":                 {{Verb: scriptedmodel.Status, Count: 429, Text: "slow down"}},
		"Hello!\nsay hi\nThat is all.":         {{Verb: scriptedmodel.Say, Text: "hi"}},
		"<note>\nsay a\n</note>\nsay b":        {{Verb: scriptedmodel.Say, Text: "b"}},
		"say b\n<ctx>say a</ctx>\nsay c":       {{Verb: scriptedmodel.Say, Text: "b"}, {Verb: scriptedmodel.Say, Text: "c"}},
		"<past turns=2>\nrun rm x\n</past>":    nil,
		"Write a poem with rhymes":             nil,
		"write a poem with rhymes":             nil,
		"hang on":                              nil,
		"stream words":                         nil,
		"status 200":                           nil,
		"call tree not json":                   nil,
		"edit a.txt replace one":               nil,
		"remember to buy milk":                 nil,
		"":                                     nil,
		"stall ;; cut ;; hang ;; report":       {{Verb: scriptedmodel.Stall}, {Verb: scriptedmodel.Cut}, {Verb: scriptedmodel.Hang}, {Verb: scriptedmodel.Report}},
		"write a.txt with don't \"quote\" it ": {{Verb: scriptedmodel.Write, Path: "a.txt", Text: "don't \"quote\" it\n"}},
	} {
		if got := scriptedmodel.Parse(prompt); !reflect.DeepEqual(got, want) {
			t.Errorf("%q\n got %+v\nwant %+v", prompt, got, want)
		}
	}
}

func FuzzParseTakesAnyPrompt(f *testing.F) {
	f.Add("write a with b ;; edit c replace \"d by e\" by 'f'")
	f.Add("<a>\n</a>\nstatus 4")
	f.Fuzz(func(t *testing.T, prompt string) { scriptedmodel.Parse(prompt) })
}

package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"boo/orchestrator"
)

// asked returns the types of what a row is asked and answers.
func asked(r row) []reflect.Type {
	do := reflect.ValueOf(r).FieldByName("do")
	if !do.IsValid() {
		return []reflect.Type{reflect.TypeFor[diffIn]()}
	}
	return []reflect.Type{do.Type().In(2), do.Type().Out(0)}
}

// filler puts something different into every field there is, and bytes that are
// not UTF-8 wherever they can be.
type filler struct{ n int }

func (f *filler) fill(v reflect.Value) {
	f.n++
	switch at := v.Addr().Interface().(type) {
	case *orchestrator.Event:
		*at = orchestrator.Event{Seq: orchestrator.Seq(f.n), At: time.UnixMilli(int64(f.n)).UTC(), Kind: orchestrator.EventText, Text: "né"}
		return
	case *time.Time:
		*at = time.UnixMilli(int64(f.n)).UTC()
		return
	case *json.RawMessage:
		*at = json.RawMessage(fmt.Sprintf(`{"n":%d}`, f.n))
		return
	}
	switch k := v.Kind(); {
	case k == reflect.Bool:
		v.SetBool(true)
	case v.CanInt():
		v.SetInt(int64(f.n))
	case v.CanUint():
		v.SetUint(uint64(f.n))
	case v.CanFloat():
		v.SetFloat(float64(f.n) / 4)
	case k == reflect.String:
		v.SetString(fmt.Sprintf("\"caf\xe9 %d\u2028", f.n))
	case k == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case k == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		f.fill(v.Index(0))
		f.fill(v.Index(1))
	case k == reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		if key.Type() != reflect.TypeFor[orchestrator.Path]() {
			key.SetString(strings.ToValidUTF8(key.String(), "?"))
		}
		f.fill(value)
		v.SetMapIndex(key, value)
	case k == reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i))
			}
		}
	}
}

func TestEveryValueOfTheTableComesThroughWhole(t *testing.T) {
	for _, r := range rows() {
		if strings.HasSuffix(r.pattern(), "/events") {
			continue // events have a form of their own
		}
		for _, typ := range asked(r) {
			for name, prepare := range map[string]func(reflect.Value){"full": (&filler{}).fill, "zero": func(reflect.Value) {}} {
				in, out := reflect.New(typ), reflect.New(typ)
				prepare(in.Elem())
				text, err := encode(in.Elem().Interface())
				if err != nil {
					t.Fatalf("%s: write a %s %s: %v", r.pattern(), name, typ, err)
				}
				if !json.Valid(text) {
					t.Fatalf("%s: no JSON: %s", r.pattern(), text)
				}
				if err := decode(text, out.Interface()); err != nil {
					t.Fatalf("%s: read a %s %s: %v\n%s", r.pattern(), name, typ, err, text)
				}
				if !reflect.DeepEqual(in.Interface(), out.Interface()) {
					t.Errorf("%s: a %s %s has changed:\n%+v\n%+v\n%s", r.pattern(), name, typ, in.Elem(), out.Elem(), text)
				}
			}
		}
	}
}

func TestARequestReadsAsItsTypesDo(t *testing.T) {
	text, err := encode(orchestrator.SendRequest{
		Ref: orchestrator.ChatRef{Dir: "/src", Prefix: "c1"}, Prompt: "fix <it>", Environ: []string{"A=\xff"},
	})
	want := `{"ref":{"dir":"/src","prefix":"c1"},"prompt":"fix \u003cit\u003e","environ":[{"base64":"QT3/"}]}`
	if string(text) != want || err != nil {
		t.Errorf("got %s, %v", text, err)
	}
}

func TestWhatIsNotUnderstoodIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{"prompt":"x","promt":"y"}`:     `there is no "promt" in a SendRequest`,
		`{"ref":{"directory":"/"}}`:      `ref: there is no "directory" in a ChatRef`,
		`{"prompt":1}`:                   "cannot unmarshal number",
		`{"prompt":{"base64":"?"}}`:      "illegal base64",
		`{"prompt":"x"} {"prompt":"y"}`:  "after top-level value",
		`{"environ":{"0":"A=1"}}`:        "cannot unmarshal object",
		``:                               "unexpected end of JSON",
		strings.Repeat(`{"ref":`, 20000): "exceeded max depth",
	} {
		var req orchestrator.SendRequest
		err := decode([]byte(text), &req)
		if orchestrator.CodeOf(err) != orchestrator.CodeInvalid || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v, want %s", text, err, want)
		}
	}
}

func TestEveryCodeHasAStatus(t *testing.T) {
	for _, code := range orchestrator.Codes() {
		status, ok := statuses[code]
		if !ok || status < http.StatusBadRequest {
			t.Errorf("%s has status %d", code, status)
		}
		err := failureOf(orchestrator.Errorf(code, "it failed").WithHint("mend it")).err()
		if orchestrator.CodeOf(err) != code || err.Error() != "it failed" || orchestrator.HintOf(err) != "mend it" {
			t.Errorf("%s came back as %v", code, err)
		}
	}
	if len(statuses) != len(orchestrator.Codes()) {
		t.Error("there are statuses of codes that are not")
	}
}

func TestNoTwoRowsShareARoute(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range rows() {
		if seen[r.pattern()] || !strings.Contains(r.pattern(), " /v1/") {
			t.Errorf("%s is there twice, or has no version", r.pattern())
		}
		seen[r.pattern()] = true
	}
}

package api

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"boo/orchestrator"
)

// encode writes v as the package comment says. encoding/json alone would lose
// bytes that are not UTF-8, and fields that embedded ones hide.
func encode(v any) ([]byte, error) { return appendValue(nil, reflect.ValueOf(v)) }

func appendValue(out []byte, v reflect.Value) ([]byte, error) {
	if plain(v.Type()) {
		return appendJSON(out, v.Interface())
	}
	switch v.Kind() {
	case reflect.String:
		if s := v.String(); !utf8.ValidString(s) {
			return appendJSON(out, rawString{[]byte(s)})
		}
		return appendJSON(out, v.String())
	case reflect.Pointer:
		if v.IsNil() {
			return append(out, "null"...), nil
		}
		return appendValue(out, v.Elem())
	case reflect.Struct:
		return appendStruct(out, v)
	case reflect.Slice:
		return appendSlice(out, v)
	case reflect.Map:
		return appendMap(out, v)
	}
	return nil, fmt.Errorf("no JSON form for %s", v.Type())
}

// rawString is the form of a string that is not UTF-8.
type rawString struct {
	Base64 []byte `json:"base64"`
}

func appendJSON(out []byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	return append(out, text...), err
}

func appendStruct(out []byte, v reflect.Value) ([]byte, error) {
	var err error
	out = append(out, '{')
	begin := len(out)
	for _, f := range fieldsOf(v.Type()) {
		value := v.Field(f.index)
		if value.IsZero() {
			continue
		}
		if len(out) > begin {
			out = append(out, ',')
		}
		if out, err = appendJSON(out, f.name); err != nil {
			return nil, err
		}
		if out, err = appendValue(append(out, ':'), value); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

func appendSlice(out []byte, v reflect.Value) ([]byte, error) {
	if v.IsNil() {
		return append(out, "null"...), nil
	}
	var err error
	out = append(out, '[')
	for i := range v.Len() {
		if i > 0 {
			out = append(out, ',')
		}
		if out, err = appendValue(out, v.Index(i)); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

func appendMap(out []byte, v reflect.Value) ([]byte, error) {
	if v.IsNil() {
		return append(out, "null"...), nil
	}
	out = append(out, '{')
	begin := len(out)
	for it := v.MapRange(); it.Next(); {
		if len(out) > begin {
			out = append(out, ',')
		}
		key := it.Key().String()
		if t, ok := it.Key().Interface().(encoding.TextMarshaler); ok {
			text, err := t.MarshalText()
			if err != nil {
				return nil, err
			}
			key = string(text)
		}
		if !utf8.ValidString(key) {
			return nil, fmt.Errorf("key %q of a %s is not UTF-8", key, v.Type())
		}
		var err error
		if out, err = appendJSON(out, key); err != nil {
			return nil, err
		}
		if out, err = appendValue(append(out, ':'), it.Value()); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

// plain reports whether encoding/json keeps every value of the type as it is.
func plain(t reflect.Type) bool {
	switch k := t.Kind(); {
	case k >= reflect.Bool && k <= reflect.Float64:
		return true
	case k == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return true // base64, or raw JSON
	case k == reflect.Pointer:
		return false
	}
	return t == reflect.TypeFor[orchestrator.Event]() ||
		t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

type field struct {
	name  string
	index int
}

var fieldCache sync.Map // reflect.Type -> []field

// fieldsOf lists what is written of a struct. Functions stay where they are:
// what calls back is a matter of the call, not of its values.
func fieldsOf(t reflect.Type) []field {
	if known, ok := fieldCache.Load(t); ok {
		return known.([]field)
	}
	var list []field
	for i := range t.NumField() {
		f := t.Field(i)
		if f.IsExported() && f.Type.Kind() != reflect.Func {
			list = append(list, field{nameOf(f), i})
		}
	}
	fieldCache.Store(t, list)
	return list
}

// nameOf is the name that the type gives its field in JSON, or else its own:
// CommonDir becomes common_dir, ID id.
func nameOf(f reflect.StructField) string {
	if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" && name != "-" {
		return name
	}
	var b strings.Builder
	runes := []rune(f.Name)
	for i, r := range runes {
		word := i > 0 && unicode.IsUpper(r) &&
			(!unicode.IsUpper(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]))
		if word {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

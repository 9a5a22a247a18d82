package api

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"

	"boo/orchestrator"
)

// decode reads what encode wrote into what v points to. Names that the type
// does not have are refused: a client that means something must be understood.
func decode(text []byte, v any) error {
	if err := setValue(reflect.ValueOf(v).Elem(), text); err != nil {
		return orchestrator.Errorf(orchestrator.CodeInvalid, "read JSON: %w", err)
	}
	return nil
}

func setValue(v reflect.Value, text []byte) error {
	if plain(v.Type()) {
		return json.Unmarshal(text, v.Addr().Interface())
	}
	switch v.Kind() {
	case reflect.String:
		return setString(v, text)
	case reflect.Pointer:
		if isNull(text) {
			v.SetZero()
			return nil
		}
		v.Set(reflect.New(v.Type().Elem()))
		return setValue(v.Elem(), text)
	case reflect.Struct:
		return setStruct(v, text)
	case reflect.Slice:
		return setSlice(v, text)
	case reflect.Map:
		return setMap(v, text)
	}
	return fmt.Errorf("no JSON form for %s", v.Type())
}

func isNull(text []byte) bool { return string(text) == "null" }

func setString(v reflect.Value, text []byte) error {
	if len(text) > 0 && text[0] == '{' {
		var raw rawString
		err := json.Unmarshal(text, &raw)
		v.SetString(string(raw.Base64))
		return err
	}
	var s string
	err := json.Unmarshal(text, &s)
	v.SetString(s)
	return err
}

func setStruct(v reflect.Value, text []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	for _, f := range fieldsOf(v.Type()) {
		member, ok := members[f.name]
		if !ok {
			continue
		}
		delete(members, f.name)
		if err := setValue(v.Field(f.index), member); err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
	}
	for name := range members {
		return fmt.Errorf("there is no %q in a %s", name, v.Type().Name())
	}
	return nil
}

func setSlice(v reflect.Value, text []byte) error {
	var members []json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return err
	}
	v.Set(reflect.MakeSlice(v.Type(), len(members), len(members)))
	for i, member := range members {
		if err := setValue(v.Index(i), member); err != nil {
			return err
		}
	}
	return nil
}

func setMap(v reflect.Value, text []byte) error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return err
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(members)))
	for name, member := range members {
		key := reflect.New(v.Type().Key())
		if t, ok := key.Interface().(encoding.TextUnmarshaler); ok {
			if err := t.UnmarshalText([]byte(name)); err != nil {
				return err
			}
		} else {
			key.Elem().SetString(name)
		}
		value := reflect.New(v.Type().Elem()).Elem()
		if err := setValue(value, member); err != nil {
			return err
		}
		v.SetMapIndex(key.Elem(), value)
	}
	return nil
}

package activitypub

import "testing"

func TestBooleansMayBeWords(t *testing.T) {
	o := Object{"a": true, "b": "true", "c": "False", "d": false, "e": "yes", "f": nil, "g": []any{true}, "h": "TRUE", "i": ""}
	for key, want := range map[string][2]bool{
		"a": {true, true}, "b": {true, true}, "c": {false, true}, "d": {false, true}, "e": {false, false}, "f": {false, false}, "g": {false, false},
		"h": {true, true}, "i": {false, false}, "z": {false, false},
	} {
		if value, known := o.Bool(key); value != want[0] || known != want[1] {
			t.Errorf("%v is %v, %v, want %v", o[key], value, known, want)
		}
	}
}

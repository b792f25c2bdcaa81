package apitest

import (
	"slices"
	"testing"
)

// TestStrictAppsDecodeNothingElse: each way in which an answer can be wrong is told, with
// its place.
func TestStrictAppsDecodeNothingElse(t *testing.T) {
	p := parser{entities: map[string]*shape{"Poll": {kind: object}}}
	p.object(p.entities["Poll"], "id:s! ends:t? options:[s] votes:i ~kind:=a,b:c of:Poll? x:Poll|i")
	right := `{"id":"1","ends":null,"options":[],"votes":3,"of":null,"x":1}`
	for raw, want := range map[string][]string{
		right: nil,
		`{"id":"1","ends":"2026-01-02T03:04:05.000Z","options":["a"],"votes":3,"kind":"b:c","of":` + right + `,"x":` + right + `,"new":1}`: nil,
		`{"id":"","ends":"2026-01-02","options":[1],"votes":1.5,"kind":"d","of":1,"x":null}`: {
			".id is no filled text: ", ".ends is no time: 2026-01-02", ".options[] is no text: 1", ".votes is no integer: 1.5",
			".kind is no value of its enumeration: d", ".of is no object: 1", ".x is null",
		},
		`{"id":null,"ends":null,"options":{},"votes":"3","of":{},"x":"1"}`: {
			".id is null", ".options is no list: map[]", ".votes is no integer: 3", ".of.id is missing", ".of.ends is missing", ".of.options is missing",
			".of.votes is missing", ".of.of is missing", ".of.x is missing", ".x is no integer: 1",
		},
		`null`: {" is null"},
		`[`:    {"no JSON: unexpected EOF: ["},
	} {
		if got := mistakes(p.entities["Poll"], []byte(raw)); !slices.Equal(got, want) {
			t.Errorf("%s\nis told as %q\nwant %q", raw, got, want)
		}
	}
}

package term_test

import (
	"encoding/json"
	"testing"

	"svc/client/settings/term"
)

// FuzzJSONRoundTrip reads any text. Accepted text comes back as the same term
// from both forms, also after merging, and never causes a panic.
func FuzzJSONRoundTrip(f *testing.F) {
	for _, tt := range roundTrips {
		if len(tt.sent) < term.MaxSize {
			f.Add([]byte(tt.sent))
		}
	}
	f.Add([]byte(`{"tuple":[":proxy_url",{"tuple":["~r/a/","::ffff:1.2.3.4",{"tuple":[":args",["{1}"]]}]}]}`))
	f.Add([]byte(`[":\"\"a\"\"",": \" x \"","~r/a\\\\\\/b/U",":\"Elixir.Svc.A\"","~r(a)b)"]`))
	f.Fuzz(func(t *testing.T, sent []byte) {
		value, err := term.FromJSON(sent)
		if err != nil {
			if err.Error() == "" {
				t.Error("a refusal without words")
			}
			return
		}
		wire := value.JSON()
		if !json.Valid(wire) {
			t.Fatalf("%s is written as %s", sent, wire)
		}
		again, err := term.FromJSON(wire)
		if err != nil || !again.Equal(value) {
			t.Fatalf("%s is written as %s and read as %s, %v", value.Encode(), wire, again.Encode(), err)
		}
		stored, err := term.Decode(value.Encode())
		if err != nil || !stored.Equal(value) || stored.Encode() != value.Encode() {
			t.Fatalf("stored %s comes back as %s, %v", value.Encode(), stored.Encode(), err)
		}
		if merged := term.SaveFor(":svc", ":emoji", value, value); !merged.Equal(value) && !value.IsKeyword() {
			t.Fatalf("%s over itself is %s", value.Encode(), merged.Encode())
		}
		for _, key := range value.Keys() {
			if _, ok := value.Get(key); !ok {
				t.Errorf("%s has the key %s, and has it not", value.Encode(), key)
			}
		}
		if _, err := json.Marshal(value.Plain()); err != nil {
			t.Errorf("%s: %v", value.Encode(), err)
		}
	})
}

// FuzzStorage decodes any text. Accepted text has one spelling.
func FuzzStorage(f *testing.F) {
	for _, stored := range []string{`1`, `"a"`, `{"a":"b"}`, `{"m":"Svc.X"}`, `{"f":"0.1"}`, `{"r":["a","i"]}`, `{"o":"x"}`, `{"t":[1,null]}`, `{"d":[["b",1],["a",2],["b",3]]}`, ` [true , -0]`} {
		f.Add(stored)
	}
	f.Fuzz(func(t *testing.T, stored string) {
		value, err := term.Decode(stored)
		if err != nil {
			return
		}
		again, err := term.Decode(value.Encode())
		if err != nil || !again.Equal(value) || again.Encode() != value.Encode() {
			t.Fatalf("%s is stored as %s and read as %s, %v", stored, value.Encode(), again.Encode(), err)
		}
		if !json.Valid(value.JSON()) {
			t.Fatalf("%s is written as %s", stored, value.JSON())
		}
	})
}

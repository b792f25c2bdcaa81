package output

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

func TestFieldsAreListedTwoDeep(t *testing.T) {
	var out bytes.Buffer
	p, err := New(&out, Options{Fields: "?"}, Screen{}, now)
	if err != nil {
		t.Fatal(err)
	}
	done, err := posts.ShowFields(p)
	if diff := cmp.Diff("at\nauthor\nauthor.acct\nid\nlikes\ntext\n", out.String()); !done || err != nil || diff != "" {
		t.Errorf("%t, %v (-want +got):\n%s", done, err, diff)
	}
	if p, err = New(&out, Options{Fields: "id"}, Screen{}, now); err != nil {
		t.Fatal(err)
	}
	if done, err := posts.ShowFields(p); done || err != nil {
		t.Errorf("a field's name lists them: %t, %v", done, err)
	}
}

func TestCellOf(t *testing.T) {
	for value, want := range map[string]string{
		``: "", `null`: "", `"a\nb"`: "a\nb", `12345678901234567890`: "12345678901234567890", `true`: "true",
		`[1, "a"]`: `[1,"a"]`, `{ "a": 1.0 }`: `{"a":1.0}`,
	} {
		var doc json.RawMessage
		if value != "" {
			doc = json.RawMessage(value)
		}
		if got := CellOf(doc); got != want {
			t.Errorf("CellOf(%s) = %q, want %q", value, got, want)
		}
	}
}

func TestYAMLSaysWhatJSONSays(t *testing.T) {
	const doc = `{"z":[],"a":{},"null":null,"true":"true","n":"12","f":-1.5e3,"text":"a\tb\r\nc","evil":"\u0007\u009b\u202e\u2028","beyond":"\ud83d\ude00 \udb40\udc41","key\u001b":[[1],[{"x":false}]],"empty":""}`
	out, err := toYAML([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range string(out) {
		if r != '\n' && unsafeRune(r) {
			t.Errorf("yaml holds %U:\n%s", r, out)
		}
	}
	var read, want, got any
	if err := yaml.Unmarshal(out, &read); err != nil {
		t.Fatalf("%v in\n%s", err, out)
	}
	back, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]*any{doc: &want, string(back): &got} {
		if err := json.Unmarshal([]byte(from), to); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-json +yaml):\n%s\n%s", diff, out)
	}
	if _, err := toYAML([]byte(`{"a":`)); err == nil {
		t.Error("half an object becomes yaml")
	}
}

package tui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/tui/keys"
)

func TestKeysOfTheFileAreReadAndChecked(t *testing.T) {
	got, err := keys.Read(map[string]any{"resolve": "R", "close": []any{"f5", "ctrl-x"}, "mark": "space", "note": []any{}, "top": ";;", "users": 2})
	want := map[string][]string{"resolve": {"R"}, "close": {"f5", "ctrl+x"}, "mark": {" "}, "note": {}, "top": {";;"}, "users": {"2"}}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	for want, raw := range map[string]map[string]any{
		`keys: resolve: there is no key "hyperx"`:                          {"resolve": "hyperx"},
		`keys: resolve: there is no key ""`:                                {"resolve": ""},
		`keys: resolve: there is no key "\x1b"`:                            {"resolve": "\x1b"},
		`keys: resolve: give a key or a list of keys, with quotation mark`: {"resolve": true},
		`keys: there is no command "fly"`:                                  {"fly": "f"},
		`means both`:                                                       {"resolve": "c"},
		`cannot be told apart`:                                             {"resolve": "g"},
		`keys: help needs a key`:                                           {"help": []any{}},
	} {
		if _, err := keys.Read(raw); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %s", raw, err, want)
		}
	}
}

// TestReboundKeysAreTheOnesShown rebinds what the texts of screens name.
func TestReboundKeysAreTheOnesShown(t *testing.T) {
	keys, err := keys.Read(map[string]any{
		"resolve": "R", "undo": "ctrl-x", "back": []any{"Q", "esc"}, "help": "F2", "show-cw": "f3", "relays.follow": "ctrl-f", "merge": ",",
	})
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t)
	w.Answers["relay"] = []any{}
	d := beginIn(t, w, 120, 40, t.TempDir(), Options{Keys: keys})
	d.shows("R resolve", "hidden: F3")
	d.press("r")
	d.hides("OUTBOX")
	d.press("R")
	d.shows("OUTBOX 1", "ctrl-x cancel")
	d.press("/zebra<enter>")
	d.shows("nothing matches /zebra; Q shows all")
	d.press("4")
	d.shows("ctrl-f follows one")
	d.press("<f2>")
	d.shows("HELP", "ctrl-x")
}

func TestSavedFiltersAreOfferedByName(t *testing.T) {
	filters := map[string]string{"bad": "@bad.example", "words": "wrong opinions", "waiting": "state:need_approval"}
	if err := CheckFilters(filters); err != nil {
		t.Fatal(err)
	}
	d := beginIn(t, newWorld(t), 80, 24, t.TempDir(), Options{Filters: filters})
	d.press("/")
	d.shows(" tab: bad, words")
	d.hides("waiting")
	d.press("<tab>")
	d.shows("/@bad.example_")
	d.press("<tab>")
	d.shows("/wrong opinions_", "kay@loud.example")
	d.hides("spam1")
	d.press("<tab><enter>")
	d.shows("spam1@bad.example")
	d.hides("kay@loud.example")
	d.press("/<ctrl+u>words<enter>") // by name
	d.shows("kay@loud.example")
	d.press("2/")
	d.shows(" tab: bad, waiting, words")
	for want, f := range map[string]string{"filters: x: there is no filter foo:": "foo:bar", "filters: x is empty": " ", "filters: x: state: is one of": "state:nope"} {
		if err := CheckFilters(map[string]string{"x": f}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", f, err)
		}
	}
}

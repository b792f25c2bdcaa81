package view

import (
	"bytes"
	"encoding/json"
	"slices"

	"svc/server/platform/text"
	"svc/server/rules/auth"
)

// Reader returns a function that adapts finished JSON to its reader, nil if no
// change is needed. Readers who want no rich text get simple markup, and apps that do not
// know the visibilities local and list, and the filter action blur, get the nearest known
// ones.
func (v *View) Reader(id *auth.Identity) func(raw []byte) []byte {
	if id == nil {
		return nil
	}
	apps := v.settings.Load().Compatibility.StrictClients
	strict := len(apps) > 0 && (slices.Contains(apps, "*") || slices.Contains(apps, id.App.Name))
	plain := id.Account != nil && id.Account.NoRichText
	if !strict && !plain {
		return nil
	}
	return func(raw []byte) []byte {
		if plain {
			raw = stripContents(raw, v.settings.Texts())
		}
		if strict {
			for _, w := range strictWords {
				raw = bytes.ReplaceAll(raw, w.own, w.known)
			}
		}
		return raw
	}
}

// strictWords are values with their names as strict apps must not see them, and what they
// see instead. The default visibility is never list.
var strictWords = []struct{ own, known []byte }{
	{[]byte(`"visibility":"local"`), []byte(`"visibility":"unlisted"`)},
	{[]byte(`"visibility":"list"`), []byte(`"visibility":"direct"`)},
	{[]byte(`"privacy":"local"`), []byte(`"privacy":"unlisted"`)},
	{[]byte(`"posting:default:visibility":"local"`), []byte(`"posting:default:visibility":"unlisted"`)},
	{[]byte(`"filter_action":"blur"`), []byte(`"filter_action":"warn"`)},
}

// stripContents leaves simple markup in every "content" of raw that is a text.
// In a JSON string quotes are escaped, so the name cannot stand inside one.
func stripContents(raw []byte, rules *text.Rules) []byte {
	const name = `"content":"`
	out := make([]byte, 0, len(raw))
	for {
		i := bytes.Index(raw, []byte(name))
		if i < 0 {
			return append(out, raw...)
		}
		start := i + len(name) - 1
		end := start + 1
		for end < len(raw) && raw[end] != '"' {
			if raw[end] == '\\' {
				end++
			}
			end++
		}
		var content string
		if end >= len(raw) || json.Unmarshal(raw[start:end+1], &content) != nil {
			return append(out, raw...)
		}
		out = append(out, raw[:start]...)
		stripped, err := json.Marshal(rules.StripRich(content))
		if err != nil {
			return append(out, raw[start:]...)
		}
		out = append(out, plainHTML(stripped)...)
		raw = raw[end+1:]
	}
}

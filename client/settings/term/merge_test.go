package term_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/settings/term"
)

// instance is the row after example 4.
const instance = `[{"tuple":[":limit",3000]},{"tuple":[":chat_limit",1000]}]`

func TestSavingMergesPairByPair(t *testing.T) {
	for _, tt := range []struct {
		name, group, key, row, submitted, want string
	}{
		{
			"example 8: a list is replaced, the rest stays in front", ":svc", ":mrf_simple",
			`[{"tuple":[":reject",["bad.example","*.worse.example"]]},{"tuple":[":media_nsfw",["lewd.example"]]}]`,
			`[{"tuple":[":reject",["bad.example"]]}]`,
			`[{"tuple":[":media_nsfw",["lewd.example"]]},{"tuple":[":reject",["bad.example"]]}]`,
		},
		{
			"example 10: a subkey that is replaced whole comes first", ":svc", ":mrf_keyword",
			`[{"tuple":[":reject",["~r/cheap watches/i","spamword"]]},{"tuple":[":replace",[{"tuple":["foo","bar"]}]]}]`,
			`[{"tuple":[":replace",[]]}]`,
			`[{"tuple":[":replace",[]]},{"tuple":[":reject",["~r/cheap watches/i","spamword"]]}]`,
		},
		{
			"a subkey that is replaced whole, not saved before", ":svc", ":mrf_keyword",
			`[{"tuple":[":reject",["a"]]}]`, `[{"tuple":[":replace",[]]}]`,
			`[{"tuple":[":reject",["a"]]},{"tuple":[":replace",[]]}]`,
		},
		{
			"of the same name elsewhere", ":other", ":mrf_keyword",
			`[{"tuple":[":replace",[{"tuple":[":a",1]}]]},{"tuple":[":x",1]}]`, `[{"tuple":[":replace",[{"tuple":[":b",2]}]]}]`,
			`[{"tuple":[":x",1]},{"tuple":[":replace",[{"tuple":[":a",1]},{"tuple":[":b",2]}]]}]`,
		},
		{
			"emoji groups", ":svc", ":emoji",
			`[{"tuple":[":x",1]},{"tuple":[":groups",[{"tuple":[":A","/a"]}]]}]`, `[{"tuple":[":groups",[{"tuple":[":B","/b"]}]]},{"tuple":[":y",2]}]`,
			`[{"tuple":[":groups",[{"tuple":[":B","/b"]}]]},{"tuple":[":x",1]},{"tuple":[":y",2]}]`,
		},
		{
			"mascots, retries and subchains likewise", ":svc", ":assets",
			`[{"tuple":[":mascots",[{"tuple":[":a",{":url":"1"}]}]]}]`, `[{"tuple":[":mascots",[{"tuple":[":b",{":url":"2"}]}]]}]`,
			`[{"tuple":[":mascots",[{"tuple":[":b",{":url":"2"}]}]]}]`,
		},
		{
			"retries", ":svc", ":workers",
			`[{"tuple":[":retries",[{"tuple":[":federator_incoming",1]}]]}]`, `[{"tuple":[":retries",[{"tuple":[":federator_outgoing",2]}]]}]`,
			`[{"tuple":[":retries",[{"tuple":[":federator_outgoing",2]}]]}]`,
		},
		{
			"example 12: deep", ":svc", ":welcome",
			`[{"tuple":[":direct_message",[{"tuple":[":enabled",true]},{"tuple":[":sender_nickname","admin"]},{"tuple":[":message","Hello!"]}]]}]`,
			`[{"tuple":[":direct_message",[{"tuple":[":message","Hi!"]}]]}]`,
			`[{"tuple":[":direct_message",[{"tuple":[":enabled",true]},{"tuple":[":sender_nickname","admin"]},{"tuple":[":message","Hi!"]}]]}]`,
		},
		{
			"maps are replaced whole", ":svc", ":instance",
			`[{"tuple":[":poll_limits",{":max_options":10,":min_expiration":5}]}]`, `[{"tuple":[":poll_limits",{":max_options":20}]}]`,
			`[{"tuple":[":poll_limits",{":max_options":20}]}]`,
		},
		{"nothing over pairs changes nothing", ":svc", ":instance", instance, `[]`, instance},
		{"a plain value is replaced", ":cors_plug", ":max_age", `600`, `700`, `700`},
		{"a plain list is replaced", ":svc", ":unknown", `["a"]`, `["b"]`, `["b"]`},
		{"nothing over a plain list replaces it", ":svc", ":unknown", `["a"]`, `[]`, `[]`},
		{"a plain list over pairs replaces them", ":svc", ":unknown", instance, `["b"]`, `["b"]`},
		{"keys that are replaced whole", ":quack", ":meta", `[{"tuple":[":a",1]}]`, `[{"tuple":[":b",1]}]`, `[{"tuple":[":b",1]}]`},
		{"the same key in another group", ":svc", ":meta", `[{"tuple":[":a",1]}]`, `[{"tuple":[":b",1]}]`, `[{"tuple":[":a",1]},{"tuple":[":b",1]}]`},
		{"CORS lists", ":cors_plug", ":methods", `[{"tuple":[":a",1]}]`, `[]`, `[]`},
		{"types", ":mime", ":types", `[{"tuple":[":a",1]}]`, `[]`, `[]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := term.SaveFor(tt.group, tt.key, read(t, tt.row), read(t, tt.submitted))
			if diff := cmp.Diff(tt.want, string(got.JSON())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestARowLiesOverTheDefault(t *testing.T) {
	for _, tt := range []struct {
		name, group, key, standard, row, want string
	}{
		{"pairs of the row come last", ":svc", ":instance", `[{"tuple":[":limit",5000]},{"tuple":[":name","a"]},{"tuple":[":chat_limit",5]}]`, instance, `[{"tuple":[":name","a"]},{"tuple":[":limit",3000]},{"tuple":[":chat_limit",1000]}]`},
		{"keys replaced on saving are merged here", ":quack", ":meta", `[{"tuple":[":a",1]}]`, `[{"tuple":[":b",1]}]`, `[{"tuple":[":a",1]},{"tuple":[":b",1]}]`},
		{"subkeys replaced on saving are replaced here", ":svc", ":mrf_subchain", `[{"tuple":[":match_actor",[{"tuple":[":a",1]}]]}]`, `[{"tuple":[":match_actor",[]]}]`, `[{"tuple":[":match_actor",[]]}]`},
		{"a row that is no list wins whole", ":svc", ":x", `[{"tuple":[":a",1]}]`, `7`, `7`},
		{"a default that is no list loses whole", ":svc", ":x", `7`, `[{"tuple":[":a",1]}]`, `[{"tuple":[":a",1]}]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := term.MergeFor(tt.group, tt.key, read(t, tt.standard), read(t, tt.row))
			if diff := cmp.Diff(tt.want, string(got.JSON())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSubkeysLeaveASavedList(t *testing.T) {
	mailer := `[{"tuple":[":enabled",true]},{"tuple":[":adapter","Swoosh.Adapters.SMTP"]},{"tuple":[":relay","smtp.my.example"]},{"tuple":[":port",465]}]`
	for _, tt := range []struct {
		name, row string
		subkeys   []string
		want      string
	}{
		{"example 14: unknown ones do not matter", mailer, []string{":relay", ":port", ":username"}, `[{"tuple":[":enabled",true]},{"tuple":[":adapter","Swoosh.Adapters.SMTP"]}]`},
		{"example 24", instance, []string{":limit"}, `[{"tuple":[":chat_limit",1000]}]`},
		{"all", instance, []string{":limit", ":chat_limit"}, `[]`},
		{"none", instance, nil, instance},
		{"not trimmed", instance, []string{" :limit", "~r"}, instance},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(t, tt.row).Without(tt.subkeys)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got.JSON())); diff != "" {
				t.Error(diff)
			}
		})
	}
	if _, err := integer(5).Without([]string{":a"}); err == nil {
		t.Error("a plain value has subkeys")
	}
}

package config

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/settings/term"
)

func saved(t *testing.T, key, value string) Saved {
	t.Helper()
	v, err := term.FromJSON(json.RawMessage(value))
	if err != nil {
		t.Fatal(err)
	}
	return Saved{Group: ":svc", Key: key, Value: v}
}

func TestOldNamesAreMapped(t *testing.T) {
	for _, tt := range []struct {
		name, key, value string
		want             []string
	}{
		{"policies", ":instance", `[{"tuple":[":rewrite_policy","Svc.Web.ActivityPub.MRF.DropPolicy"]},{"tuple":[":mrf_transparency",false]},{"tuple":[":mrf_transparency_exclusions",["a.example"]]},{"tuple":[":name","x"]}]`, []string{
			`:mrf [{"tuple":[":policies","Svc.Web.ActivityPub.MRF.DropPolicy"]},{"tuple":[":transparency",false]},{"tuple":[":transparency_exclusions",["a.example"]]}]`,
			`:instance [{"tuple":[":name","x"]}]`,
		}},
		{"welcome", ":instance", `[{"tuple":[":welcome_user_nickname","admin"]},{"tuple":[":welcome_message","Hello"]}]`, []string{
			`:welcome [{"tuple":[":direct_message",[{"tuple":[":enabled",true]},{"tuple":[":sender_nickname","admin"]},{"tuple":[":message","Hello"]}]]}]`,
		}},
		{"no welcome", ":instance", `[{"tuple":[":welcome_message",null]}]`, []string{
			`:welcome [{"tuple":[":direct_message",[{"tuple":[":enabled",false]},{"tuple":[":message",null]}]]}]`,
		}},
		{"expiry", "Svc.ActivityExpiration", `[{"tuple":[":enabled",false]}]`, []string{`Svc.Workers.PurgeExpiredActivity [{"tuple":[":enabled",false]}]`}},
		{"addresses", "Svc.Plugs.RemoteIp", `[{"tuple":[":enabled",false]}]`, []string{`Svc.Web.Plugs.RemoteIp [{"tuple":[":enabled",false]}]`}},
		{"connections", ":connections_pool", `[{"tuple":[":await_up_timeout",7]},{"tuple":[":retry",1]}]`, []string{`:connections_pool [{"tuple":[":connect_timeout",7]},{"tuple":[":retry",1]}]`}},
		{"connections, both named", ":connections_pool", `[{"tuple":[":await_up_timeout",7]},{"tuple":[":connect_timeout",8]}]`, []string{`:connections_pool [{"tuple":[":await_up_timeout",7]},{"tuple":[":connect_timeout",8]}]`}},
		{"pools", ":pools", `[{"tuple":[":media",[{"tuple":[":size",5]},{"tuple":[":timeout",9]}]]}]`, []string{`:pools [{"tuple":[":media",[{"tuple":[":size",5]},{"tuple":[":recv_timeout",9]}]]}]`}},
		{"thread", ":mrf_hellthread", `[{"tuple":[":threshold",5]}]`, []string{`:mrf_hellthread [{"tuple":[":reject_threshold",5]}]`}},
		{"hosts", ":media_proxy", `[{"tuple":[":whitelist",["a.example","http://b.example"]]}]`, []string{`:media_proxy [{"tuple":[":whitelist",["https://a.example","http://b.example"]]}]`}},
		{"names of today", ":instance", `[{"tuple":[":name","x"]}]`, []string{`:instance [{"tuple":[":name","x"]}]`}},
		{"nothing said", ":instance", `[]`, []string{`:instance []`}},
		{"no list", ":instance", `5`, []string{`:instance 5`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, s := range Modern([]Saved{saved(t, tt.key, tt.value)}) {
				got = append(got, fmt.Sprintf("%s %s", s.Key, s.Value))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNamesOfTodayLieOverOldOnes(t *testing.T) {
	in := []Saved{saved(t, ":mrf", `[{"tuple":[":transparency",true]}]`), saved(t, ":instance", `[{"tuple":[":mrf_transparency",false]}]`)}
	var got []string
	for _, s := range Modern(in) {
		got = append(got, fmt.Sprintf("%s %s", s.Key, s.Value))
	}
	want := []string{`:mrf [{"tuple":[":transparency",false]}]`, `:mrf [{"tuple":[":transparency",true]}]`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

package config

import (
	"encoding/json"
	"strings"
	"testing"

	"svc/client/settings/term"
)

// TestSecretsOfSettingsThatSvcDoesNotKnowAreMasked has "hidden" wherever a secret is, and
// keeps all else. What is posted back as it was shown is the saved value again.
func TestSecretsOfSettingsThatSvcDoesNotKnowAreMasked(t *testing.T) {
	for _, tt := range []struct{ group, key, value string }{
		{":svc", ":some_token", `"hidden"`},
		{":other", ":api_key", `"hidden"`},
		{":other", "Some.Adapter", `[{"tuple":[":api_key","hidden"]},{"tuple":[":region","eu"]},{"tuple":[":token_expires_in",600]},{"tuple":[":use_keys",true]}]`},
		{":svc", ":instance", `[{"tuple":[":name","Shown"]},{"tuple":[":bot_password","hidden"]}]`},
		{":svc", ":bridge", `[{"tuple":[":login",{"tuple":["kim","shown"]}]},{"tuple":[":secrets",["hidden","hidden"]]},{"tuple":[":tokens",{"a":"hidden","b":"hidden"}]}]`},
		{":svc", ":bridge", `[{"tuple":[":headers",[{"tuple":["Authorization","hidden"]},{"tuple":["Accept","shown"]},{"tuple":["x-api-key","hidden"]},{"tuple":["Cookie","hidden"]}]]}]`},
		{":svc", "Svc.Web.MediaProxy.Invalidation.Http", `[{"tuple":[":method",":purge"]},{"tuple":[":headers",[{"tuple":["Authorization","hidden"]},{"tuple":["x-refresh","shown"]}]]},{"tuple":[":options",[{"tuple":[":basic_auth",{"tuple":["hidden","hidden"]}]}]]}]`},
		{":other", ":database", `"hidden url"`},
		{":svc", ":bridge", `[{"tuple":[":url","hidden url"]},{"tuple":[":servers",["hidden url","https://kim@host.example/","https://host.example/a:b@c"]]}]`},
		{":svc", ":mrf_keyword", `[{"tuple":[":reject",["key","token"]]},{"tuple":[":replace",[{"tuple":["token","shown"]}]]}]`},
		{":svc", ":mrf_simple", `[{"tuple":[":reject",[{"tuple":["token.example","shown"]}]]}]`},
		{":ueberauth", "Some.Strategy", `[{"tuple":[":client_id","shown"]},{"tuple":[":client_secret","hidden"]}]`},
	} {
		masked := strings.NewReplacer(`"hidden"`, `"`+Mask+`"`, `"hidden url"`, `"`+Mask+`"`).Replace(tt.value)
		saved, err := term.FromJSON(json.RawMessage(strings.ReplaceAll(tt.value, "hidden url", "amqp://kim:hidden@host.example/%2f?x=1")))
		if err != nil {
			t.Fatalf("%s: %v", tt.value, err)
		}
		shown := Redact(tt.group, tt.key, saved)
		want, err := term.FromJSON(json.RawMessage(masked))
		if err != nil {
			t.Fatal(err)
		}
		if shown.String() != want.String() {
			t.Errorf("%s %s shows %s, want %s", tt.group, tt.key, shown, want)
		}
		if again, ok := Unmask(tt.group, tt.key, shown, saved); !ok || !again.Equal(saved) {
			t.Errorf("%s %s posted back is %s, %v, want %s", tt.group, tt.key, again, ok, saved)
		}
		if sent := RedactFrom(tt.group, tt.key, saved, saved); !sent.Equal(saved) {
			t.Errorf("%s %s shows its sender %s", tt.group, tt.key, sent)
		}
	}
}

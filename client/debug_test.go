package client

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSettingsAreShownWithoutTheirSecrets(t *testing.T) {
	for doc, want := range map[string]string{
		`{"configs":[{"group":":svc","key":"Svc.Emails.Mailer","value":[{"tuple":[":password","geheim"]},{"tuple":[":port",25]}]}]}`: `{"configs":[{"group":":svc","key":"Svc.Emails.Mailer","value":[{"tuple":[":password","***"]},{"tuple":[":port",25]}]}]}`,
		`{"key":":admin_token","value":"geheim"}`:                          `{"key":":admin_token","value":"***"}`,
		`{"tuple":[":secret_access_key","geheim"]}`:                        `{"tuple":[":secret_access_key","***"]}`,
		`{"tuple":[":auth",{"tuple":[":basic","me","geheim"]}]}`:           `{"tuple":[":auth",{"tuple":[":basic","me","***"]}]}`,
		`{"tuple":[":password_reset",{"tuple":[1800000,5]}]}`:              `{"tuple":[":password_reset",{"tuple":[1800000,5]}]}`,
		`{"users":[{"nickname":"kim","password":"geheim"}],"token":"abc"}`: `{"token":"***","users":[{"nickname":"kim","password":"***"}]}`,
		`{"key":":limit","value":"plain"}`:                                 `{"key":":limit","value":"plain"}`,
	} {
		if diff := cmp.Diff(want, string(maskBody(jsonType, []byte(doc)))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", doc, diff)
		}
	}
}

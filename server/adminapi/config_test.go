package adminapi_test

import (
	"encoding/json"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/servertest"
)

func TestASettingActsAtOnce(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		root := s.Admin("root")
		answer, err := root.Admin.Config.Set(ctx, ":svc", ":instance", client.Keyword(":limit", 3000, ":chat_limit", 1000))
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := json.Marshal(answer)
		if want := `{"configs":[{"group":":svc","key":":instance","value":[{"tuple":[":limit",3000]},{"tuple":[":chat_limit",1000]}],"db":[":limit",":chat_limit"]}],"need_reboot":false}`; string(raw) != want {
			t.Errorf("%s", raw)
		}
		instance, err := s.Anonymous().Instance.Get(ctx)
		if err != nil || instance.MaxTootChars != 3000 {
			t.Errorf("%+v %v", instance, err)
		}
		all, err := root.Admin.Config.List(ctx, api.ConfigQuery{})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range all.Configs {
			if c.Key == ":instance" {
				t.Logf("%s %s", c.Value, c.DB)
			}
		}
	})
}

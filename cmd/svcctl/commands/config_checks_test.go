package commands

import (
	"encoding/json"
	"fmt"
	"testing"

	"svc/client/settings"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// TestEveryBuiltInValueFitsItsDescription has a file with each built-in value,
// compared with the descriptions alone: a check that refused one would refuse what
// the server takes.
func TestEveryBuiltInValueFitsItsDescription(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		all, err := s.Admin("mika").Admin.Config.Descriptions(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		tried := 0
		for _, row := range config.Honoured() {
			term, ok := row.DefaultTerm()
			if !ok {
				continue
			}
			doc := string(term.JSON())
			for i := len(row.Path) - 1; i >= 0; i-- {
				if row.Map && i == len(row.Path)-1 {
					doc = fmt.Sprintf(`{%q:%s}`, row.Path[i], doc)
				} else {
					doc = fmt.Sprintf(`[{"tuple":[%q,%s]}]`, row.Path[i], doc)
				}
			}
			v, err := settings.ParseJSON(json.RawMessage(doc))
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range settings.Check(all, nil, []settings.Setting{{Group: row.Group, Key: row.Key, Value: &v}}) {
				t.Errorf("%s: %s", doc, r)
			}
			tried++
		}
		if tried < 200 {
			t.Errorf("only %d values tried", tried)
		}
	})
}

package settings_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/rules/settings"
)

// told is the history as text, the latest first.
func (p process) told(t *testing.T, group, key string, before int64, limit int) (lines []string, ids []int64) {
	t.Helper()
	past, err := p.History(t.Context(), root, group, key, before, limit)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range past {
		line := c.Key
		if c.Before != nil {
			line += " from " + c.Before.String()
		}
		if c.After != nil {
			line += " to " + c.After.String()
		}
		if c.Secret {
			line += " and a secret"
		}
		lines, ids = append(lines, line), append(ids, c.ID)
	}
	return lines, ids
}

// TestHistoryKeepsWhatWasBefore also holds that secrets are in no row, that what
// changes nothing leaves none, and that a refused request leaves none.
func TestHistoryKeepsWhatWasBefore(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		p := open(t, d, on)
		p.update(t, set(":instance", `[{"tuple":[":limit",3000]}]`))
		p.update(t, set(":instance", `[{"tuple":[":limit",3000]}]`)) // the same
		p.update(t, set(":instance", `[{"tuple":[":limit",4000]}]`), set("Svc.Captcha", `[{"tuple":[":enabled",false]}]`))
		p.update(t, settings.Change{Group: ":svc", Key: ":instance", Delete: true})
		if _, err := p.Update(t.Context(), root, []settings.Change{set(":chat", `[{"tuple":[":enabled",false]}]`), set(":instance", `[{"tuple":[":limit","x"]}]`)}); err == nil {
			t.Error("a wrong type was saved")
		}
		lines, ids := p.told(t, "", "", 0, 20)
		want := []string{
			`:instance from [{"tuple":[":limit",4000]}]`,
			`Svc.Captcha to [{"tuple":[":enabled",false]}]`,
			`:instance from [{"tuple":[":limit",3000]}] to [{"tuple":[":limit",4000]}]`,
			`:instance to [{"tuple":[":limit",3000]}]`,
		}
		if diff := cmp.Diff(want, lines); diff != "" {
			t.Errorf("history (-want +got):\n%s", diff)
		}
		if len(ids) != 4 {
			return
		}
		page, _ := p.told(t, ":svc", ":instance", ids[0], 1)
		if diff := cmp.Diff([]string{want[2]}, page); diff != "" {
			t.Errorf("a page of one key (-want +got):\n%s", diff)
		}
		for _, password := range []string{"geheim1", "geheim2"} {
			value, err := json.Marshal([]any{map[string]any{"tuple": []any{":password", password}}})
			if err != nil {
				t.Fatal(err)
			}
			p.update(t, set("Svc.Emails.Mailer", string(value)))
		}
		rows, err := d.SettingChanges(t.Context(), ":svc", "Svc.Emails.Mailer", 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		if text := string(mustJSON(t, rows)); strings.Contains(text, "geheim") || len(rows) != 2 || !rows[0].Secret {
			t.Errorf("rows of a secret: %s", text)
		}
	})
}

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	doc, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		err := d.Tx(t.Context(), func(tx *db.DB) error {
			for i := range 1003 {
				if err := tx.AddSettingChange(t.Context(), &db.SettingChange{Grp: ":svc", Key: fmt.Sprint(i)}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := d.SettingChanges(t.Context(), "", "", 0, 2000)
		if err != nil {
			t.Fatal(err)
		}
		if len(rows) != 1000 || rows[0].Key != "1002" || rows[999].Key != "3" {
			t.Errorf("%d rows are kept", len(rows))
		}
	})
}

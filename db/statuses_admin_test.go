package db_test

import (
	"errors"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

func TestAdminsListStatusesOfEveryKind(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		all := crowd(t, d)
		names := map[string]string{} // by id
		ids := map[string]string{}
		post := func(name, author, visibility string, reblogOf string) {
			t.Helper()
			a := all[author]
			uri := "https://" + a.Domain + "/s/" + name
			s := &db.Status{ID: d.NewID(), AccountID: a.ID, URI: &uri, Local: a.Local, Visibility: visibility, CreatedAt: d.Now()}
			if a.Local {
				uri = dbtest.Base + "/s/" + name
			}
			if reblogOf != "" {
				of, err := d.StatusByID(ctx, ids[reblogOf])
				if err != nil {
					t.Fatal(err)
				}
				s.ReblogOfID, s.ReblogOfAccountID = &of.ID, &of.AccountID
			}
			if err := d.CreateStatus(ctx, s); err != nil {
				t.Fatal(err)
			}
			names[s.ID], ids[name] = name, s.ID
		}
		post("p1", "anna", db.Public, "")
		post("u1", "anna", db.Unlisted, "")
		post("f1", "anna", db.Private, "")
		post("d1", "Bert", db.Direct, "")
		post("l1", "Bert", db.Local, "")
		post("r1", "erik@one.example", db.Public, "")
		post("rd", "erik@one.example", db.Direct, "")
		post("gone", "frida@two.example", db.Public, "")
		post("off", "carl_x", db.Public, "")
		post("relayed", "relay", db.Public, "")
		post("b1", "Bert", db.Public, "p1")
		post("b2", "erik@one.example", db.Public, "p1")
		post("b3", "Bert", db.Public, "off")
		post("b4", "carl_x", db.Public, "p1")
		for name, test := range map[string]struct {
			f    db.AdminStatusFilter
			want string
		}{
			"all":                      {db.AdminStatusFilter{}, "off gone r1 u1 p1"},
			"godmode":                  {db.AdminStatusFilter{All: true}, "off gone rd r1 l1 d1 f1 u1 p1"},
			"with reblogs":             {db.AdminStatusFilter{Reblogs: true}, "b4 b3 b2 b1 off gone r1 u1 p1"},
			"local":                    {db.AdminStatusFilter{Local: true}, "off u1 p1"},
			"local, godmode, reblogs":  {db.AdminStatusFilter{Local: true, All: true, Reblogs: true}, "b4 b3 b1 off l1 d1 f1 u1 p1"},
			"of a host":                {db.AdminStatusFilter{Host: "one.example"}, "r1"},
			"of a host, all":           {db.AdminStatusFilter{Host: "one.example", All: true, Reblogs: true}, "b2 rd r1"},
			"of a deactivated host":    {db.AdminStatusFilter{Host: "two.example", All: true}, "gone"},
			"of an account":            {db.AdminStatusFilter{AccountID: all["anna"].ID}, "u1 p1"},
			"of an account, all":       {db.AdminStatusFilter{AccountID: all["Bert"].ID, All: true, Reblogs: true}, "b3 b1 l1 d1"},
			"of a deactivated account": {db.AdminStatusFilter{AccountID: all["carl_x"].ID, All: true, Reblogs: true}, "b4 off"},
		} {
			rows, err := d.AdminStatuses(ctx, test.f, db.NumberedPage{Number: 1, Size: 50})
			var got []string
			for _, r := range rows {
				got = append(got, names[r.ID])
			}
			if err != nil || strings.Join(got, " ") != test.want {
				t.Errorf("%s: %q, %v; want %q", name, got, err, test.want)
			}
		}
		rows, err := d.AdminStatuses(ctx, db.AdminStatusFilter{All: true}, db.NumberedPage{Number: 2, Size: 3})
		if err != nil || len(rows) != 3 || names[rows[0].ID] != "r1" {
			t.Errorf("second page %+v, %v", rows, err)
		}
		for name, found := range map[string]bool{"d1": true, "b1": true, "off": true, "b3": true, "relayed": false} {
			if _, err := d.AdminStatusRef(ctx, ids[name]); found != (err == nil) || err != nil && !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%s alone: %v", name, err)
			}
		}
		for host, known := range map[string]bool{"one.example": true, "three.example": false, "": false} {
			if got, err := d.KnowsHost(ctx, host); err != nil || got != known {
				t.Errorf("KnowsHost(%q) = %v, %v", host, got, err)
			}
		}
	})
}

package db_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
)

// crowd makes accounts of every kind, by nickname.
func crowd(t *testing.T, d *db.DB) map[string]*db.Account {
	t.Helper()
	ctx := t.Context()
	out := map[string]*db.Account{}
	add := func(nickname string, edit func(*db.Account)) {
		t.Helper()
		a := db.NewAccount(dbtest.Base, nickname)
		if _, host, remote := strings.Cut(nickname, "@"); remote {
			a.Local, a.Domain, a.URI = false, host, "https://"+host+"/users/x"+nickname
		}
		if edit != nil {
			edit(a)
		}
		if err := d.CreateAccount(ctx, a); err != nil {
			t.Fatal(err)
		}
		out[nickname] = a
	}
	add("anna", func(a *db.Account) { a.DisplayName = "ÄNNE Müller" })
	add("Bert", func(a *db.Account) { a.IsAdmin = true })
	add("carl_x", func(a *db.Account) { a.IsModerator, a.Deactivated = true, true })
	add("carlox", func(a *db.Account) { a.ApprovalPending, a.DisplayName = true, "100% Carlo" })
	add("dora", func(a *db.Account) { a.ConfirmationPending = true })
	add("erik@one.example", func(a *db.Account) { a.ActorType = "Service" })
	add("frida@two.example", func(a *db.Account) { a.Deactivated = true })
	add("relay", func(a *db.Account) { a.Invisible = true })
	add("internal.fetch", nil)
	if err := d.CreateUser(ctx, &db.User{AccountID: out["anna"].ID, Email: "Anna@Example.org", PasswordHash: "x", RegistrationReason: "why not"}); err != nil {
		t.Fatal(err)
	}
	for _, tag := range [][2]string{{"spam", "dora"}, {"spam", "erik@one.example"}, {"nsfw", "anna"}, {"nsfw", "relay"}} {
		out[tag[1]].Tags = db.Slice[string]{tag[0]}
		if err := d.UpdateAccount(ctx, out[tag[1]], "tags"); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Writer().ExecContext(ctx, "INSERT INTO account_tags (tag, account_id) VALUES ('"+tag[0]+"', '"+out[tag[1]].ID+"')"); err != nil {
			t.Fatal(err)
		}
	}
	return out
}

func TestUsersAreFilteredAndCounted(t *testing.T) {
	everybody := "anna Bert carl_x carlox dora erik@one.example frida@two.example"
	tests := map[string]struct {
		f    db.UserFilter
		want string
	}{
		"all":                               {db.UserFilter{}, everybody},
		"local":                             {db.UserFilter{Local: true}, "anna Bert carl_x carlox dora"},
		"external":                          {db.UserFilter{External: true}, "erik@one.example frida@two.example"},
		"local and external":                {db.UserFilter{Local: true, External: true}, ""},
		"active":                            {db.UserFilter{Active: true}, "anna Bert dora erik@one.example"},
		"active and deactivated":            {db.UserFilter{Active: true, Deactivated: true}, ""},
		"deactivated":                       {db.UserFilter{Deactivated: true}, "carl_x frida@two.example"},
		"local and deactivated":             {db.UserFilter{Local: true, Deactivated: true}, "carl_x"},
		"need approval":                     {db.UserFilter{NeedApprove: true}, "carlox"},
		"unconfirmed":                       {db.UserFilter{Unconfirmed: true}, "dora"},
		"admins":                            {db.UserFilter{Admins: true}, "Bert"},
		"moderators":                        {db.UserFilter{Moderators: true}, "carl_x"},
		"admins and moderators":             {db.UserFilter{Admins: true, Moderators: true}, ""},
		"active moderators":                 {db.UserFilter{Moderators: true, Active: true}, ""},
		"part of a nickname":                {db.UserFilter{Query: "CARL"}, "carl_x carlox"},
		"an underscore is itself":           {db.UserFilter{Query: "l_x"}, "carl_x"},
		"a per cent sign is itself":         {db.UserFilter{Query: "%"}, ""},
		"a backslash is itself":             {db.UserFilter{Query: `\`}, ""},
		"a domain":                          {db.UserFilter{Query: "one.example"}, "erik@one.example"},
		"nickname and domain":               {db.UserFilter{Query: "frida@two"}, "frida@two.example"},
		"part of a name, beyond ASCII":      {db.UserFilter{Name: "änne m"}, "anna"},
		"per cent in a name":                {db.UserFilter{Name: "100%"}, "carlox"},
		"email in any case":                 {db.UserFilter{Email: "aNNa@example.ORG"}, "anna"},
		"part of an email":                  {db.UserFilter{Email: "anna@example"}, ""},
		"a tag":                             {db.UserFilter{Tags: []string{"Spam"}}, "dora erik@one.example"},
		"any of two tags":                   {db.UserFilter{Tags: []string{"spam", "nsfw"}}, "anna dora erik@one.example"},
		"a tag and a filter":                {db.UserFilter{Tags: []string{"spam"}, Local: true}, "dora"},
		"a type":                            {db.UserFilter{ActorTypes: []string{"Service", "Group"}}, "erik@one.example"},
		"a query, a filter and a name":      {db.UserFilter{Query: "carl", NeedApprove: true, Name: "carlo"}, "carlox"},
		"a query that a filter contradicts": {db.UserFilter{Query: "carl", External: true}, ""},
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		crowd(t, d)
		for name, test := range tests {
			rows, total, err := d.AdminUsers(t.Context(), test.f, db.NumberedPage{Number: 1, Size: 50})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			var got []string
			for _, u := range rows {
				got = append(got, u.Nickname)
			}
			if diff := cmp.Diff(strings.Fields(test.want), got); diff != "" && test.want+strings.Join(got, "") != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
			if int(total) != len(strings.Fields(test.want)) {
				t.Errorf("%s: count %d, want %d", name, total, len(strings.Fields(test.want)))
			}
		}
	})
}

func TestPagesOfUsersMeetFromBothEnds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		seedMany(t, d)
		for _, f := range []db.UserFilter{{}, {Query: "user"}} {
			var got, want []string
			for i := range 100 {
				name := fmt.Sprintf("user%03d", i)
				if i%2 == 1 {
					name += "@one.example"
				}
				want = append(want, name)
			}
			for page := 1; page <= 16; page++ {
				rows, total, err := d.AdminUsers(t.Context(), f, db.NumberedPage{Number: page, Size: 7})
				if err != nil || total != 100 {
					t.Fatalf("page %d: total %d, %v", page, total, err)
				}
				for _, u := range rows {
					got = append(got, u.Nickname)
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		}
	})
}

// TestTalliesFollowEveryChange: totals read from tallies must equal the counted
// rows after any change.
func TestTalliesFollowEveryChange(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		all := crowd(t, d)
		dora := all["dora"]
		dora.ConfirmationPending, dora.IsAdmin, dora.Deactivated = false, true, true
		if err := d.UpdateAccount(ctx, dora, "confirmation_pending", "is_admin", "deactivated"); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Writer().ExecContext(ctx, "DELETE FROM accounts WHERE nickname = 'anna'"); err != nil {
			t.Fatal(err)
		}
		for name, f := range map[string]db.UserFilter{
			"all": {}, "local": {Local: true}, "admins": {Admins: true}, "deactivated": {Deactivated: true}, "unconfirmed": {Unconfirmed: true},
		} {
			rows, total, err := d.AdminUsers(ctx, f, db.NumberedPage{Number: 1, Size: 50})
			if err != nil || int(total) != len(rows) {
				t.Errorf("%s: tally %d, rows %d, %v", name, total, len(rows), err)
			}
		}
	})
}

func TestANewNameIsFound(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		a := crowd(t, d)["dora"]
		a.DisplayName = "Zoë"
		if err := d.UpdateAccount(ctx, a, "display_name"); err != nil {
			t.Fatal(err)
		}
		rows, total, err := d.AdminUsers(ctx, db.UserFilter{Name: "ZOË"}, db.NumberedPage{Number: 1, Size: 5})
		if err != nil || total != 1 || rows[0].Nickname != "dora" {
			t.Fatalf("%v, %d, %v", rows, total, err)
		}
	})
}

func TestAnAccountIsFoundByIdNumberAndNickname(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ctx := t.Context()
		a := crowd(t, d)["Bert"]
		for _, handle := range []string{a.ID, fmt.Sprint(a.Serial), "BERT"} {
			got, err := d.FindAccount(ctx, handle)
			if err != nil || got.ID != a.ID {
				t.Errorf("FindAccount(%q) = %v, %v", handle, got, err)
			}
		}
		for _, handle := range []string{"nobody", "99999", strings.ToLower(a.ID), ""} {
			if _, err := d.FindAccount(ctx, handle); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("FindAccount(%q) = %v, want ErrNotFound", handle, err)
			}
		}
	})
}

func TestListsCostTheSameWhateverTheirLength(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		seedMany(t, d)
		lists := map[string]func(ctx context.Context, size int) error{
			"users": func(ctx context.Context, size int) error {
				_, _, err := d.AdminUsers(ctx, db.UserFilter{}, db.NumberedPage{Number: 1, Size: size})
				return err
			},
			"reports": func(ctx context.Context, size int) error {
				_, _, err := d.Reports(ctx, db.ReportFilter{}, db.NumberedPage{Number: 1, Size: size})
				return err
			},
			"log": func(ctx context.Context, size int) error {
				_, err := d.Log(ctx, db.LogFilter{}, db.NumberedPage{Number: 1, Size: size})
				return err
			},
			"groups": func(ctx context.Context, size int) error {
				_, err := d.ReportGroups(ctx, db.NumberedPage{Number: 1, Size: size})
				return err
			},
		}
		for name, want := range map[string]int64{"users": 2, "reports": 2, "log": 1, "groups": 2} {
			for _, size := range []int{1, 100} {
				if name == "users" && size == 100 {
					want++ // for all of them who await approval
				}
				n := dbtest.Queries(t, func(ctx context.Context) {
					if err := lists[name](ctx, size); err != nil {
						t.Errorf("%s: %v", name, err)
					}
				})
				if n != want {
					t.Errorf("%s of %d: %d statements, want %d", name, size, n, want)
				}
			}
		}
	})
}

package tables

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
)

// invites shows the tokens with which people register while registration is
// closed, used ones too. n makes one for a number of accounts and days, m mails
// one, d revokes the chosen ones.
var invites = &Noun{
	Name: "invites", Key: "7", Help: "invitations", Needs: api.PrivilegeInvites,
	Columns: []Column{
		{Head: "STATE", Width: 12, Tone: true}, {Head: "USES", Width: 9}, {Head: "LAST DAY", Width: 10}, {Head: "KIND", Width: 21}, {Head: "TOKEN"},
	},
	Empty: "no invitations; {new} makes one",
	Rows: func(c *client.Client, _ Query) Reader {
		return paged(client.Whole(c.Admin.Invites.List), inviteRow)
	},
	Verbs: []Verb{
		{
			Key: "n", Name: "new", Help: "make an invitation: accounts, and days where it ends (5 7)", New: true, Once: true, Ask: "accounts [days]: ", Kind: action.InviteCreate,
			Made: func(_ Row, _ string, token safe.Safe) action.Result {
				target := "invite/" + token.String()
				return action.Result{Action: action.Action{Kind: action.InviteCreate, Target: target}, Outcome: action.Changed, Inverse: action.InviteCreate.Back(target, nil)}
			},
			Check: func(text string) error { _, err := newInvite(text); return err },
			Call: func(ctx context.Context, c *client.Client, _ Row, text string) (safe.Safe, error) {
				form, err := newInvite(text)
				if err != nil {
					return safe.Safe{}, err
				}
				invite, err := c.Admin.Invites.Create(ctx, form)
				if err != nil {
					return safe.Safe{}, err
				}
				return raw(invite.Token), nil
			},
		},
		{
			Key: "m", Name: "mail", Help: "mail an invitation for one account", New: true, Ask: "address: ", Kind: action.InviteEmail,
			Made: func(_ Row, address string, _ safe.Safe) action.Result {
				return action.Result{Action: action.Action{Kind: action.InviteEmail, Target: "mail/" + address}, Outcome: action.Changed}
			},
			Call: func(ctx context.Context, c *client.Client, _ Row, text string) (safe.Safe, error) {
				return safe.Own("mailed"), c.Admin.Invites.Email(ctx, text, "")
			},
		},
		{
			Key: "d", Name: "revoke", Help: "revoke the invitation for good", Kind: action.InviteRevoke, Sure: true,
			Fits: func(r Row) bool { return r.Before["used"] == "false" },
		},
	},
}

// newInvite reads the number of accounts, and of days where there is one.
func newInvite(text string) (api.NewInvite, error) {
	const century = 36500
	var form api.NewInvite
	words := strings.Fields(text)
	for i, word := range words {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil || n < 1 || i == 1 && n > century {
			return api.NewInvite{}, errNewInvite
		}
		if i == 0 {
			form.MaxUse = &n
			continue
		}
		last := time.Now().UTC().AddDate(0, 0, int(n)).Format(time.DateOnly)
		form.ExpiresAt = &last
	}
	if len(words) < 1 || len(words) > 2 {
		return api.NewInvite{}, errNewInvite
	}
	return form, nil
}

var errNewInvite = errors.New("type the number of accounts, and of days where it ends: 5 7")

func inviteRow(i api.Invite) Row {
	state, tone := action.InviteState(i, time.Now()), Good
	if state != "open" {
		tone = Dim
	}
	uses, last := fmt.Sprint(i.Uses), safe.Own("-")
	if i.MaxUse != nil {
		uses += fmt.Sprintf("/%d", *i.MaxUse)
	}
	if i.ExpiresAt != nil {
		last = raw(*i.ExpiresAt)
	}
	return Row{
		ID: i.Token, Target: "invite/" + i.Token, Tone: tone, Copy: i.Token, Before: map[string]string{"used": strconv.FormatBool(i.Used)},
		Cells: []safe.Safe{raw(state), raw(uses), last, raw(i.InviteType), raw(i.Token)},
	}
}

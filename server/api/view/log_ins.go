package view

import (
	"strings"

	"svc/client/api"
	"svc/db"
)

// LogIns renders log-ins, without their tokens.
func LogIns(rows []db.LogIn) api.List[api.LogIn] {
	out := make(api.List[api.LogIn], len(rows))
	for i, l := range rows {
		is := api.LogIn{
			Kind: api.LogInApp, Name: l.AppName, Scopes: strings.Fields(l.Scopes), Renewable: l.Renewable,
			CreatedAt: api.Time{Time: l.CreatedAt.Time}, ValidUntil: api.Time{Time: l.ExpiresAt.Time},
		}
		switch {
		case l.ID == 0:
			is.Kind = api.LogInBrowser
		case l.OverSSH:
			is.Kind, is.Name = api.LogInSSH, l.KeyName
		}
		if l.ID != 0 {
			is.ID = &l.ID
		}
		out[i] = is
	}
	return out
}

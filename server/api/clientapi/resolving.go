package clientapi

import (
	"context"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/web"
	"svc/server/federation/activitypub"
	"svc/server/platform/hosts"
)

// resolveTime bounds the requests to other servers of one search.
const resolveTime = 15 * time.Second

// resolved fetches an unknown account or status that a query names, and returns
// its name or id here. Other servers are called only for signed-in callers who
// may search beyond this server.
func (a *resolver) resolved(c *gin.Context, query string, asked bool) string {
	caller := web.Caller(c)
	if !asked || caller == nil || a.Settings.Load().SearchesLocal(true) {
		return query
	}
	ctx, cancel := context.WithTimeout(c.Request.Context(), resolveTime)
	defer cancel()
	switch {
	case isAddress(query):
		return a.resolvedAddress(ctx, caller.Account, query)
	case isHandle(query):
		if account, err := a.Remote.Handle(ctx, query); err == nil {
			return account.Nickname
		}
	}
	return query
}

// resolvedAddress returns the id of the object that another server has at an
// address.
func (a *resolver) resolvedAddress(ctx context.Context, by *db.Account, address string) string {
	if a.Remote.Local(address) {
		return address
	}
	if _, err := a.DB.AccountByAddress(ctx, db.Viewer{ID: by.ID}, address, false); err == nil {
		return address
	}
	if id, err := a.DB.StatusByAddress(ctx, address); err == nil {
		a.Ingest.Recent(ctx, id)
		return address
	}
	doc, err := a.Remote.Fetch(ctx, address)
	if err != nil {
		// A private status may be visible to its recipients only.
		if doc, err = a.Remote.FetchAs(ctx, address, by); err != nil {
			return address
		}
	}
	if isActor(doc) {
		if account, err := a.Remote.StoreActor(ctx, doc); err == nil {
			return account.URI
		}
		return address
	}
	if status, err := a.Ingest.Take(ctx, doc); err == nil && status.URI != nil {
		return *status.URI
	}
	return address
}

func isActor(doc activitypub.Object) bool {
	return doc.Is("Person", "Service", "Application", "Group", "Organization")
}

// isHandle reports whether a query is a handle of another server or of this one:
// nick@host, with @ before it or not.
func isHandle(query string) bool {
	nick, host, ok := strings.Cut(strings.TrimPrefix(query, "@"), "@")
	return ok && nick != "" && host != "" && !strings.ContainsAny(query, " \t\n/")
}

// named returns the account with this handle, and fetches an unknown one from its
// server.
func (a *resolver) named(ctx context.Context, handle string) (*db.Account, error) {
	nickname := hosts.Nickname(handle, a.Site.Host)
	if !isHandle(nickname) {
		return a.DB.AccountByNickname(ctx, nickname)
	}
	ctx, cancel := context.WithTimeout(ctx, resolveTime)
	defer cancel()
	if account, err := a.Remote.Handle(ctx, nickname); err == nil {
		return account, nil
	}
	return a.DB.AccountByNickname(ctx, nickname)
}

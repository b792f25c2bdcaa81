package adminapi

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
)

const logPage = 50

// Log answers requests about the moderation log.
type Log struct {
	DB     *db.DB
	View   *view.View
	people people
}

// Log are the handlers of the moderation log.
func (p *Parts) Log() Log { return Log{p.DB, p.View, p.people()} }

// List is GET /moderation_log.
func (a Log) List(c *gin.Context) error {
	var in struct {
		Page      any `json:"page"`
		PageSize  any `json:"page_size"`
		StartDate any `json:"start_date"`
		EndDate   any `json:"end_date"`
		UserID    any `json:"user_id"`
		AccountID any `json:"account_id"` // ours: that entries are about
		Search    any `json:"search"`
	}
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	p := &params{}
	f := db.LogFilter{Search: p.text(in.Search), AboutID: p.text(in.AccountID)}
	since, before := moment(p, in.StartDate), moment(p, in.EndDate)
	page, actor := p.page(in.Page, in.PageSize, logPage), p.text(in.UserID)
	if p.bad {
		return bad()
	}
	f.Since = db.At(since)
	if !before.IsZero() {
		f.Before = db.At(after(before))
	}
	if actor != "" {
		account, err := a.DB.FindAccount(c.Request.Context(), a.people.local(actor))
		switch {
		case errors.Is(err, db.ErrNotFound):
			return logged(c, []byte("[]"), 0) // an unknown actor has no entries
		case err != nil:
			return err
		}
		f.ActorID = account.ID
	}
	rows, err := a.DB.Log(c.Request.Context(), f, page)
	if err != nil {
		return err
	}
	raw, err := a.View.Log(rows)
	if err != nil {
		return err
	}
	total := 0
	if !web.Words(c).Own() {
		if total, err = a.total(c, f, page, len(rows)); err != nil {
			return err
		}
	}
	return logged(c, raw, total)
}

// total returns how many entries a list has for clients that ask. Of a search it knows
// those up to this page, and whether there is another.
func (a Log) total(c *gin.Context, f db.LogFilter, page db.NumberedPage, n int) (int, error) {
	if f.Search == "" {
		return a.DB.LogCount(c.Request.Context(), f)
	}
	n += (page.Number - 1) * page.Size
	if n == page.Number*page.Size {
		n++
	}
	return n, nil
}

// logged answers with entries.
func logged(c *gin.Context, raw json.RawMessage, total int) error {
	web.FamilyForm(c, func(list json.RawMessage) any {
		return struct {
			Items json.RawMessage `json:"items"`
			Total int             `json:"total"`
		}{list, total}
	})
	return web.OK(c, raw)
}

// moment reads a time with an offset, or without one as UTC.
func moment(p *params, v any) time.Time {
	s := p.text(v)
	if s == "" {
		return time.Time{}
	}
	s = strings.Replace(s, " ", "+", 1) // a plus sign that was not escaped
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() >= 1970 && t.Year() < 10000 {
			return t
		}
	}
	p.bad = true
	return time.Time{}
}

// after is the moment that ends an inclusive bound: entries show whole seconds,
// so a whole second includes all of itself.
func after(end time.Time) time.Time {
	if end.Nanosecond() == 0 {
		return end.Add(time.Second)
	}
	return end.Add(time.Microsecond)
}

package action

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"svc/client/api"
)

// lastLog finds the author of an object's present state, from the newest
// entries of the moderation log that mention it. It returns nil if no entry
// tells or the log cannot be read: the conflict then stands without a name.
func (e *Engine) lastLog(ctx context.Context, mention string, about func(api.LogEntry) bool) *Conflict {
	const newest = 20
	entries, err := e.client.Admin.Log.List(api.LogQuery{Search: mention, PageSize: newest}).Page(ctx)
	if err != nil {
		return nil
	}
	for _, entry := range entries.Items {
		if about(entry) && Mentions(entry.Message, mention) {
			return &Conflict{
				Now: nowOf(entry),
				By:  entry.Data.Actor.Nickname,
				At:  time.Unix(entry.Time, 0).UTC(),
			}
		}
	}
	return nil
}

// Mentions reports whether text names exactly this object: "report #9xA" is not
// mentioned by "report #9xA7", nor "@kim" by "@kimberly", "@kim@there.example" or
// "@kimé", nor "@kim@there.example" by "@kim@there.example:8443".
func Mentions(text, mention string) bool {
	text, mention = strings.ToLower(text), strings.ToLower(mention)
	for {
		i := strings.Index(text, mention)
		if i < 0 {
			return false
		}
		text = text[i+len(mention):]
		r, size := utf8.DecodeRuneInString(text)
		port, _ := utf8.DecodeRuneInString(text[size:])
		goesOn := unicode.In(r, unicode.L, unicode.M, unicode.N) || strings.ContainsRune("_-@.", r) || r == ':' && unicode.IsDigit(port)
		if text == "" || !goesOn {
			return true
		}
	}
}

// nowOf is the object's state after the entry, in a word.
func nowOf(entry api.LogEntry) string {
	for _, f := range kinds {
		switch {
		case f.log == "" || f.log != entry.Data.Action, f.state != "" && !strings.Contains(entry.Message, "with '"+f.state+"' state"):
		case f.now != "":
			return f.now
		default:
			return f.done
		}
	}
	return "changed"
}

// describe is the object's present state if the log does not tell.
func describe(now, wish map[string]string) string {
	for _, key := range [...]string{"state", "visibility"} {
		if _, ok := wish[key]; ok && now[key] != "" {
			return now[key]
		}
	}
	if _, ok := wish["value"]; ok {
		return "changed"
	}
	switch {
	case now["deactivated"] == "true":
		return "deactivated"
	case now["deactivated"] == "false":
		return "active"
	case now["sensitive"] == "true":
		return "sensitive"
	case now["sensitive"] == "false":
		return "not sensitive"
	}
	return "changed"
}

// whoami is the nickname of the account the client speaks for, "" when the
// server would not tell.
func (e *Engine) whoami(ctx context.Context) string {
	e.selfOnce.Do(func() {
		if account, err := e.client.Accounts.Verify(ctx); err == nil {
			e.self = account.Acct
		}
	})
	return e.self
}

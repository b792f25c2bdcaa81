package action

import (
	"context"
	"errors"
	"strconv"

	"svc/client"
	"svc/client/api"
)

func (e *Engine) deleteStatus(Kind) kindRules {
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			if err := e.readStatus(ctx, it); err != nil {
				return err
			}
			it.now["status"] = "there"
			return nil
		},
		// A status that a moderator deleted is as requested. One without a
		// trace may be a mistyped id, and is reported as not found.
		missing: func(ctx context.Context, it *item) Outcome {
			found := e.lastLog(ctx, "status #"+it.target.Name, func(entry api.LogEntry) bool {
				return entry.Data.Action == "status_delete"
			})
			if found != nil {
				return Unchanged
			}
			return Failed
		},
		wish: func(Action) map[string]string { return map[string]string{"status": "gone"} },
		send: func(ctx context.Context, items []*item) error {
			return e.client.Admin.Statuses.Delete(ctx, items[0].id)
		},
		landed: func(ctx context.Context, it *item) (bool, error) {
			err := e.readStatus(ctx, &item{target: it.target})
			if errors.Is(err, client.ErrNotFound) {
				return true, nil
			}
			return false, err
		},
	}
}

func (e *Engine) readStatus(ctx context.Context, it *item) error {
	status, err := e.client.Admin.Statuses.Get(ctx, it.target.Name)
	if err != nil {
		return err
	}
	it.id = status.ID
	it.now = map[string]string{
		"sensitive":  strconv.FormatBool(status.Sensitive),
		"visibility": status.Visibility,
	}
	return nil
}

// setStatus serves both kinds: Args has the requested values, and one request
// sends them all.
func (e *Engine) setStatus(Kind) kindRules {
	wish := func(a Action) map[string]string {
		w := map[string]string{}
		for _, key := range [...]string{"sensitive", "visibility"} {
			if value, ok := a.Args[key]; ok {
				w[key] = value
			}
		}
		return w
	}
	update := func(it *item) (api.StatusUpdate, error) {
		var u api.StatusUpdate
		w := wish(it.action)
		if text, ok := w["sensitive"]; ok {
			b, err := strconv.ParseBool(text)
			if err != nil {
				return u, &UsageError{"sensitive is " + Quote(text) + ": true and false are accepted"}
			}
			u.Sensitive = &b
		}
		if v, ok := w["visibility"]; ok {
			switch v {
			case "public", "unlisted", "private":
			default:
				return u, &UsageError{"visibility is " + Quote(v) + ": public, unlisted and private are accepted"}
			}
			u.Visibility = &v
		}
		if len(w) == 0 {
			return u, &UsageError{"neither sensitive nor visibility is given"}
		}
		return u, nil
	}
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			if _, err := update(it); err != nil {
				return err
			}
			return e.readStatus(ctx, it)
		},
		wish: wish,
		culprit: func(ctx context.Context, it *item) *Conflict {
			return e.lastLog(ctx, "status #"+it.id, func(entry api.LogEntry) bool {
				return entry.Data.Action == "status_update"
			})
		},
		send: func(ctx context.Context, items []*item) error {
			body, err := update(items[0])
			if err != nil {
				return err
			}
			_, err = e.client.Admin.Statuses.Update(ctx, items[0].id, body)
			return err
		},
		inverse: func(it *item) *Action {
			back := &Action{Kind: it.action.Kind, Target: it.target.String(), Args: map[string]string{}, Before: wish(it.action)}
			for key := range wish(it.action) {
				back.Args[key] = it.now[key]
			}
			if back.Args["visibility"] == "direct" || back.Args["visibility"] == "list" {
				return nil // the API takes no way back to these
			}
			return back
		},
	}
}

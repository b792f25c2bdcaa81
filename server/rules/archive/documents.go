package archive

import (
	"context"
	"encoding/json"
	"io"

	"svc/db"
	"svc/server/federation/activitypub"
)

// encode writes v as JSON without escaping HTML.
func encode(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

// actor returns the profile as other servers see it; pictures are files beside
// it.
func (s *Service) actor(a *db.Account, pictures map[string]string) activitypub.Object {
	out := activitypub.Actor(a, s.base)
	for name, part := range map[string]string{"icon": "avatar", "image": "header"} {
		if pictures[part] != "" {
			out[name] = activitypub.Object{"type": "Image", "url": pictures[part]}
		}
	}
	out["outbox"], out["likes"], out["bookmarks"] = "outbox.json", "likes.json", "bookmarks.json"
	return out
}

// outbox writes all statuses and reblogs, oldest first.
func (s *Service) outbox(ctx context.Context, w io.Writer, a *db.Account) error {
	return collection(w, "outbox.json", func(item func(any) error) error {
		for after := ""; ; {
			rows, err := s.db.StatusesAfter(ctx, a.ID, after, pageSize)
			if err != nil || len(rows) == 0 {
				return err
			}
			after = rows[len(rows)-1].ID
			activities, err := s.activities(ctx, a, rows)
			if err != nil {
				return err
			}
			for _, activity := range activities {
				if err := item(activity); err != nil {
					return err
				}
			}
		}
	})
}

// kept writes the ids of an account's favourites or bookmarks.
func (s *Service) kept(ctx context.Context, w io.Writer, id string, a *db.Account,
	page func(ctx context.Context, accountID, after string, limit int) ([]db.ArchivedRef, error)) error {
	return collection(w, id, func(item func(any) error) error {
		for after := ""; ; {
			rows, err := page(ctx, a.ID, after, pageSize)
			if err != nil || len(rows) == 0 {
				return err
			}
			for _, k := range rows {
				after = k.Key
				if k.URI == "" {
					continue
				}
				if err := item(k.URI); err != nil {
					return err
				}
			}
		}
	})
}

// collection writes an OrderedCollection item by item; the total follows at its
// end.
func collection(w io.Writer, id string, items func(item func(any) error) error) error {
	head, err := json.Marshal(activitypub.Context())
	if err != nil {
		return err
	}
	if _, err := io.WriteString(w, `{"@context":`+string(head)+`,"id":"`+id+`","type":"OrderedCollection","orderedItems":[`); err != nil {
		return err
	}
	n := 0
	err = items(func(v any) error {
		if n++; n > 1 {
			if _, err := io.WriteString(w, ","); err != nil {
				return err
			}
		}
		return encode(w, v)
	})
	if err != nil {
		return err
	}
	total, err := json.Marshal(n)
	if err == nil {
		_, err = io.WriteString(w, `],"totalItems":`+string(total)+"}\n")
	}
	return err
}

// activities returns the activities of a page of statuses, as federated. Their
// files are beside them.
func (s *Service) activities(ctx context.Context, a *db.Account, rows []db.Status) ([]any, error) {
	beside, err := s.db.RelatedTo(ctx, rows)
	if err != nil {
		return nil, err
	}
	for _, files := range beside.Files {
		for i := range files {
			if files[i].File != "" {
				files[i].URL = "media/" + files[i].File
			}
		}
	}
	out := make([]any, len(rows))
	for i := range rows {
		out[i] = activitypub.Part(activitypub.ActivityOf(beside, &rows[i], a, s.base, s.now()))
	}
	return out, nil
}

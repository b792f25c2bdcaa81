package view

import (
	"context"
	"encoding/json"
	"fmt"

	"svc/client/api"
	"svc/db"
)

// statusEdit is an api.StatusEdit with its account rendered.
type statusEdit struct {
	api.StatusEdit
	Account json.RawMessage `json:"account"`
}

// History renders the versions of a status: the former ones, in their order, and the
// present one (up to 4 statements, more for an account that is not cached).
func (v *View) History(ctx context.Context, s *db.Status, former []db.StatusEdit) ([]statusEdit, error) {
	present := db.StatusEdit{
		Content: s.Content, SpoilerText: s.SpoilerText, Sensitive: s.Sensitive, Emojis: s.Emojis, CreatedAt: s.CreatedAt,
	}
	if !s.EditedAt.IsZero() {
		present.CreatedAt = s.EditedAt
	}
	if s.HasMedia {
		files, err := v.db.Attachments(ctx, []string{s.ID})
		if err != nil {
			return nil, err
		}
		for i := range files {
			present.Files = append(present.Files, files[i].Edited())
		}
	}
	polls, err := v.polls(ctx, []db.Status{*s})
	if err != nil {
		return nil, err
	}
	if s.PollID != nil && polls[*s.PollID] != nil {
		present.PollOf(polls[*s.PollID])
	}
	versions, err := v.db.AccountVersions(ctx, []string{s.AccountID})
	if err != nil {
		return nil, err
	}
	accounts, err := v.accountsOf(ctx, versions)
	if err != nil {
		return nil, err
	}
	account := accounts[s.AccountID]
	if account == nil {
		return nil, fmt.Errorf("author of status %s: %w", s.ID, db.ErrNotFound)
	}
	out := make([]statusEdit, 0, len(former)+1)
	for i := range former {
		out = append(out, statusEdit{v.version(s, &former[i]), account})
	}
	return append(out, statusEdit{v.version(s, &present), account}), nil
}

// version renders a version of s.
func (v *View) version(s *db.Status, e *db.StatusEdit) api.StatusEdit {
	out := api.StatusEdit{
		Content: v.content(&db.Status{Local: s.Local, Content: e.Content}), SpoilerText: e.SpoilerText, Sensitive: e.Sensitive,
		CreatedAt: api.Time{Time: e.CreatedAt.Time}, Emojis: v.emojis(e.Emojis),
	}
	for i := range e.Files {
		out.MediaAttachments = append(out.MediaAttachments, v.Attachment(e.Files[i].Attachment()))
	}
	if len(e.Options) == 0 {
		return out
	}
	poll := &api.EditedPoll{ID: "0", ExpiresAt: api.At(e.PollExpiresAt.Time), Multiple: e.Multiple}
	switch {
	case e.PollID != nil:
		poll.ID = itoa(*e.PollID)
	case s.PollID != nil:
		poll.ID = itoa(*s.PollID)
	}
	poll.Expired = !e.PollExpiresAt.IsZero() && !e.PollExpiresAt.After(v.db.Now().Time)
	titles := &db.Poll{}
	for _, title := range e.Options {
		poll.Options = append(poll.Options, api.EditedOption{Title: title})
		titles.Options = append(titles.Options, db.PollOption{Title: title})
	}
	poll.Emojis = v.pollEmojis(&db.Status{Emojis: e.Emojis}, titles)
	out.Poll = poll
	return out
}

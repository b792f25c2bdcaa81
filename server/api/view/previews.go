package view

import (
	"context"

	"svc/client/api"
	"svc/db"
	"svc/server/rules/auth"
)

// Preview renders a status of the viewer that is not stored, with its files and
// poll, as it would be right after it was posted. The rendered status is not
// cached: all previews have the same id.
func (v *View) Preview(ctx context.Context, viewer *auth.Identity, s *db.Status, files []db.MediaAttachment, p *db.Poll) (*api.Status, error) {
	var parents []string
	if s.InReplyToAccountID != nil {
		parents = append(parents, *s.InReplyToAccountID)
	}
	names, err := v.db.Nicknames(ctx, parents)
	if err != nil {
		return nil, err
	}
	var attachments api.List[api.Attachment]
	for i := range files {
		attachments = append(attachments, v.Attachment(&files[i]))
	}
	out := v.post(s, attachments, names)
	account := v.Account(viewer.Account)
	out.Account = &account
	out.Svc.ParentVisible = s.InReplyToID != nil
	out.Svc.ExpiresAt = api.At(s.ExpiresAt.Time)
	if p != nil {
		rendered := poll(p, v.pollEmojis(s, p), true, nil, v.db.Now())
		out.Poll = &rendered
	}
	return &out, nil
}

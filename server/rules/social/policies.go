package social

import (
	"context"
	"errors"
	"slices"

	"svc/db"
	"svc/server/federation/mrf"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/text"
)

// Local acts pass the same policies as remote activities. Undoing something
// does not: nothing may prevent that.

func (s *Service) here() mrf.Here {
	return mrf.Here{Host: s.host, Now: s.now(), Texts: s.settings.Texts()}
}

// Admit refuses a local account's activity of type kind that a policy rejects.
// Remote activities pass the policies on arrival.
func (s *Service) Admit(by *db.Account, kind string) error {
	if !by.Local {
		return nil
	}
	return s.refuse(mrf.Activity{Type: kind, Actor: mrf.ActorOf(by, s.host)})
}

func (s *Service) refuse(a mrf.Activity) error {
	_, err := mrf.Filter(&s.settings.Load().Policies, s.here(), a)
	return refusal(err)
}

// refusal is the refusal shown to people for a rejection by a policy.
func refusal(err error) error {
	var r *mrf.Rejection
	if errors.As(err, &r) {
		return fault.Invalid(r.Error())
	}
	return err
}

// admitFollow refuses a follow that a policy rejects as one that its target
// does not want.
func (s *Service) admitFollow(ctx context.Context, tx *db.DB, by, target *db.Account) error {
	if !by.Local {
		return nil
	}
	to := mrf.ActorOf(target, s.host)
	a := mrf.Activity{Type: mrf.Follow, Actor: mrf.ActorOf(by, s.host), To: []string{target.URI}, Target: &to}
	if mrf.AsksFollowed(&s.settings.Load().Policies) {
		related, err := tx.Relationships(ctx, target.ID, []string{by.ID})
		if err != nil {
			return err
		}
		a.Followed = related[by.ID].Following
	}
	if fault.Is(s.refuse(a), fault.KindInvalid) {
		return fault.Forbidden("rejected")
	}
	return nil
}

// applyPolicies applies the policies to a local account's draft: they refuse
// it, or change its recipients and contents.
func (s *Service) applyPolicies(ctx context.Context, settings *config.Settings, by *db.Account, d *draft) error {
	row := d.row
	object := mrf.Object{
		Type: mrf.Note, Content: row.Content, Source: row.Text, SourceHTML: row.ContentType == text.TypeHTML, Summary: row.SpoilerText,
		Attachments: row.HasMedia, Sensitive: row.Sensitive, Tags: row.Tags, Expires: row.ExpiresAt.Time,
	}
	for _, f := range d.uploads {
		object.Descriptions = append(object.Descriptions, f.Description)
	}
	if d.poll != nil {
		object.Type = mrf.Question
		for _, o := range d.poll.Options {
			object.Options = append(object.Options, o.Title)
		}
	}
	if d.parent != nil {
		object.Reply, object.ParentSummary = true, d.parent.SpoilerText
	}
	a := mrf.Activity{
		Type: mrf.Create, Actor: mrf.ActorOf(by, s.host), Object: &object, To: row.ToURIs, CC: row.CCURIs, OnlyHere: row.Visibility == db.Local,
	}
	if mrf.AsksFollowers(&settings.Policies, a.Actor) {
		var err error
		if a.Following, err = s.following(ctx, by, d.addressed); err != nil {
			return err
		}
	}
	a, err := mrf.Filter(&settings.Policies, s.here(), a)
	if err != nil {
		return refusal(err)
	}
	d.takeAddresses(&a)
	after := a.Object
	if after.Content != object.Content {
		row.Content = s.settings.Texts().Sanitize(after.Content)
	}
	if row.HasMedia && !after.Attachments {
		row.HasMedia, d.mediaIDs, d.uploads = false, nil, nil
	}
	for i := range d.uploads {
		if f := &d.uploads[i]; f.Description != after.Descriptions[i] {
			f.Description = after.Descriptions[i]
			d.described = append(d.described, *f)
		}
	}
	if after.Source != object.Source || after.Summary != object.Summary {
		row.Text, row.SpoilerText = after.Source, text.Lines(after.Summary)
		row.Emojis = s.emojis.In(row.Text, row.SpoilerText)
	}
	row.Sensitive, row.Tags = after.Sensitive, after.Tags
	if settings.Expiry.Enabled && !after.Expires.Equal(object.Expires) {
		row.ExpiresAt = db.At(after.Expires)
	}
	return nil
}

// following returns the URIs of those of the accounts that follow by.
func (s *Service) following(ctx context.Context, by *db.Account, accounts []db.Account) ([]string, error) {
	ids := make([]string, len(accounts))
	for i := range accounts {
		ids[i] = accounts[i].ID
	}
	related, err := s.db.Relationships(ctx, by.ID, ids)
	if err != nil {
		return nil, err
	}
	var out []string
	for i := range accounts {
		if related[accounts[i].ID].FollowedBy {
			out = append(out, accounts[i].URI)
		}
	}
	return out, nil
}

// takeAddresses gives a draft the addresses that policies left, and the
// visibility that follows from them.
func (d *draft) takeAddresses(a *mrf.Activity) {
	row := d.row
	if slices.Equal(a.To, row.ToURIs) && slices.Equal(a.CC, row.CCURIs) {
		return
	}
	row.ToURIs, row.CCURIs = a.To, a.CC
	all := slices.Concat(a.To, a.CC)
	d.addressed = slices.DeleteFunc(slices.Clone(d.addressed), func(to db.Account) bool { return !slices.Contains(all, to.URI) })
	if row.Visibility != db.Public && row.Visibility != db.Unlisted && row.Visibility != db.Private {
		return
	}
	switch {
	case slices.Contains(a.To, Public):
		row.Visibility = db.Public
	case slices.Contains(a.CC, Public):
		row.Visibility = db.Unlisted
	case slices.Contains(all, a.Actor.Followers):
		row.Visibility = db.Private
	default:
		row.Visibility = db.Direct
	}
}

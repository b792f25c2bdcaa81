package demo

import (
	"context"
	"fmt"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/text"
	"svc/server/rules/social"
)

func (b *builder) post(ctx context.Context, p *Post) error {
	by := b.accounts[p.Author]
	publish := b.publish
	if !by.Local {
		publish = b.receive
	}
	status, err := publish(ctx, by, p)
	if err != nil {
		return err
	}
	b.statuses[p.Seq] = status.ID
	return nil
}

// publish posts for an account of this server.
func (b *builder) publish(ctx context.Context, by *db.Account, p *Post) (*db.Status, error) {
	in := social.NewStatus{Text: p.Text, SpoilerText: p.Warning, Sensitive: &p.Sensitive, Visibility: p.Visibility, Language: p.Lang}
	if p.ReplyTo != nil {
		in.InReplyToID = b.statuses[p.ReplyTo.Seq]
	}
	files := make([]db.MediaAttachment, len(p.Pictures))
	for i, picture := range p.Pictures {
		url := b.base + pictureURL(picture.Kind)
		files[i] = db.MediaAttachment{
			AccountID: by.ID, Type: "image", URL: url, PreviewURL: url, Description: picture.Description, MimeType: "image/png",
		}
	}
	if err := b.db.CreateAttachments(ctx, files); err != nil {
		return nil, err
	}
	for i := range files {
		in.MediaIDs = append(in.MediaIDs, files[i].ID)
	}
	return b.social.PostStatus(ctx, by, in)
}

// receive keeps a post of another server's account, in the form that its server
// sends.
func (b *builder) receive(ctx context.Context, by *db.Account, p *Post) (*db.Status, error) {
	post := &activitypub.Post{
		ID: fmt.Sprintf("%s/statuses/%d", by.URI, p.Seq), URL: fmt.Sprintf("%s/%d", by.URL, p.Seq), Type: "Note", Author: by.URI,
		Summary: p.Warning, Source: p.Text, SourceType: text.TypePlain, Language: p.Lang, Sensitive: p.Sensitive, Published: b.clock.time(),
	}
	named, err := b.db.AccountsByNickname(ctx, text.Handles(p.Text, text.TypePlain), "")
	if err != nil {
		return nil, err
	}
	byHandle, byURI := map[string]*db.Account{}, map[string]*db.Account{}
	for i := range named {
		byHandle[named[i].NickKey], byURI[named[i].URI] = &named[i], &named[i]
	}
	said := text.Format(p.Text, text.TypePlain, text.Options{BaseURL: b.base, Resolve: func(handle string) (text.Mention, bool) {
		a := byHandle[handle]
		if a == nil {
			return text.Mention{}, false
		}
		return text.Mention{ID: a.ID, Acct: a.NickKey, URL: a.URL}, true
	}})
	post.Content, post.Hashtags = said.HTML, said.Hashtags
	uris := make([]string, len(said.Mentions))
	for i, m := range said.Mentions {
		a := byHandle[m.Acct]
		post.Mentions, uris[i] = append(post.Mentions, activitypub.Mention{Href: a.URI, Name: "@" + a.Nickname}), a.URI
	}
	post.To, post.CC = social.Addresses(p.Visibility, by.FollowersURI, uris)
	if p.ReplyTo != nil {
		parent, err := b.db.StatusByID(ctx, b.statuses[p.ReplyTo.Seq])
		if err != nil {
			return nil, err
		}
		post.InReplyTo = *parent.URI
	}
	for _, picture := range p.Pictures {
		post.Attachments = append(post.Attachments, activitypub.Attachment{
			Kind: "image", URL: b.base + pictureURL(picture.Kind), MediaType: "image/png", Description: picture.Description,
		})
	}
	d, err := b.social.DraftRemote(ctx, by, social.RemoteStatus{Post: post, Accounts: byURI, Wanted: true})
	if err != nil {
		return nil, err
	}
	return b.social.KeepRemote(ctx, d)
}

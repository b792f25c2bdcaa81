package demo

import (
	"context"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"

	"svc/db"
	"svc/server/platform/text"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

// join makes the account of a person, here or on its own server.
func (b *builder) join(ctx context.Context, who int) error {
	person := &b.plan.People[who]
	make := b.register
	if person.Domain != "" {
		make = b.appear
	}
	account, err := make(ctx, person)
	if err != nil {
		return err
	}
	b.accounts[who] = account
	return nil
}

// register signs somebody up here, and has them fill their profile in.
func (b *builder) register(ctx context.Context, p *Person) (*db.Account, error) {
	account, err := b.signup.CreateUser(ctx, signup.NewUser{
		Nickname: p.Nick, Email: p.Nick + "@example.org", PasswordHash: b.hash, Name: p.Name, Bio: p.Bio,
		Admin: p.Role == Admin, Moderator: p.Role == Moderator,
	})
	if err != nil || !p.Bot && !p.Locked && len(p.Fields) == 0 {
		return account, err
	}
	profile := social.Profile{Bot: &p.Bot, Locked: &p.Locked}
	for _, f := range p.Fields {
		profile.Fields = append(profile.Fields, db.Field{Name: f.Name, Value: f.Value})
	}
	account, _, err = b.social.UpdateProfile(ctx, account, profile)
	return account, err
}

// appear makes the account of somebody on another server as it looks once it
// was fetched from there.
func (b *builder) appear(ctx context.Context, p *Person) (*db.Account, error) {
	origin := "https://" + p.Domain
	uri := origin + "/users/" + p.Nick
	a := &db.Account{
		URI: uri, URL: origin + "/@" + p.Nick, Nickname: p.Acct(), Domain: p.Domain, ActorType: "Person",
		DisplayName: p.Name, Note: p.Bio, NoteHTML: text.SanitizeRemote(text.Format(p.Bio, text.TypePlain, text.Options{BaseURL: origin}).HTML),
		Inbox: uri + "/inbox", SharedInbox: origin + "/inbox", Outbox: uri + "/outbox",
		FollowersURI: uri + "/followers", FollowingURI: uri + "/following", FeaturedURI: uri + "/collections/featured",
		KeyID: uri + "#main-key", Locked: p.Locked, Discoverable: true, ShowRole: true, HideFavourites: true,
		AllowFollowingMove: true, SkipThreadContainment: true, DefaultScope: db.Public, FetchedAt: b.db.Now(),
	}
	if p.Bot {
		a.ActorType = "Service"
	}
	for _, f := range p.Fields {
		a.Fields = append(a.Fields, db.Field{Name: f.Name, Value: f.Value})
		a.FieldsHTML = append(a.FieldsHTML, db.Field{
			Name: f.Name, Value: strings.TrimSuffix(strings.TrimPrefix(text.Format(f.Value, text.TypePlain, text.Options{BaseURL: origin}).HTML, "<p>"), "</p>"),
		})
	}
	if err := b.db.CreateAccount(ctx, a); err != nil {
		return nil, err
	}
	return a, b.db.AddInstance(ctx, p.Domain)
}

func pictureURL(kind int) string { return fmt.Sprintf("/static/demo/%d.png", kind) }

// drawAll puts every picture where the service finds it.
func drawAll(dataDir string) error {
	dir := filepath.Join(dataDir, "static", "demo")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	for kind := range PictureKinds {
		if err := draw(filepath.Join(dataDir, filepath.FromSlash(pictureURL(kind))), kind); err != nil {
			return err
		}
	}
	return nil
}

func draw(path string, kind int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := png.Encode(f, Draw(kind)); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

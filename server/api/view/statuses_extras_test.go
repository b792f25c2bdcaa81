package view

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/media"
	"svc/server/platform/outgoing"
	"svc/server/platform/rights"
	"svc/server/rules/auth"
)

var update = flag.Bool("update", false, "write the golden files")

// world is a database with a status that has everything, by ann; bob and cat
// have done something to it.
type world struct {
	*View
	d             *db.DB
	ann, bob, cat *db.Account
	status, boost string
}

func newWorld(t *testing.T, d *db.DB) *world {
	t.Helper()
	live, err := config.NewLive(config.DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	v, err := newView(d, live)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{View: v, d: d, status: "BCg6sciw2jxFXTUh1M", boost: "BCg6sciw2jxFXTUh1N"}
	at := db.At(time.Date(2026, 1, 31, 9, 5, 0, 123e6, time.UTC))
	account := func(nick, id string) *db.Account {
		a := db.NewAccount(dbtest.Base, nick)
		a.ID, a.CreatedAt, a.UpdatedAt = id, at, at
		w.do(t, d.CreateAccount(t.Context(), a))
		return a
	}
	w.ann, w.bob, w.cat = account("ann", "9pQtDGXuq4p3VlcJEm"), account("bob", "9pQtDGXuq4p3VlcJEn"), account("cat", "9pQtDGXuq4p3VlcJEo")
	err = d.Tx(t.Context(), func(tx *db.DB) error { return w.fill(t, tx, at) })
	w.do(t, err)
	return w
}

func (w *world) do(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) fill(t *testing.T, tx *db.DB, at db.Time) error {
	ctx := t.Context()
	uri, boostURI := dbtest.Base+"/objects/1", dbtest.Base+"/activities/1"
	poll := &db.Poll{StatusID: w.status, Multiple: true, CreatedAt: at, ExpiresAt: db.At(time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)),
		Options: db.Slice[db.PollOption]{{Title: "yes <b>"}, {Title: ":fox: no"}, {Title: "perhaps"}}}
	w.do(t, tx.CreatePoll(ctx, poll))
	thread, err := tx.CreateConversation(ctx, dbtest.Base+"/contexts/1")
	w.do(t, err)
	root := &db.Status{ID: "BCg6sciw2jxFXTUh1K", AccountID: w.bob.ID, URI: new(string), Local: true, Visibility: db.Public, ConversationID: &thread, CreatedAt: at}
	*root.URI = dbtest.Base + "/objects/0"
	w.do(t, tx.CreateStatus(ctx, root))
	w.do(t, tx.CreateStatus(ctx, &db.Status{
		ID: w.status, AccountID: w.ann.ID, URI: &uri, URL: dbtest.Base + "/notice/" + w.status, Local: true, Visibility: db.Public,
		ConversationID: &thread, InReplyToID: &root.ID, InReplyToAccountID: &w.bob.ID, Text: "typed", Content: `<b>typed</b> &amp; <a href="https://page.example/" rel="ugc">page</a>`,
		SpoilerText: "subject & more", Language: "en", Sensitive: true, HasMedia: true,
		Mentions: db.Slice[db.Mention]{{ID: w.bob.ID, Username: "bob", Acct: "bob", URL: w.bob.URL}}, Tags: db.Slice[string]{"tag"},
		Emojis:          db.Slice[db.Emoji]{{Shortcode: "fox", URL: "/emoji/fox.png", StaticURL: "/emoji/fox.png"}, {Shortcode: "owl", URL: "/emoji/owl.png", StaticURL: "/emoji/owl.png"}},
		ApplicationName: "A client", ApplicationWebsite: "https://client.example", CreatedAt: at,
		ExpiresAt: db.At(time.Date(2099, 1, 1, 0, 0, 0, 0, time.UTC)), PollID: &poll.ID,
	}))
	w.do(t, tx.CreateAttachments(ctx, []db.MediaAttachment{{AccountID: w.ann.ID, StatusID: &w.status, Type: "image", URL: "/media/a.png", MimeType: "image/png", Description: "a picture", CreatedAt: at}}))
	card := &db.Card{Link: "https://page.example/", URL: "https://page.example/", Title: "A page", Description: "of somebody", Image: "https://page.example/a.png",
		ProviderName: "page.example", ProviderURL: "https://page.example", OpenGraph: map[string]string{"title": "A page", "type": `"account":null`}, FetchedAt: at}
	w.do(t, tx.CreateCard(ctx, card))
	w.do(t, tx.AttachCard(ctx, w.status, card.ID))
	for i, r := range []struct {
		by    *db.Account
		emoji string
	}{{w.cat, "🐈"}, {w.bob, "👍"}, {w.cat, "👍"}} {
		_, err := tx.CreateReaction(ctx, &db.EmojiReaction{ID: "r" + itoa(int64(i)), AccountID: r.by.ID, StatusID: w.status, Emoji: r.emoji, CreatedAt: at})
		w.do(t, err)
	}
	w.do(t, tx.Vote(ctx, poll, w.bob.ID, []int{0, 2}))
	w.do(t, tx.Vote(ctx, poll, w.cat.ID, []int{2}))
	w.do(t, tx.CreateBookmark(ctx, w.bob.ID, w.status))
	_, err = tx.CreateFavourite(ctx, &db.Favourite{AccountID: w.bob.ID, StatusID: w.status, ID: "f", CreatedAt: at})
	w.do(t, err)
	_, err = tx.CreateReblog(ctx, &db.Status{ID: w.boost, AccountID: w.cat.ID, URI: &boostURI, Local: true, Visibility: db.Public, ReblogOfID: &w.status, ReblogOfAccountID: &w.ann.ID, HasMedia: true, CreatedAt: at}, db.Public)
	return err
}

func (w *world) as(a *db.Account, r db.Relations) *auth.Identity {
	if a == nil {
		return nil
	}
	return &auth.Identity{Account: a, Relations: r}
}

// Every field of a status, as it is on the wire.
func TestAStatusWithEverything(t *testing.T) {
	w := newWorld(t, dbtest.New(t))
	all := map[string]json.RawMessage{}
	for name, c := range map[string]struct {
		by *auth.Identity
		id string
	}{
		"as its author sees it": {w.as(w.ann, db.Relations{}), w.status}, "as bob sees it, who voted, reacted and kept it": {w.as(w.bob, db.Relations{Bookmarks: true}), w.status},
		"as a stranger sees it": {nil, w.status}, "boosted, as a stranger sees it": {nil, w.boost},
	} {
		raw, err := w.Status(t.Context(), c.by, c.id)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		all[name] = raw
	}
	got, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	var indented bytes.Buffer
	w.do(t, json.Indent(&indented, got, "", "  "))
	golden := filepath.Join("testdata", "status.json")
	if *update {
		w.do(t, os.WriteFile(golden, append(indented.Bytes(), '\n'), 0o600))
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), indented.String()+"\n"); diff != "" {
		t.Error(diff)
	}
}

// Reactions of accounts that a viewer blocks or mutes do not count, unless the viewer asks.
func TestReactionsOfWhomTheViewerIgnoresDoNotCount(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d)
		w.do(t, d.PutMute(t.Context(), &db.Mute{AccountID: w.bob.ID, TargetID: w.cat.ID}))
		_, err := d.PutBlock(t.Context(), &db.Block{AccountID: w.ann.ID, TargetID: w.cat.ID, CreatedAt: d.Now()})
		w.do(t, err)
		shown := func(v db.Viewer) string {
			refs, err := d.StatusRefs(t.Context(), v, []string{w.status})
			w.do(t, err)
			raw, err := w.Statuses(t.Context(), refs)
			w.do(t, err)
			var all []struct {
				Svc struct {
					Reactions json.RawMessage `json:"emoji_reactions"`
				} `json:"svc"`
			}
			w.do(t, json.Unmarshal(raw, &all))
			return string(all[0].Svc.Reactions)
		}
		const everybody = `[{"name":"🐈","count":1,"me":false},{"name":"👍","count":2,"me":true}]`
		for name, c := range map[string]struct {
			v    db.Viewer
			want string
		}{
			"bob, who mutes cat":               {db.Viewer{ID: w.bob.ID, Relations: db.Relations{Mutes: true}}, `[{"name":"👍","count":1,"me":true}]`},
			"bob, with whom he mutes":          {db.Viewer{ID: w.bob.ID, Relations: db.Relations{Mutes: true}, WithMuted: true}, everybody},
			"ann, who blocks cat":              {db.Viewer{ID: w.ann.ID, Relations: db.Relations{Blocks: true}}, `[{"name":"👍","count":1,"me":false}]`},
			"ann, with whom she mutes":         {db.Viewer{ID: w.ann.ID, Relations: db.Relations{Blocks: true, Mutes: true}, WithMuted: true}, `[{"name":"👍","count":1,"me":false}]`},
			"cat, who ignores nobody":          {db.Viewer{ID: w.cat.ID}, `[{"name":"🐈","count":1,"me":true},{"name":"👍","count":2,"me":true}]`},
			"a stranger, who may not be asked": {db.Viewer{}, `[{"name":"🐈","count":1,"me":false},{"name":"👍","count":2,"me":false}]`},
		} {
			if diff := cmp.Diff(c.want, shown(c.v)); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	})
}

// A page costs the same number of statements with any content, and none for
// polls and reactions if there are none.
func TestAPageOfPollsAndReactionsCostsAFixedNumberOfStatements(t *testing.T) {
	d := dbtest.New(t)
	w := newWorld(t, d)
	bob := db.Viewer{ID: w.bob.ID, Relations: db.Relations{Mutes: true, Bookmarks: true}}
	page := func(ids ...string) int64 {
		refs, err := d.StatusRefs(t.Context(), bob, ids)
		w.do(t, err)
		_, err = w.Statuses(t.Context(), refs) // the parts that are the same for all viewers are cached from here on
		w.do(t, err)
		return dbtest.Queries(t, func(ctx context.Context) {
			_, err := w.Statuses(ctx, refs)
			w.do(t, err)
		})
	}
	const plain = "BCg6sciw2jxFXTUh1K"
	if got := []int64{page(plain), page(w.status), page(plain, w.status, w.boost)}; !cmp.Equal(got, []int64{0, 3, 3}) {
		t.Errorf("%d statements, want 0, 3, 3", got)
	}
	ids := []string{plain, w.status}
	for i := range 30 {
		id := "BCg6sciw2jxFXTUh2" + string(rune('A'+i))
		uri := dbtest.Base + "/objects/" + id
		p := &db.Poll{StatusID: id, Options: db.Slice[db.PollOption]{{Title: "a"}, {Title: "b"}}, CreatedAt: d.Now()}
		w.do(t, d.CreatePoll(t.Context(), p))
		w.do(t, d.CreateStatus(t.Context(), &db.Status{ID: id, AccountID: w.ann.ID, URI: &uri, Local: true, Visibility: db.Public, CreatedAt: d.Now(), PollID: &p.ID}))
		_, err := d.CreateReaction(t.Context(), &db.EmojiReaction{ID: "x" + id, AccountID: w.bob.ID, StatusID: id, Emoji: "👍", CreatedAt: d.Now()})
		w.do(t, err)
		ids = append(ids, id)
	}
	if got := page(ids...); got != 3 {
		t.Errorf("%d statements for 32 statuses, want 3", got)
	}
}

// newView is a View of the site of dbtest.
func newView(d *db.DB, live *config.Live) (*View, error) {
	site := config.NewSite(dbtest.Base, false)
	return New(Parts{
		DB: d, Settings: live, Rights: rights.New(live, true), Site: site, URLs: media.NewURLs(site.Base, live, "secret"),
		Remote: remote.New(remote.Parts{DB: d, Settings: live, Site: site, Outgoing: outgoing.New(outgoing.Options{}), Now: time.Now}),
	})
}

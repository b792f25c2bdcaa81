package ingest

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/federation/activitypub"
	"svc/server/federation/mrf"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/outgoing"
	"svc/server/rules/chats"
	"svc/server/rules/relays"
	"svc/server/rules/social"
)

var update = flag.Bool("update", false, "write the golden files")

// noon is when the documents of testdata arrive.
var noon = time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)

// receiver is a Service with alice, and a post and a poll of hers.
type receiver struct {
	*Service
	t          testing.TB
	alice      *db.Account
	note, poll *db.Status
}

func newReceiver(t testing.TB, d *db.DB, edit ...func(*config.Settings)) *receiver {
	t.Helper()
	settings := config.DefaultSettings()
	for _, e := range edit {
		e(&settings)
	}
	live, err := config.NewLive(settings)
	if err != nil {
		t.Fatal(err)
	}
	now := func() time.Time { return noon }
	site := config.NewSite(dbtest.Base, false)
	out := outgoing.New(outgoing.Options{})
	far := remote.New(remote.Parts{DB: d, Settings: live, Outgoing: out, Site: site, Now: now})
	t.Cleanup(far.Stop)
	r := &receiver{t: t}
	r.Service = New(Parts{
		DB: d, Settings: live, Social: social.New(social.Parts{DB: d, Settings: live, Site: site, Now: now}), Chats: chats.New(chats.Parts{DB: d, Settings: live, Site: site, Now: now}),
		Relays: relays.New(relays.Parts{DB: d, Settings: live, Site: site, Remote: far}), Remote: far,
		Site: site, Log: slog.New(slog.DiscardHandler), Now: now,
	})
	r.alice = dbtest.Account(t, d, "alice")
	r.must(d.CreateUser(t.Context(), &db.User{AccountID: r.alice.ID, PasswordHash: "x"}))
	day := int64(2 * 24 * time.Hour / time.Second)
	r.note = r.posts(social.NewStatus{Text: "a note"}, "/objects/local-note")
	r.poll = r.posts(social.NewStatus{Text: "a poll", Poll: &db.PollParams{Options: []string{"yes", "no"}, ExpiresIn: &day}}, "/objects/local-poll")
	return r
}

func (r *receiver) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *receiver) posts(in social.NewStatus, uri string) *db.Status {
	r.t.Helper()
	s, err := r.social.PostStatus(r.t.Context(), r.alice, in)
	r.must(err)
	id := dbtest.Base + uri
	s.URI = &id
	r.must(r.db.UpdateStatus(r.t.Context(), s, "uri"))
	return s
}

// author returns the account with this id, and creates it with alice as
// follower.
func (r *receiver) author(uri string) *db.Account {
	r.t.Helper()
	a, err := r.db.AccountByURI(r.t.Context(), uri)
	if err == nil {
		return a
	}
	u, err := url.Parse(uri)
	r.must(err)
	nick := uri[strings.LastIndex(uri, "/")+1:] + "@" + u.Host
	a = &db.Account{
		URI: uri, URL: uri, Nickname: nick, Domain: u.Host, ActorType: "Person", Inbox: uri + "/inbox", FollowersURI: uri + "/followers",
		FeaturedURI: uri + "/collections/featured", FetchedAt: db.At(noon),
	}
	r.must(r.db.CreateAccount(r.t.Context(), a))
	r.must(r.db.CreateFollow(r.t.Context(), &db.Follow{FollowerID: r.alice.ID, TargetID: a.ID, Local: true, Reblogs: true}))
	return a
}

// receive processes an activity, signed by its actor.
func (r *receiver) receive(doc activitypub.Object) error {
	r.t.Helper()
	activity, err := r.normalise(doc)
	if err != nil {
		return err
	}
	actor := r.author(activity.IDOf("actor"))
	return r.Process(r.t.Context(), &Incoming{Activity: activity, ID: activity.ID(), Actor: actor, Signer: actor, ReceivedAt: noon, db: r.db})
}

// became is the stored outcome of a document.
type became struct {
	Ignored       string         `json:"ignored,omitempty"`
	Status        *storedStatus  `json:"status,omitempty"`
	Message       *storedMessage `json:"message,omitempty"`
	Favourites    int64          `json:"favourites,omitempty"`
	Reblogs       int64          `json:"reblogs,omitempty"`
	Reactions     []string       `json:"reactions,omitempty"`
	Votes         []int          `json:"votes,omitempty"`
	Notifications []string       `json:"notifications,omitempty"`
	Home          bool           `json:"home,omitempty"`
}

type storedStatus struct {
	URI, URL, Visibility           string
	Content, Source, ContentType   string
	Summary, Language              string          `json:",omitempty"`
	Sensitive                      bool            `json:",omitempty"`
	InReplyTo, InReplyToURI        string          `json:",omitempty"`
	Conversation                   string          `json:",omitempty"`
	Tags, Mentions, Addressed      []string        `json:",omitempty"`
	Emojis                         []db.Emoji      `json:",omitempty"`
	Files                          []storedFile    `json:",omitempty"`
	Options                        []db.PollOption `json:",omitempty"`
	Multiple                       bool            `json:",omitempty"`
	Voters                         int             `json:",omitempty"`
	CreatedAt, EditedAt, ExpiresAt string          `json:",omitempty"`
}

type storedFile struct {
	Type, URL                        string
	MediaType, Description, Blurhash string `json:",omitempty"`
}

type storedMessage struct {
	Content string
	Emojis  []db.Emoji   `json:",omitempty"`
	Files   []storedFile `json:",omitempty"`
}

func stamp(t db.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339Nano)
}

func files(rows []db.MediaAttachment) []storedFile {
	var out []storedFile
	for _, f := range rows {
		out = append(out, storedFile{Type: f.Type, URL: f.RemoteURL, MediaType: f.MimeType, Description: f.Description, Blurhash: f.Blurhash})
	}
	return out
}

func (r *receiver) status(id string) *storedStatus {
	r.t.Helper()
	ctx := r.t.Context()
	s, err := r.db.StatusByID(ctx, id)
	r.must(err)
	out := &storedStatus{
		URI: *s.URI, URL: s.URL, Visibility: s.Visibility, Content: s.Content, Source: s.Text, ContentType: s.ContentType, Summary: s.SpoilerText,
		Language: s.Language, Sensitive: s.Sensitive, InReplyToURI: s.InReplyToURI, Tags: s.Tags, Emojis: s.Emojis,
		CreatedAt: stamp(s.CreatedAt), EditedAt: stamp(s.EditedAt),
	}
	if s.InReplyToID != nil {
		parent, err := r.db.StatusByID(ctx, *s.InReplyToID)
		r.must(err)
		out.InReplyTo = *parent.URI
	}
	threads, err := r.db.ConversationURIs(ctx, []int64{*s.ConversationID})
	r.must(err)
	if out.Conversation = threads[*s.ConversationID]; strings.HasPrefix(out.Conversation, dbtest.Base) {
		out.Conversation = "of this server"
	}
	for _, m := range s.Mentions {
		out.Mentions = append(out.Mentions, m.Acct)
	}
	var refs []db.StatusRef
	refs, err = r.db.StatusRefs(ctx, db.Viewer{ID: r.alice.ID}, []string{id})
	r.must(err)
	if len(refs) > 0 {
		out.Addressed = append(out.Addressed, "alice sees it")
	}
	rows, err := r.db.Attachments(ctx, []string{id})
	r.must(err)
	out.Files = files(rows)
	if s.PollID != nil {
		poll, err := r.db.Poll(ctx, *s.PollID)
		r.must(err)
		out.Options, out.Multiple, out.Voters, out.ExpiresAt = poll.Options, poll.Multiple, poll.VotersCount, stamp(poll.ExpiresAt)
	}
	return out
}

// outcomeOf returns the stored outcome of a document.
func (r *receiver) outcomeOf(doc activitypub.Object, err error) *became {
	r.t.Helper()
	ctx := r.t.Context()
	var (
		no      *dropped
		refused *mrf.Rejection
	)
	out := &became{}
	switch {
	case errors.As(err, &no):
		out.Ignored = no.Error()
	case errors.As(err, &refused):
		out.Ignored = refused.Error()
	case errors.Is(err, activitypub.ErrMalformed):
		out.Ignored = err.Error()
	default:
		r.must(err)
	}
	if known, err := r.db.KnownObject(ctx, doc.IDOf("object"), ""); err == nil && known.StatusID != "" && !r.ours(doc.IDOf("object")) {
		out.Status = r.status(known.StatusID)
		home, err := r.db.HomeTimeline(ctx, db.Viewer{ID: r.alice.ID}, db.TimelineFilter{}, db.Page{Limit: 5})
		r.must(err)
		for _, h := range home.Refs {
			out.Home = out.Home || h.ID == known.StatusID
		}
	} else if known.Message {
		m, err := r.db.ChatMessageByURI(ctx, doc.IDOf("object"))
		r.must(err)
		rows, err := r.db.Attachments(ctx, []string{m.ID})
		r.must(err)
		out.Message = &storedMessage{Content: m.Content, Emojis: m.Emojis, Files: files(rows)}
	}
	note, err := r.db.StatusByID(ctx, r.note.ID)
	r.must(err)
	out.Favourites, out.Reblogs = note.FavouritesCount, note.ReblogsCount
	for _, c := range note.Reactions {
		out.Reactions = append(out.Reactions, c.Emoji)
	}
	poll, err := r.db.Poll(ctx, *r.poll.PollID)
	r.must(err)
	if poll.VotersCount > 0 {
		for _, o := range poll.Options {
			out.Votes = append(out.Votes, o.Votes)
		}
	}
	told, err := r.db.Notifications(ctx, db.Viewer{ID: r.alice.ID}, db.NotificationFilter{Types: []string{
		db.NotifyMention, db.NotifyFavourite, db.NotifyReblog, db.NotifyReaction, db.NotifyChat,
	}}, db.Page{Limit: 5})
	r.must(err)
	for _, n := range told {
		out.Notifications = append(out.Notifications, n.Type)
	}
	return out
}

// TestDocumentsOfOtherServersBecomeWhatTheyMean processes documents of other
// software, each twice: the second time changes nothing.
func TestDocumentsOfOtherServersBecomeWhatTheyMean(t *testing.T) {
	paths, err := filepath.Glob("testdata/*/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatal("no documents", err)
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for _, path := range paths {
			if strings.HasSuffix(path, ".golden.json") {
				continue
			}
			body, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			doc, err := activitypub.Decode(body)
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			err = d.Tx(t.Context(), func(tx *db.DB) error {
				r := newReceiver(t, tx)
				first := r.outcomeOf(doc, r.receive(doc))
				second := r.outcomeOf(doc, r.receive(doc))
				if diff := cmp.Diff(first, second); diff != "" {
					t.Errorf("%s, sent again (-want +got):\n%s", path, diff)
				}
				golden(t, strings.TrimSuffix(path, ".json")+".golden", first)
				return errBack
			})
			if !errors.Is(err, errBack) {
				t.Fatal(err)
			}
		}
	})
}

var errBack = errors.New("every document finds the database as it was")

func golden(t *testing.T, path string, got any) {
	t.Helper()
	b, err := json.MarshalIndent(got, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(b)) + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// TestFrequentActivitiesTakeFewStatements pins the number of statements for a
// post by a followed account, for one with a mention, a hashtag and a file, and
// for a like. The last statement of each stores its events.
func TestFrequentActivitiesTakeFewStatements(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		r := newReceiver(t, d)
		for path, most := range map[string]int64{"testdata/akkoma/note.json": 13, "testdata/mastodon/note.json": 20, "testdata/mastodon/like.json": 9} {
			body, err := os.ReadFile(path)
			r.must(err)
			doc, err := activitypub.Decode(body)
			r.must(err)
			activity, err := r.normalise(doc)
			r.must(err)
			actor := r.author(activity.IDOf("actor"))
			if _, err := r.relays.From(t.Context(), actor); err != nil { // known after the first
				t.Fatal(err)
			}
			n := dbtest.Queries(t, func(ctx context.Context) {
				in := &Incoming{Activity: activity, ID: activity.ID(), Actor: actor, Signer: actor, ReceivedAt: noon, db: r.db}
				if err := r.Process(ctx, in); err != nil {
					t.Error(err)
				}
			})
			if n > most {
				t.Errorf("%s: %d statements, want at most %d", path, n, most)
			}
		}
	})
}

package remote

import (
	"fmt"
	"net/url"
	"strings"
	"time"
	"unicode"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/federation/mrf"
	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

// The bounds of an actor's document. Longer texts are cut.
const (
	maxAddress = 2048
	maxEmoji   = 100
	maxAliases = 32
)

// refusal is an actor rejected by policies.
type refusal struct{ error }

func (r refusal) Unwrap() []error { return []error{ErrRefused, r.error} }

// profile turns an actor's document into a row: believable, cut, sanitised, and
// as the policies leave it. keyID selects one of several keys. The row has no
// nickname yet, and unknown counts are -1.
func (s *Service) profile(doc activitypub.Object, keyID string, at time.Time) (*db.Account, error) {
	id, err := s.ids.Check(doc.ID())
	if err != nil || id != doc.ID() || strings.Contains(id, "#") {
		return nil, fmt.Errorf("%w: an actor of id %.200q", ErrRefused, doc.ID())
	}
	if s.Local(id) {
		return nil, fmt.Errorf("%w: %.200q is of this server", ErrRefused, id)
	}
	if !doc.Is("Person", "Service", "Application", "Group", "Organization") || !hosts.IsNick(doc.Text("preferredUsername")) {
		return nil, fmt.Errorf("%w: %.200q is no actor", ErrRefused, id)
	}
	own := func(address string) string {
		if address, err := s.ids.Check(address); err == nil && s.ids.SameOrigin(address, id) {
			return address
		}
		return ""
	}
	settings := s.live.Load()
	a := &db.Account{
		URI: id, URL: pageOr(doc.URL("url", "text/html"), id), Domain: s.ids.Host(id), ActorType: kindOf(doc),
		DisplayName: oneLine(doc.Text("name"), settings.Instance.UserNameLength), Note: truncate(doc.Text("summary"), settings.Instance.UserBioLength),
		Avatar: picture(doc, "icon"), Header: picture(doc, "image"),
		Inbox: own(doc.Text("inbox")), SharedInbox: own(doc.Object("endpoints").Text("sharedInbox")), Outbox: own(doc.IDOf("outbox")),
		FollowersURI: own(doc.IDOf("followers")), FollowingURI: own(doc.IDOf("following")), FeaturedURI: own(doc.IDOf("featured")),
		MovedTo: s.id(doc.IDOf("movedTo")), Emojis: emojis(doc), ShowRole: true, HideFavourites: true, AllowFollowingMove: true,
		SkipThreadContainment: true, DefaultScope: "public", FetchedAt: db.At(at),
		FollowersCount: -1, FollowingCount: -1, StatusesCount: -1,
	}
	if a.Inbox == "" {
		return nil, fmt.Errorf("%w: %.200q has no inbox at its server", ErrRefused, id)
	}
	if made := activitypub.Moment(doc, "published"); made.Year() >= 1980 && made.Before(at) {
		a.CreatedAt = db.At(made)
	}
	a.NoteHTML = text.SanitizeRemote(a.Note)
	a.Locked, _ = doc.Bool("manuallyApprovesFollowers")
	a.Discoverable, _ = doc.Bool("discoverable")
	indexable, said := doc.Bool("indexable")
	a.Unindexed = said && !indexable
	invisible, _ := doc.Bool("invisible")
	a.Invisible = invisible && a.ActorType == "Application"
	if accepts, known := doc.Object("capabilities").Bool("acceptsChatMessages"); known {
		a.AcceptsChatMessages = &accepts
	}
	for _, alias := range doc.IDs("alsoKnownAs") {
		if alias = s.id(alias); alias != "" && len(a.AlsoKnownAs) < maxAliases {
			a.AlsoKnownAs = append(a.AlsoKnownAs, alias)
		}
	}
	s.readFields(doc, a)
	s.readKey(doc, a, keyID)
	return a, s.judge(a)
}

func (s *Service) id(text string) string {
	id, err := s.ids.Check(text)
	if err != nil {
		return ""
	}
	return id
}

func kindOf(doc activitypub.Object) string {
	for _, kind := range []string{"Person", "Service", "Application", "Group", "Organization"} {
		if doc.Is(kind) {
			return kind
		}
	}
	return ""
}

func (s *Service) readFields(doc activitypub.Object, a *db.Account) {
	bounds := s.live.Load().Instance
	for _, f := range doc.Objects("attachment") {
		if !f.Is("PropertyValue") || len(a.Fields) >= bounds.MaxRemoteAccountFields {
			continue
		}
		name, value := oneLine(f.Text("name"), bounds.AccountFieldNameLength), truncate(f.Text("value"), bounds.AccountFieldValueLength)
		html := truncate(text.AsHTML(f.Text("value")), bounds.AccountFieldValueLength)
		if name == "" && value == "" {
			continue
		}
		a.Fields = append(a.Fields, db.Field{Name: name, Value: value})
		a.FieldsHTML = append(a.FieldsHTML, db.Field{Name: name, Value: text.SanitizeField(html)})
	}
}

// readKey reads the key with this id of an actor's own document, or else the
// first.
func (s *Service) readKey(doc activitypub.Object, a *db.Account, keyID string) {
	for _, key := range doc.Objects("publicKey") {
		found, err := s.ownKey(doc, key.ID())
		if err != nil {
			continue
		}
		if a.KeyID == "" || key.ID() == keyID {
			a.KeyID, a.PublicKey = key.ID(), found
		}
	}
}

// judge applies the policies about actors to a row.
func (s *Service) judge(a *db.Account) error {
	settings := &s.live.Load().Policies
	p, err := mrf.FilterProfile(settings, mrf.Here{Host: s.host, Now: s.now()}, mrf.Profile{
		Actor: mrf.ActorOf(a, s.host), Avatar: a.Avatar != "", Banner: a.Header != "",
	})
	if err != nil {
		return refusal{err}
	}
	if !p.Avatar {
		a.Avatar = ""
	}
	if !p.Banner {
		a.Header = ""
	}
	return nil
}

// picture returns the address of an actor's picture.
func picture(doc activitypub.Object, key string) string {
	for _, image := range doc.Objects(key) {
		if address := webAddress(image.URL("url")); address != "" {
			return address
		}
	}
	if doc.Object(key) == nil {
		return webAddress(doc.URL(key))
	}
	return ""
}

// emojis returns the custom emoji of an actor's document.
func emojis(doc activitypub.Object) []db.Emoji {
	var out []db.Emoji
	for _, tag := range doc.Objects("tag") {
		name := strings.Trim(tag.Text("name"), ":")
		address := picture(tag, "icon")
		if !tag.Is("Emoji") || address == "" || !isShortcode(name) || len(out) == maxEmoji {
			continue
		}
		out = append(out, db.Emoji{Shortcode: name, URL: address, StaticURL: address})
	}
	return out
}

func isShortcode(s string) bool {
	return s != "" && len(s) <= 100 && !strings.ContainsFunc(s, func(r rune) bool {
		return r != '_' && r != '-' && r != '+' && r != '.' && (r > 127 || !unicode.IsLetter(r) && !unicode.IsDigit(r))
	})
}

// webAddress returns a web address with characters that could end it in a page
// escaped; "" for an invalid one.
func webAddress(address string) string {
	if u, err := url.Parse(hosts.URI(address)); err == nil && len(address) <= maxAddress && u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") {
		return u.String()
	}
	return ""
}

func pageOr(address, id string) string {
	if address = webAddress(address); address != "" {
		return address
	}
	return id
}

// oneLine returns a text as one line of at most n visible characters.
func oneLine(s string, n int) string {
	return strings.TrimSpace(truncate(text.Line(s), n))
}

// truncate returns the beginning of a text, of at most n characters.
func truncate(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

package pages

import (
	"html/template"
	"strings"

	"svc/client/api"
	"svc/db"
)

// person is an account in a line.
type person struct {
	Name   template.HTML
	Plain  string // Name without pictures
	Handle string // @name@host
	Path   string // of the profile
	Avatar string
	Remote bool
}

// post is a status on a page.
type post struct {
	ID        string
	Path      string // of its page, on its own server
	Remote    bool
	Author    person
	Reblogger *person
	Parent    *parent
	Focus     bool // the subject of the page
	Unlisted  bool

	Stamp, When, Edited string

	Warning template.HTML
	Words   template.HTML
	Lang    string
	Poll    *poll
	Files   []file
	Veiled  bool // the files are sensitive, and nothing else warns of them
	Card    *card

	Counts    []string
	Reactions []api.EmojiReaction
	App       string
}

// ManyFiles reports whether several files stand side by side.
func (p post) ManyFiles() bool { return len(p.Files) > 1 }

type parent struct{ Handle, Path string }

type file struct {
	Kind         string // image, video, audio; else a link
	URL, Preview string
	Alt          string
	Said         string // the description, where a player does not show it
}

type poll struct {
	Options []option
	State   string
}

type option struct {
	Title template.HTML
	Share int // percent
	Votes string
}

type card struct{ URL, Image, Provider, Title, Description string }

// shownToAll reports whether everybody may see a status and the one it reblogs.
// The queries ask for an anonymous visitor already; this checks again.
func shownToAll(s *api.Status, v db.Viewer) bool {
	of := s
	if s.Reblog != nil {
		of = s.Reblog
	}
	for _, one := range []*api.Status{s, of} {
		if one.Account == nil || one.Visibility != db.Public && one.Visibility != db.Unlisted {
			return false
		}
	}
	if of.Svc.Local {
		return !v.NoLocal
	}
	return !v.NoRemote
}

// posts converts statuses for templates, and drops those that not everybody may
// see.
func (p *Pages) posts(statuses []api.Status, v db.Viewer) []post {
	out := make([]post, 0, len(statuses))
	for i := range statuses {
		if shownToAll(&statuses[i], v) {
			out = append(out, p.post(&statuses[i]))
		}
	}
	return out
}

func (p *Pages) post(s *api.Status) post {
	of := s
	if s.Reblog != nil {
		of = s.Reblog
	}
	out := post{
		ID: s.ID, Path: p.pathOf(of), Remote: !of.Svc.Local, Author: p.person(of.Account), Unlisted: of.Visibility == db.Unlisted,
		Stamp: stamp(of.CreatedAt.Time), When: moment(of.CreatedAt.Time),
		Warning: richText(strings.TrimSpace(of.SpoilerText), of.Emojis), Words: rich(of.Content, of.Emojis),
		Poll: pollOf(of), Card: cardOf(of), Reactions: of.Svc.EmojiReactions,
	}
	if s.Reblog != nil {
		reblogger := p.person(s.Account)
		out.Reblogger = &reblogger
	}
	if of.EditedAt != nil && !of.EditedAt.IsZero() {
		out.Edited = moment(of.EditedAt.Time)
	}
	if of.Language != nil && isLanguage(*of.Language) {
		out.Lang = *of.Language
	}
	if of.InReplyToID != nil && of.Svc.ParentVisible {
		handle := "a post"
		if acct := of.Svc.InReplyToAccountAcct; acct != nil && *acct != "" {
			handle = p.handle(*acct)
		}
		out.Parent = &parent{handle, "/notice/" + *of.InReplyToID}
	}
	if of.Application != nil {
		out.App = of.Application.Name
	}
	for _, m := range of.MediaAttachments {
		if f := fileOf(m); f.URL != "" {
			out.Files = append(out.Files, f)
		}
	}
	out.Veiled = of.Sensitive && out.Warning == "" && len(out.Files) > 0
	for _, n := range []struct {
		count     int
		one, many string
	}{{of.RepliesCount, "reply", "replies"}, {of.ReblogsCount, "reblog", "reblogs"}, {of.FavouritesCount, "favourite", "favourites"}} {
		if n.count > 0 {
			out.Counts = append(out.Counts, counted(int64(n.count), n.one, n.many))
		}
	}
	return out
}

// pathOf leads to a post's page: ours, or its own server's.
func (p *Pages) pathOf(s *api.Status) string {
	if !s.Svc.Local {
		if address := webAddress(s.URL); address != "" {
			return address
		}
		return webAddress(s.URI)
	}
	path := "/notice/" + s.ID
	if s.InReplyToID != nil {
		path += "#post-" + s.ID // the parent comes first on its page
	}
	return path
}

func (p *Pages) person(a *api.Account) person {
	out := person{
		Name: richText(a.DisplayName, a.Emojis), Plain: a.DisplayName, Handle: p.handle(a.Acct), Avatar: webAddress(a.AvatarStatic),
		Remote: strings.Contains(a.Acct, "@"),
	}
	if out.Path = webAddress(a.URL); !out.Remote {
		out.Path = "/users/" + a.Acct
	}
	return out
}

// handle is how people write an account's name in full.
func (p *Pages) handle(acct string) string {
	if strings.Contains(acct, "@") {
		return "@" + acct
	}
	return "@" + acct + "@" + p.Site.Host
}

func fileOf(m api.Attachment) file {
	f := file{Kind: m.Type, URL: webAddress(m.URL), Preview: webAddress(m.PreviewURL)}
	if f.Preview == "" {
		f.Preview = f.URL
	}
	said := ""
	if m.Description != nil {
		said = strings.TrimSpace(*m.Description)
	}
	f.Alt = said
	switch f.Kind {
	case "image":
		if said == "" {
			f.Alt = "Picture without a description"
		}
	case "video", "audio":
		f.Said = said
		if said == "" {
			f.Alt = strings.ToUpper(f.Kind[:1]) + f.Kind[1:] + " without a description"
		}
	default:
		if said == "" {
			f.Alt = "Attached file"
		}
	}
	return f
}

func pollOf(s *api.Status) *poll {
	if s.Poll == nil {
		return nil
	}
	q := s.Poll
	out := &poll{}
	of := max(q.VotesCount, 1)
	for _, o := range q.Options {
		out.Options = append(out.Options, option{
			Title: richText(o.Title, q.Emojis), Share: min((100*o.VotesCount+of/2)/of, 100), Votes: counted(int64(o.VotesCount), "vote", "votes"),
		})
	}
	people := counted(int64(q.VotersCount), "person", "people")
	switch {
	case q.Expired:
		out.State = people + " voted."
	case q.ExpiresAt != nil && !q.ExpiresAt.IsZero():
		out.State = people + " voted so far. Open until " + moment(q.ExpiresAt.Time) + "."
	default:
		out.State = people + " voted so far."
	}
	return out
}

func cardOf(s *api.Status) *card {
	if s.Card == nil || s.Card.Title == "" || webAddress(s.Card.URL) == "" {
		return nil
	}
	c := &card{
		URL: webAddress(s.Card.URL), Provider: s.Card.ProviderName, Title: shorten(s.Card.Title, 200, "…"), Description: shorten(s.Card.Description, 200, "…"),
	}
	if s.Card.Image != nil && !s.Sensitive {
		c.Image = webAddress(*s.Card.Image)
	}
	return c
}

// isLanguage reports whether s can stand in a lang attribute: letters, digits
// and hyphens, as in pt-BR.
func isLanguage(s string) bool {
	for _, c := range []byte(s) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-':
		default:
			return false
		}
	}
	return len(s) >= 2 && len(s) <= 35
}

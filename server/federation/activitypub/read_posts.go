package activitypub

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc/server/platform/hosts"
	"svc/server/platform/text"
)

// The bounds of one post. More is left out, except options: a poll without some
// of its answers is another poll. It has as many files as its document holds.
const (
	MaxTags        = 100
	MaxOptions     = 32
	maxAddresses   = 500
	maxName        = 1000 // bytes of names without a setting
	maxDescription = 10000
)

// Post is the content of a document: a Note, a Question, a titled object or a
// ChatMessage. Texts are unsanitised. Missing values are zero.
type Post struct {
	ID, Type, Author string
	To, CC           []string
	URL              string // a page for people; ID if there is none on its host

	Content, Summary, Name string
	// ContentType is the media type of Content, "" for HTML.
	ContentType        string
	Source, SourceType string
	Language           string
	Sensitive          bool

	Published, Updated time.Time
	InReplyTo, Context string
	Quote              string // the quoted post
	QuoteStamp         string // the permission to quote it, of the quoted post's server
	Mentions           []Mention
	Hashtags           []string // names, see text.Tag
	Emojis             []CustomEmoji
	Attachments        []Attachment
	Links              []string // pages among the attachments
	Poll               *Poll
	Replies            string // the collection of replies, "" for none
	FirstReplies       []string
}

// Mention is an account that a post names.
type Mention struct{ Href, Name string }

// CustomEmoji is the picture of a shortcode in a post.
type CustomEmoji struct {
	Shortcode string
	URL       string
	Updated   time.Time
}

// Attachment is a file of a post. Kind is image, video, audio or unknown, as
// the sender gives it.
type Attachment struct {
	Kind, URL, MediaType string
	Description          string
	Blurhash             string
	Width, Height        int64
}

// Poll is the question of a post.
type Poll struct {
	Multiple bool
	Options  []Option
	Ends     time.Time // zero is never
	Closed   bool      // it is over, whatever Ends says
	Voters   int64     // 0 where it is not told
}

// Option is an answer of a poll.
type Option struct {
	Name  string
	Votes int64
}

// PostTypes are the types of objects that become statuses here.
func PostTypes() []string {
	return []string{"Note", "Question", "Article", "Page", "Video", "Audio", "Event", "Image"}
}

// IsPost reports whether an object becomes a status.
func (o Object) IsPost() bool { return o.Is(PostTypes()...) }

// Titled reports whether the post has a title.
func (p *Post) Titled() bool { return p.Name != "" && p.ofTitledType() }

// ofTitledType reports whether posts of this type have a title, and a summary
// that is an excerpt. Shape: FEP-b2b8.
func (p *Post) ofTitledType() bool {
	return p.Type != "Note" && p.Type != "Question" && p.Type != "ChatMessage" && p.Type != "Answer"
}

// ReadPost reads the document of a post. One without a valid id or author, by
// an author of another server, or with too many answers to a poll is
// ErrMalformed. Of several authors the actor counts; for "", a fetched
// document, the first does.
func ReadPost(o Object, ids IDs, actor string) (*Post, error) {
	id, err := ids.Check(o.ID())
	if err != nil {
		return nil, err
	}
	p := &Post{ID: id, Type: postType(o)}
	if p.Author, err = author(o, ids, actor); err != nil {
		return nil, err
	}
	if !ids.SameOrigin(p.Author, id) {
		return nil, fmt.Errorf("%w: %.200q is not on the server of its author %.200q", ErrMalformed, id, p.Author)
	}
	p.To, p.CC = addresses(o, "to"), addresses(o, "cc")
	p.readTexts(o)
	p.URL = id
	if page := o.URL("url", "text/html"); isPage(page) && ids.SameOrigin(page, id) {
		p.URL = hosts.URI(page)
	}
	if p.Sensitive, _ = o.Bool("sensitive"); p.ofTitledType() && !p.Sensitive {
		// The summary is an excerpt, no warning.
		if p.Content == "" {
			p.Content, p.ContentType = p.Summary, ""
		}
		p.Summary = ""
	}
	p.Published, p.Updated = Moment(o, "published"), Moment(o, "updated")
	if parent := o.IDOf("inReplyTo"); parent != "" {
		if p.InReplyTo, err = ids.Check(parent); err != nil {
			p.InReplyTo = ""
		}
	}
	p.Context = context(o)
	p.readTags(o, ids)
	p.readAttachments(o)
	if p.Poll, err = readPoll(o); err != nil {
		return nil, err
	}
	p.readReplies(o)
	if p.Quote = quoteOf(o); p.Quote != "" {
		// The permission is the quoted author's to give.
		if stamp := o.IDOf("quoteAuthorization"); isPage(stamp) && sameHost(stamp, p.Quote) {
			p.QuoteStamp = stamp
		}
	}
	return p, nil
}

// misskeyQuote is the relation of a link to the quoted post.
const misskeyQuote = "https://misskey-hub.net/ns#_misskey_quote"

// quoteOf returns the address of the quoted post, "" for none: a property of its
// own, or a Link tag to a document that has no other relation. Shape of the tag:
// FEP-e232.
func quoteOf(o Object) string {
	for _, key := range []string{"quote", "quoteUri", "quoteUrl", "_misskey_quote"} {
		if quote := o.IDOf(key); isPage(quote) {
			return quote
		}
	}
	tags := o.Objects("tag")
	for _, tag := range tags[:min(len(tags), MaxTags)] {
		relations := tag.Texts("rel")
		if tag.Is("Link") && IsDocument(tag.Text("mediaType")) && isPage(tag.Text("href")) && (len(relations) == 0 || slices.Contains(relations, misskeyQuote)) {
			return tag.Text("href")
		}
	}
	return ""
}

// sameHost reports whether two addresses are at one host.
func sameHost(a, b string) bool {
	x, err := url.Parse(a)
	y, other := url.Parse(b)
	return err == nil && other == nil && strings.EqualFold(x.Host, y.Host)
}

// postType returns the first known type of the object.
func postType(o Object) string {
	for _, t := range o.Texts("type") {
		if slices.Contains(PostTypes(), t) || t == "ChatMessage" || t == "Answer" {
			return t
		}
	}
	return o.Type()
}

func author(o Object, ids IDs, actor string) (string, error) {
	authors := o.IDs("attributedTo")
	if len(authors) == 0 {
		authors = o.IDs("actor")
	}
	for _, a := range authors {
		a, err := ids.Check(a)
		if err == nil && (actor == "" || a == actor) {
			return a, nil
		}
	}
	return "", fmt.Errorf("%w: %.200q is not by %.200q", ErrMalformed, o.ID(), actor)
}

func addresses(o Object, key string) []string {
	all := o.Addresses(key)
	return all[:min(len(all), maxAddresses)]
}

// context returns the id of the thread: context, or an older key.
func context(o Object) string {
	for _, key := range []string{"context", "conversation"} {
		if id := o.IDOf(key); id != "" && len(id) <= 2048 && !strings.ContainsAny(id, " \t\r\n<>\"") {
			return id
		}
	}
	return ""
}

// Moment returns the time under a key as servers write it: RFC 3339, without a zone, or a day.
func Moment(o Object, key string) time.Time {
	if t := o.Time(key); !t.IsZero() {
		return t
	}
	for _, layout := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05.999999", "2006-01-02"} {
		if t, err := time.Parse(layout, o.Text(key)); err == nil {
			return t.UTC()
		}
	}
	return time.Time{}
}

// isPage reports whether s is a web address.
func isPage(s string) bool {
	if len(s) > 2048 {
		return false
	}
	u, err := url.Parse(s)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil
}

func (p *Post) readTexts(o Object) {
	p.Content, p.Language = localised(o, "content")
	if p.ContentType = o.Text("mediaType"); p.ContentType == "text/html" {
		p.ContentType = ""
	}
	p.Summary, _ = localised(o, "summary")
	p.Name, _ = localised(o, "name")
	p.Name = truncate(p.Name, maxName)
	switch source := o["source"].(type) {
	case string:
		p.Source, p.SourceType = source, "text/plain"
	case map[string]any:
		p.Source, p.SourceType = Object(source).Text("content"), Object(source).Text("mediaType")
	}
}

// localised returns a text and its language: the one with the same text in the
// map of languages. If only the map has texts, the first language counts.
func localised(o Object, key string) (text, language string) {
	text = o.Text(key)
	in, _ := o[key+"Map"].(map[string]any)
	for _, tag := range slices.Sorted(maps.Keys(in)) {
		if s, ok := in[tag].(string); ok && (s == text || text == "") && tag != "und" {
			return s, tag
		}
	}
	if text == "" {
		text, _ = in["und"].(string)
	}
	return text, ""
}

// truncate returns the beginning of s, up to n bytes, in whole characters.
func truncate(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}

func (p *Post) readTags(o Object, ids IDs) {
	tags := o.Objects("tag")
	for _, tag := range tags[:min(len(tags), MaxTags)] {
		name := strings.TrimSpace(tag.Text("name"))
		switch {
		case tag.Is("Mention"):
			if href, err := ids.Check(cmp.Or(tag.Text("href"), tag.ID())); err == nil {
				p.Mentions = append(p.Mentions, Mention{Href: href, Name: truncate(name, maxName)})
			}
		case tag.Is("Hashtag"):
			if name = text.Tag(name); isHashtag(name) && !slices.Contains(p.Hashtags, name) {
				p.Hashtags = append(p.Hashtags, name)
			}
		case tag.Is("Emoji"):
			p.addEmoji(tag)
		}
	}
}

func (p *Post) addEmoji(tag Object) {
	e, ok := ReadEmoji(tag)
	if !ok {
		return
	}
	for i := range p.Emojis {
		if p.Emojis[i].Shortcode == e.Shortcode {
			if e.Updated.After(p.Emojis[i].Updated) {
				p.Emojis[i] = e
			}
			return
		}
	}
	p.Emojis = append(p.Emojis, e)
}

// ReadEmoji reads the tag of an emoji; false for an unusable one.
func ReadEmoji(tag Object) (CustomEmoji, bool) {
	e := CustomEmoji{Shortcode: strings.Trim(strings.TrimSpace(tag.Text("name")), ":"), Updated: Moment(tag, "updated")}
	if icon := tag.Object("icon"); icon != nil {
		e.URL = cmp.Or(icon.URL("url"), icon.Text("href"))
	} else {
		e.URL = tag.URL("icon")
	}
	e.URL = hosts.URI(e.URL)
	return e, isShortcode(e.Shortcode) && isPage(e.URL)
}

func isShortcode(s string) bool {
	for i := range len(s) {
		c := s[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '_' && c != '-' && c != '+' {
			return false
		}
	}
	return s != "" && len(s) <= 100
}

// isHashtag reports whether a name can follow # and be part of an address.
func isHashtag(s string) bool {
	return s != "" && len(s) <= 255 && !strings.ContainsAny(s, "#/?&<>\"'%\\") && strings.IndexFunc(s, func(r rune) bool { return r <= ' ' || r == 0x7f }) < 0
}

// readPoll reads the answers of a question, nil for none.
func readPoll(o Object) (*Poll, error) {
	if !o.Is("Question") {
		return nil, nil
	}
	poll := &Poll{Multiple: len(o.Objects("anyOf")) > 0, Voters: max(o.Int("votersCount"), 0)}
	options := o.Objects("oneOf")
	if poll.Multiple {
		options = o.Objects("anyOf")
	}
	if len(options) > MaxOptions {
		return nil, fmt.Errorf("%w: %d answers to a poll", ErrMalformed, len(options))
	}
	for _, option := range options {
		// A vote repeats the name character by character.
		name := option.Text("name")
		if name == "" || slices.ContainsFunc(poll.Options, func(o Option) bool { return o.Name == name }) {
			continue
		}
		votes := int64(0)
		if replies := option.Object("replies"); replies != nil {
			votes = replies.Int("totalItems")
		}
		poll.Options = append(poll.Options, Option{Name: name, Votes: min(max(votes, 0), 1<<40)})
	}
	if len(poll.Options) == 0 {
		return nil, nil
	}
	poll.Closed, _ = o.Bool("closed")
	poll.Ends = Moment(o, "endTime")
	if closed := Moment(o, "closed"); poll.Ends.IsZero() || !closed.IsZero() && closed.Before(poll.Ends) {
		poll.Ends = closed
	}
	return poll, nil
}

// readReplies reads the replies in the document, and the address of more.
func (p *Post) readReplies(o Object) {
	replies := o.Object("replies")
	if replies == nil {
		p.Replies = o.Text("replies")
		return
	}
	p.Replies = replies.ID()
	page := replies
	if first := replies.Object("first"); first != nil {
		page = first
		p.Replies = cmp.Or(p.Replies, first.Text("next"))
	}
	for _, key := range []string{"items", "orderedItems"} {
		p.FirstReplies = append(p.FirstReplies, page.IDs(key)...)
	}
	p.FirstReplies = p.FirstReplies[:min(len(p.FirstReplies), maxAddresses)]
}

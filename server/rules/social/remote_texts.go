package social

import (
	"cmp"
	"html"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/text"
)

// maxOption is how many characters of a remote poll's option are shown.
const maxOption = 500

// remoteTexts sanitises the texts of a remote status.
func (s *Service) remoteTexts(settings *config.Settings, d *RemoteDraft, p *activitypub.Post) error {
	limit, row := settings.Instance.RemoteLimit, d.row
	if len(p.Content)+len(p.Summary) > limit && text.Length(p.Content)+text.Length(p.Summary) > limit {
		return fault.Invalid("The status is over the character limit")
	}
	row.Content, row.SpoilerText = remoteHTML(p), text.Either(p.Summary)
	row.ContentType = text.TypeHTML
	if len(p.Source) <= limit {
		row.Text, _ = text.Clean(p.Source)
		if slices.Contains([]string{text.TypePlain, text.TypeMarkdown, text.TypeBBCode}, p.SourceType) {
			row.ContentType = p.SourceType
		}
	}
	row.QuoteURI, row.QuoteStamped = p.Quote, p.QuoteStamp != ""
	row.Language = text.Language(p.Language)
	row.Tags = p.Hashtags
	row.Sensitive = p.Sensitive || slices.Contains(p.Hashtags, "nsfw")
	row.Emojis = remoteEmojis(p)
	return nil
}

// remoteHTML returns a status's text as safe HTML, with its title before it,
// and behind it links for contents that cannot be shown otherwise: linked
// pages, and the quoted status.
func remoteHTML(p *activitypub.Post) string {
	content := p.Content
	if p.ContentType == text.TypeMarkdown || p.ContentType == text.TypePlain {
		content = text.Format(content, p.ContentType, text.Options{}).HTML
	}
	var b strings.Builder
	link := func(before, address, name string) {
		b.WriteString("<p>" + before + `<a href="` + html.EscapeString(address) + `">` + html.EscapeString(name) + "</a></p>")
	}
	if p.Titled() {
		link("", p.URL, text.Line(text.Either(p.Name)))
	}
	b.WriteString(content)
	for _, address := range p.Links {
		if !leadsTo(content, address) {
			link("", address, address)
		}
	}
	if p.Quote != "" && !leadsTo(content, p.Quote) && !strings.Contains(content, "quote-inline") {
		link("RE: ", p.Quote, p.Quote)
	}
	return strings.TrimSpace(text.SanitizeRemote(b.String()))
}

// shownOption returns the shown form of an option's name.
func shownOption(name string) string {
	title := text.Line(name)
	if n := len([]rune(title)); n > maxOption {
		title = strings.TrimSpace(string([]rune(title)[:maxOption-1])) + "…"
	}
	return cmp.Or(title, "…")
}

// leadsTo reports whether HTML links to an address already.
func leadsTo(content, address string) bool {
	return strings.Contains(content, address) || strings.Contains(content, html.EscapeString(address))
}

// remoteEmojis returns the custom emoji of a status's texts, with pictures at
// their own servers.
func remoteEmojis(p *activitypub.Post) []db.Emoji {
	if len(p.Emojis) == 0 {
		return nil
	}
	texts := []string{p.Name, p.Summary, p.Content}
	if p.Poll != nil {
		for _, o := range p.Poll.Options {
			texts = append(texts, o.Name)
		}
	}
	var out []db.Emoji
	for _, e := range p.Emojis {
		used := slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, ":"+e.Shortcode+":") })
		if used {
			out = append(out, db.Emoji{Shortcode: e.Shortcode, URL: e.URL, StaticURL: e.URL})
		}
	}
	return out
}

// remoteFiles adds a status's files; only their addresses are stored.
func (d *RemoteDraft) remoteFiles(p *activitypub.Post) {
	for i, a := range p.Attachments {
		description, _ := text.Clean(a.Description)
		d.files = append(d.files, db.MediaAttachment{
			AccountID: d.author.ID, Position: i, Type: a.Kind, URL: a.URL, RemoteURL: a.URL, Description: strings.TrimSpace(description),
			MimeType: a.MediaType, Blurhash: a.Blurhash, CreatedAt: d.row.CreatedAt,
		})
	}
	d.row.HasMedia = len(d.files) > 0
}

// filesOf returns the files for one attempt at inserting them with row.
func (d *revision) filesOf(row *db.Status) []db.MediaAttachment {
	files := slices.Clone(d.files)
	for i := range files {
		files[i].StatusID = &row.ID
	}
	return files
}

// remotePoll adds a status's poll. Its options are stored with the names that their
// author gave them, which votes repeat, and as they are shown.
func (d *RemoteDraft) remotePoll(p *activitypub.Post, now time.Time) {
	if p.Poll == nil {
		return
	}
	if d.over = p.Poll.Closed && (p.Poll.Ends.IsZero() || p.Poll.Ends.After(now)); d.over {
		p.Poll.Ends = now
	}
	poll := &db.Poll{Multiple: p.Poll.Multiple, ExpiresAt: db.At(p.Poll.Ends), CreatedAt: d.row.CreatedAt}
	sum, most := int64(0), int64(0)
	for _, o := range p.Poll.Options {
		option := db.PollOption{Title: shownOption(o.Name), Votes: int(o.Votes)}
		if option.Title != o.Name {
			option.Name = o.Name
		}
		poll.Options = append(poll.Options, option)
		sum, most = sum+o.Votes, max(most, o.Votes)
	}
	switch {
	case p.Poll.Voters > 0:
		poll.VotersCount = int(p.Poll.Voters)
	case poll.Multiple:
		poll.VotersCount = int(most)
	default:
		poll.VotersCount = int(sum)
	}
	d.poll = poll
}

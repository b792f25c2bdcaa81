package config

import "regexp"

// Mailings are the style of mails, and unsolicited mails.
type Mailings struct {
	// Logo is a picture at the head of mails: a URL, or a local path; "" is none.
	Logo  string
	Style MailStyle
	// NewUsersDigest mails new users to admins once a day.
	NewUsersDigest bool
}

// MailStyle is the colours of mails, as in CSS.
type MailStyle struct {
	Link, Background, Content, Header, Text, Muted string
}

var colour = regexp.MustCompile(`^(#[0-9A-Fa-f]{3,8}|[A-Za-z]{3,24})$`)

func isColour(value any) bool {
	s, ok := value.(string)
	return ok && colour.MatchString(s)
}

func mailingSettings() []Setting {
	style := func(name, value string, field func(*MailStyle) any, description string) Setting {
		s := row("Svc.Emails.UserEmail", ":styling "+name, String, value, func(s *Settings) any { return field(&s.Mailings.Style) }, description).inMap()
		s.check, s.takes = isColour, "a colour such as #2C3645"
		return s
	}
	return []Setting{
		row("Svc.Emails.UserEmail", ":logo", String, "", func(s *Settings) any { return &s.Mailings.Logo }, "Picture at the head of mails").null(""),
		style(":link_color", "#d8a070", func(m *MailStyle) any { return &m.Link }, "Colour of links in mails"),
		style(":background_color", "#2C3645", func(m *MailStyle) any { return &m.Background }, "Colour around mails"),
		style(":content_background_color", "#1B2635", func(m *MailStyle) any { return &m.Content }, "Colour behind the text of mails"),
		style(":header_color", "#d8a070", func(m *MailStyle) any { return &m.Header }, "Colour of headings in mails"),
		style(":text_color", "#b9b9ba", func(m *MailStyle) any { return &m.Text }, "Colour of text in mails"),
		style(":text_muted_color", "#b9b9ba", func(m *MailStyle) any { return &m.Muted }, "Colour of small print in mails"),
		row("Svc.Emails.NewUsersDigestEmail", ":enabled", Boolean, false, func(s *Settings) any { return &s.Mailings.NewUsersDigest },
			"Whether admins are mailed once a day who is new"),
	}
}

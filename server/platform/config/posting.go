package config

import (
	"slices"
	"strings"
	"time"

	"svc/server/platform/text"
)

// Scheduled is Svc.ScheduledActivity: scheduled statuses.
type Scheduled struct {
	Enabled        bool // otherwise they are stored, and never posted
	DailyUserLimit int  // of one account for one day
	TotalUserLimit int  // of one account
}

// Expiry is Svc.Workers.PurgeExpiredActivity: expiring statuses.
type Expiry struct {
	Enabled     bool
	MinLifetime time.Duration // the shortest life of a status
}

// Formatter is Svc.Formatter: links in a text.
type Formatter struct {
	Rel         string // the relation of links
	Truncate    int    // longest text of a link, in characters; 0 is any
	StripPrefix bool   // show addresses without scheme and www.
	Extra       bool   // also link addresses other than pages
	Class       string // of links to addresses; "false" is none
	NewWindow   bool   // links open a new window
	ValidateTLD string // "true", "false" or ":no_scheme": of which addresses the top-level domain must exist
}

// strictClients are apps, by the names that they register with, that lose a page or a
// post with a visibility which Mastodon does not have.
var strictClients = []string{"IceCubesApp", "Mastodon for Android"}

func (f *Formatter) class() string {
	if f.Class == "false" || f.Class == "true" {
		return ""
	}
	return strings.TrimPrefix(f.Class, ":")
}

func (f *Formatter) knownTLD() text.TLDCheck {
	switch f.ValidateTLD {
	case "true":
		return text.EveryAddress
	case "false":
		return text.NoAddress
	}
	return text.WithoutScheme
}

// Markup is the group :markup: the markup of rich texts.
type Markup struct {
	AllowInlineImages bool
	AllowHeadings     bool
	AllowTables       bool
	AllowFonts        bool
}

func postingSettings() []Setting {
	const scheduled, expiry, formatter, markup = "Svc.ScheduledActivity", "Svc.Workers.PurgeExpiredActivity", "Svc.Formatter", ":markup"
	return []Setting{
		row(":instance", ":safe_dm_mentions", Boolean, false, func(s *Settings) any { return &s.Instance.SafeDMMentions },
			"Whether only the mentions that begin a direct status address it"),
		row(":instance", ":attachment_links", Boolean, false, func(s *Settings) any { return &s.Instance.AttachmentLinks },
			"Whether links to files are added to the text"),
		row(":instance", ":remote_post_retention_days", Integer, 90, func(s *Settings) any { return &s.Instance.RemotePostRetentionDays },
			"Days after which posts of other servers may be pruned").between(1, 36500),
		row(":instance", ":prune_remote_posts", Boolean, false, func(s *Settings) any { return &s.Instance.PruneRemotePosts },
			"Whether posts of other servers are pruned each hour once :remote_post_retention_days are over, but for those that somebody here has to do with").unset(),
		row("Svc.Upload", ":filename_display_max_length", Integer, 30, func(s *Settings) any { return &s.Upload.FilenameDisplayMaxLength },
			"Longest name of a file in a text, in characters; 0 for any"),
		row(":client_compatibility", ":strict_clients", Strings, slices.Clone(strictClients), func(s *Settings) any { return &s.Compatibility.StrictClients },
			"Names of apps that do not know the visibilities local and list and are shown unlisted and direct; * is all apps"),
		row(scheduled, ":enabled", Boolean, true, func(s *Settings) any { return &s.Scheduled.Enabled }, "Whether scheduled statuses are posted"),
		row(scheduled, ":daily_user_limit", Integer, 25, func(s *Settings) any { return &s.Scheduled.DailyUserLimit }, "Most statuses that one account schedules for one day"),
		row(scheduled, ":total_user_limit", Integer, 300, func(s *Settings) any { return &s.Scheduled.TotalUserLimit }, "Most scheduled statuses of one account"),
		row(expiry, ":enabled", Boolean, true, func(s *Settings) any { return &s.Expiry.Enabled }, "Whether statuses may be posted for a while only"),
		row(expiry, ":min_lifetime", Seconds, time.Hour, func(s *Settings) any { return &s.Expiry.MinLifetime }, "A status must live longer than this, in seconds"),
		row(formatter, ":rel", String, "ugc", func(s *Settings) any { return &s.Formatter.Rel }, "Relation that links in statuses have to their page"),
		row(formatter, ":truncate", IntegerOrFalse, 0, func(s *Settings) any { return &s.Formatter.Truncate }, "Longest text of a link, in characters; or false"),
		row(formatter, ":strip_prefix", Boolean, false, func(s *Settings) any { return &s.Formatter.StripPrefix }, "Whether links are shown without scheme and www."),
		row(formatter, ":extra", Boolean, true, func(s *Settings) any { return &s.Formatter.Extra }, "Whether other addresses than those of web pages are linked"),
		row(formatter, ":class", Word, "false", func(s *Settings) any { return &s.Formatter.Class }, "Class of links to addresses in texts; or false"),
		row(formatter, ":new_window", Boolean, false, func(s *Settings) any { return &s.Formatter.NewWindow }, "Whether links to addresses in texts open a new window"),
		row(formatter, ":validate_tld", Word, ":no_scheme", func(s *Settings) any { return &s.Formatter.ValidateTLD },
			"Whether only addresses of known top-level domains are linked; :no_scheme asks it of those without http://").oneOf(":no_scheme", "true", "false"),
		row(":uri_schemes", ":valid_schemes", Strings,
			[]string{"https", "http", "dat", "dweb", "gopher", "hyper", "ipfs", "ipns", "irc", "ircs", "magnet", "mailto", "mumble", "ssb", "xmpp"},
			func(s *Settings) any { return &s.ValidSchemes }, "Schemes that links may have"),
		row(markup, ":allow_inline_images", Boolean, true, func(s *Settings) any { return &s.Markup.AllowInlineImages }, "Whether texts may show pictures"),
		row(markup, ":allow_headings", Boolean, false, func(s *Settings) any { return &s.Markup.AllowHeadings }, "Whether texts may have headings"),
		row(markup, ":allow_tables", Boolean, false, func(s *Settings) any { return &s.Markup.AllowTables }, "Whether texts may have tables"),
		row(markup, ":allow_fonts", Boolean, false, func(s *Settings) any { return &s.Markup.AllowFonts }, "Whether texts may change fonts"),
	}
}

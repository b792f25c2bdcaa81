package config

import (
	"encoding/json"
	"strings"

	"svc/client/settings/term"
)

// inert are settings that clients know and save, and that nothing reads.
// Implementing one moves it to the rows of its topic. Value is the default in
// wire form, empty for none.
type inert struct{ group, key, path, value, description string }

// inertSettings makes rows of the tables.
func inertSettings() []Setting {
	var rows []Setting
	for _, table := range [][]inert{inertAccounts(), inertMedia(), inertFederation(), inertServices()} {
		for _, line := range table {
			rows = append(rows, line.setting())
		}
	}
	return rows
}

func (i inert) setting() Setting {
	s := Setting{
		Group: i.group, Key: i.key, Path: strings.Fields(i.path), Kind: Any, Default: term.Nil(),
		Unset: i.value == "", Secret: strings.HasSuffix(i.description, secretNote), Locked: strings.HasSuffix(i.description, lockedNote),
		Description: strings.TrimSuffix(strings.TrimSuffix(i.description, secretNote), lockedNote) + "; kept for clients, without effect here",
	}
	if !s.Unset {
		// An unreadable default would be null: a test checks that.
		if value, err := term.FromJSON(json.RawMessage(i.value)); err == nil {
			s.Default = value
		}
	}
	return s
}

// The notes at the end of a description.
const (
	secretNote = " (secret)"
	lockedNote = " (locked)"
)

func inertAccounts() []inert {
	const svc, mailer, ldap = ":svc", "Svc.Emails.Mailer", ":ldap"
	return []inert{
		{svc, ":instance", ":federation_publisher_modules", `["Svc.Web.ActivityPub.Publisher"]`, "Modules that send activities to other servers"},

		{svc, ":auth", ":oauth_consumer_strategies", `[]`, "Other services that people may sign in with"},
		{svc, ":auth", ":auth_template", `"show.html"`, "Page to sign in on"},
		{svc, ":auth", ":oauth_consumer_template", `"consumer.html"`, "Page to sign in with another service"},
		{svc, ldap, ":sslopts", `[]`, "Options of the encrypted connection to the directory"},
		{svc, ldap, ":tlsopts", `[]`, "Options of the encrypted connection to the directory"},

		{svc, mailer, ":no_mx_lookups", "", "Whether the relay is used as it is named"},
		{svc, mailer, ":api_key", "", "Key at a mail service" + secretNote},
		{svc, mailer, ":secret", "", "Secret at a mail service" + secretNote},
		{svc, mailer, ":access_key", "", "Access key at a mail service" + secretNote},
		{svc, mailer, ":access_token", "", "Token at a mail service" + secretNote},
		{svc, ":email_notifications", ":digest", `{":active":false,":interval":7,":inactivity_threshold":7}`, "Mails of what happened, for who was away; in days"},
	}
}

func inertMedia() []inert {
	const svc, upload = ":svc", "Svc.Upload"
	return []inert{
		{svc, ":emoji", ":default_manifest", `""`, "URL of a list of packs"},
		{svc, ":emoji", ":shared_pack_cache_seconds_per_file", `60`, "How long a shared pack is kept, in seconds for each file"},
		{svc, ":frontends", ":available", "", "Front ends that can be installed"},
		{svc, "Svc.Web.Preload", ":providers", `["Svc.Web.Preload.Providers.Instance"]`, "Modules of the data that pages bring along for front ends"},
		{svc, ":markup", ":scrub_policy", `["Svc.HTML.Scrubber.Default"]`, "Modules that clean texts"},
		{svc, ":rich_media", ":parsers", `["Svc.Web.RichMedia.Parsers.OEmbed","Svc.Web.RichMedia.Parsers.TwitterCard"]`, "Modules that read pages for a preview"},
		{svc, ":rich_media", ":ttl_setters", `["Svc.Web.RichMedia.Parser.TTL.AwsSignedUrl"]`, "Modules that tell how long a preview is kept"},
	}
}

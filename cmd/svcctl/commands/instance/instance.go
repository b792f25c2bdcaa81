// Package instance is what svcctl has for the server itself and the servers that it knows: limits,
// relays, queues, rules, emoji, media and apps.
package instance

import (
	"github.com/spf13/cobra"

	"svc/cmd/svcctl/cli"
)

// Commands are the nouns of this package.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{ruleCommand(a), announcementCommand(a), serverCommand(a), emojiCommand(a), mediaCommand(a), appCommand(a), relayCommand(a), federationCommand(a), jobsCommand(a), instanceCommand(a), accountCommand(a), statsCommand(a)}
}

// Schemas are the objects that they print.
func Schemas() []cli.Schema {
	return []cli.Schema{
		cli.SchemaOf("account", "account get kim", accountShape),
		cli.SchemaOf("app", "app list", appShape),
		cli.SchemaOf("emoji", "emoji list", emojiShape),
		cli.SchemaOf("emoji pack", "emoji pack list", packShape),
		cli.SchemaOf("federation", "federation hosts", hostShape),
		cli.SchemaOf("instance", "instance show", instanceShape),
		cli.SchemaOf("instance get", "instance get far.example", knownShape),
		cli.SchemaOf("instance limits", "instance limits", limitedShape),
		cli.SchemaOf("instance restrictions", "instance restrictions", restrictionShape),
		cli.SchemaOf("announcement", "announcement list", announcementShape),
		cli.SchemaOf("rule", "rule list", ruleShape),
		cli.SchemaOf("jobs", "jobs list", jobShape),
		cli.SchemaOf("jobs queues", "jobs queues", queueShape),
		cli.SchemaOf("media cached", "media cached", cachedShape),
		cli.SchemaOf("relay", "relay list", relayShape),
		cli.SchemaOf("server", "server needs-reboot", rebootShape),
		cli.SchemaOf("stats", "stats", statsShape),
	}
}

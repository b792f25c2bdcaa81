// Package moderation is what svcctl has for moderators: reports, posts, users and sign-ups, and the
// log of what was done.
package moderation

import (
	"github.com/spf13/cobra"

	"svc/cmd/svcctl/cli"
)

// Commands are the nouns of this package.
func Commands(a *cli.App) []*cobra.Command {
	return []*cobra.Command{reportCommand(a), userCommand(a), roleCommand(a), statusCommand(a), inviteCommand(a), chatCommand(a), sshKeyCommand(a), mailDomainCommand(a), logCommand(a), digestCommand(a), messageCommand(a), undoCommand(a), journalCommand(a)}
}

// Schemas are the objects that they print.
func Schemas() []cli.Schema {
	return []cli.Schema{
		cli.SchemaOf("chat", "chat list kim", chatShape),
		cli.SchemaOf("chat messages", "chat messages 1", messageShape),
		cli.SchemaOf("digest", "digest", digestShape),
		cli.SchemaOf("invite", "invite list", inviteShape),
		cli.SchemaOf("journal", "journal", journalShape),
		cli.SchemaOf("log", "log list", logShape),
		cli.SchemaOf("report", "report list", reportShape),
		cli.SchemaOf("report groups", "report groups --by account", groupShape),
		cli.SchemaOf("role", "role get kim", roleShape),
		cli.SchemaOf("ssh-key", "ssh-key list", sshKeyShape),
		cli.SchemaOf("status", "status list", statusShape),
		cli.SchemaOf("user", "user list", userShape),
		cli.SchemaOf("user credentials", "user credentials get kim", credentialsShape),
	}
}

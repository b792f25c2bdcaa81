package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// examples are command lines as they may be typed after svcctl. The help of each
// command shows those that call it.
var examples = []string{
	"report list --state open --older-than 24h",
	"report list --state open --all -o name",
	"report get 9xA7",
	"report groups --by account",
	"report resolve 9xA7 --note 'spam, account is gone'",
	"report close 9xA7 9xA8 --yes",
	"report reopen 9xA7",
	"report wait 9xA7 --state resolved",
	"report note add 9xA7 'asked the author'",
	"report note delete 9xA7 3",
	"user list --filter need_approval -o name",
	"user list kim --filter external",
	"user get kim kim@other.example",
	"user create kim --email kim@example.org --generate",
	"user create --file users.jsonl --generate",
	"user delete kim --dry-run",
	"user activate kim",
	"user deactivate spammer --dry-run",
	"user toggle kim",
	"user approve kim ana",
	"user confirm kim",
	"user resend-confirmation kim",
	"user follow kim ana",
	"user unfollow kim ana",
	"user backup kim",
	"user password-reset kim",
	"user force-reset kim",
	"user mfa disable kim",
	"user tag add kim --tag mrf_tag:sandbox",
	"user tag remove kim --tag mrf_tag:sandbox",
	"user role get kim",
	"user role add moderator kim",
	"user role remove moderator kim",
	"user credentials get kim",
	"user credentials set kim name=Kim locked=true avatar=@kim.png",
	"role get kim admin",
	"role add admin kim",
	"role remove admin kim",
	"status list --user kim --godmode",
	"status list --instance other.example",
	"status get 9xPq1",
	"status set 9xPq1 --sensitive --visibility unlisted",
	"status delete 9xPq1",
	"invite list --stale",
	"invite create --max-use 5 --expires 7d",
	"invite email kim@example.org --name Kim",
	"invite revoke yR3kHcPzqTA",
	"chat list kim",
	"chat get 9xC1",
	"chat messages 9xC1 --all",
	"chat delete-message 9xC1 9xM4",
	"config get svc instance",
	"config describe svc instance limit",
	"config set svc instance registrations_open false",
	"config unset svc instance limit",
	"config add svc mrf_simple reject bad.example",
	"config remove svc mrf_simple reject bad.example",
	"config edit svc instance",
	"config export -o yaml",
	"config diff settings.yaml --db-only",
	"config plan settings.yaml",
	"config apply settings.yaml",
	"server needs-reboot --fail-needed",
	"server restart",
	"emoji reload",
	"media list evil.example",
	"media purge --ban https://evil.example/a.png",
	"media unban https://evil.example/a.png",
	"doc get instance-panel",
	"doc put instance-panel panel.html",
	"doc delete instance-panel",
	"app list --name Web",
	"app create --name Web --redirect-uri https://web.example/back --scope read,write",
	"app update 3 --trusted",
	"app delete 3",
	"relay list",
	"relay follow https://relay.example/inbox",
	"relay unfollow https://relay.example/inbox",
	"federation hosts --failing",
	"federation host slow.example",
	"federation retry slow.example",
	"federation forget gone.example",
	"jobs list --queue mailer",
	"jobs queues",
	"jobs retry 17",
	"jobs retry --queue federator_outgoing",
	"stats --instance other.example",
	"log list --since 7d --actor mika",
	"api GET reports -f state=open",
	"api PUT users/tag -f nicknames[]=kim -f tags[]=seen --dry-run",
	"tui --theme light",
	"auth login https://social.example",
	"auth login https://social.example --username kim --password-stdin",
	"auth status",
	"auth refresh",
	"auth token",
	"auth logout",
	"context list",
	"context use social.example",
	"context add staging https://staging.example --read-only",
	"context remove staging",
	"completion bash",
	"version",
}

// addExamples gives each command the examples that call it.
func addExamples(root *cobra.Command) {
	for _, line := range examples {
		cmd, _, err := root.Find(strings.Fields(line))
		if err != nil {
			panic(err) // no such command: a mistake in this program
		}
		if cmd.Example != "" {
			cmd.Example += "\n"
		}
		cmd.Example += "  svcctl " + line
	}
}

package main

import (
	"github.com/spf13/cobra"

	"svc/cmd/svcctl/cli"
)

func newRoot(a *cli.App) *cobra.Command {
	root := a.Root()
	if err := root.RegisterFlagCompletionFunc("context", completeContexts(a)); err != nil {
		panic(err) // the flag is not defined: a mistake in this program
	}
	root.AddCommand(
		reportCommand(a), userCommand(a), roleCommand(a), statusCommand(a), inviteCommand(a), chatCommand(a),
		configCommand(a), serverCommand(a), emojiCommand(a), mediaCommand(a), docCommand(a), appCommand(a), relayCommand(a),
		federationCommand(a), jobsCommand(a), sshKeyCommand(a),
		instanceCommand(a), accountCommand(a), statsCommand(a), logCommand(a), digestCommand(a), messageCommand(a),
		undoCommand(a), journalCommand(a),
		apiCommand(a), tuiCommand(a),
		authCommand(a), contextCommand(a), aliasCommand(a), doctorCommand(a), schemaCommand(a), completionCommand(a), manCommand(a), versionCommand(a),
	)
	return root
}

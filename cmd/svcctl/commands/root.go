// Package commands is all of svcctl: its nouns and verbs, for svcctl itself and for
// svcd, which runs them for people who reach it over SSH.
//
// A file holds one noun: its verbs, its columns, and its completions. A function
// builds one command from the frames of package cli.
package commands

import (
	"context"

	"github.com/spf13/cobra"

	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/commands/instance"
	"svc/cmd/svcctl/commands/moderation"
	"svc/cmd/svcctl/commands/settings"
)

// Run is the whole program on one's own machine: it returns the exit code.
func Run(a *cli.App, args []string) int { return extended(a, newRoot(a), args) }

// RunHosted is the program for somebody at another machine.
func RunHosted(ctx context.Context, h *cli.Hosted, args []string) int {
	a := h.App()
	return a.ExecuteHosted(ctx, newRoot(a), args)
}

func newRoot(a *cli.App) *cobra.Command {
	root := a.Root()
	for _, nouns := range [][]*cobra.Command{moderation.Commands(a), settings.Commands(a), instance.Commands(a)} {
		root.AddCommand(nouns...)
	}
	root.AddCommand(docCommand(a), apiCommand(a), schemaCommand(a), versionCommand(a))
	// The others are about the machine that they run on: its files, programs and
	// terminal.
	if a.Hosted() {
		for _, noun := range root.Commands() {
			for _, verb := range noun.Commands() {
				if verb.CommandPath() == "svcctl config edit" {
					noun.RemoveCommand(verb)
				}
			}
		}
		return root
	}
	a.CompleteFlagWith(root, "fields", completeFields)
	a.CompleteFlagWith(root, "sort", completeFields)
	a.CompleteFlagWith(root, "context", completeContexts(a))
	root.AddCommand(tuiCommand(a), authCommand(a), contextCommand(a), aliasCommand(a), doctorCommand(a), completionCommand(a), manCommand(a))
	return root
}

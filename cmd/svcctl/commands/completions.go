package commands

import (
	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/cmd/svcctl/cli"
)

var shells = []string{"bash", "zsh", "fish", "powershell"}

func completionCommand(a *cli.App) *cobra.Command {
	return cli.Examples(&cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completion script for a shell: " + cli.AnyOf(shells),
		Long: "Print the script that completes commands, flags, and what the server knows of: nicknames, reports, settings.\n\n" +
			"bash needs the package bash-completion, version 2, and a shell that reads it: put the script into\n" +
			"~/.local/share/bash-completion/completions/svcctl. zsh reads it as _svcctl from a folder of fpath, before\n" +
			"compinit; fish from ~/.config/fish/completions/svcctl.fish.",
		Args:      cli.ExactArgs(1, "one shell"),
		ValidArgs: shells,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			switch args[0] {
			case "bash":
				return root.GenBashCompletionV2(a.Out, true)
			case "zsh":
				return root.GenZshCompletion(a.Out)
			case "fish":
				return root.GenFishCompletion(a.Out, true)
			case "powershell":
				return root.GenPowerShellCompletionWithDesc(a.Out)
			}
			return cli.Usagef("shell %s: %s are accepted", action.Quote(args[0]), cli.AnyOf(shells))
		},
	}, "completion bash")
}

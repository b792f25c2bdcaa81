package cli

import "github.com/spf13/cobra"

// Former keeps an older spelling of a flag of cmd, hidden, so that scripts go on.
func Former(cmd *cobra.Command, older, flag string) {
	f := cmd.Flags().Lookup(flag)
	cmd.Flags().Var(f.Value, older, "the older name of --"+flag)
	if err := cmd.Flags().MarkHidden(older); err != nil {
		panic(err) // no such flag: a mistake in this program
	}
}

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server/federation/outbox"
	"svc/server/federation/remote"
	"svc/server/platform/config"
	"svc/server/platform/outgoing"
)

func (a *app) userRotateKeyCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rotate-key NICK",
		Short: "Replace the signing key of a local user",
		Long: "Replace the key that signs a local user's activities. The service sends the new key to other\n" +
			"servers, signed with the old one, as soon as it runs.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withAccounts(cmd, false, func(ctx context.Context, on *accounts) error {
				if err := on.rotateKey(ctx, args[0]); err != nil {
					return fmt.Errorf("user %q: %w", args[0], err)
				}
				return nil
			})
		},
	}
	config.BindFlags(cmd.Flags())
	return cmd
}

// rotateKey contacts no other server: the running service delivers the queued
// activities.
func (on *accounts) rotateKey(ctx context.Context, nickname string) error {
	account, err := on.db.AccountByNickname(ctx, nickname)
	if errors.Is(err, db.ErrNotFound) || err == nil && !account.Local {
		return errors.New("there is no such local user")
	}
	if err != nil {
		return err
	}
	keys := remote.New(remote.Parts{DB: on.db, Settings: on.live, Site: on.site, Outgoing: outgoing.New(outgoing.Options{}), Now: on.now})
	defer keys.Stop()
	told := outbox.New(on.live, on.site.Base)
	return keys.RotateKey(ctx, account.ID, func(tx *db.DB, a *db.Account) error { return told.KeyChanged(ctx, tx, a) })
}

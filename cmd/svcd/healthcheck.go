package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"svc/server/platform/config"
)

// healthTime is how long the service may take to say how it fares.
const healthTime = 10 * time.Second

// healthcheckCommand is for containers, which may have no program to send a request with.
func (a *app) healthcheckCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: "Ask the running service whether it works and can write, and exit with 0 if so",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, _, err := a.load(cmd)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), healthTime)
			defer cancel()
			network, address := cfg.Network()
			status, body, err := ask(ctx, network, address, "/healthz")
			if err != nil {
				return err
			}
			if status != http.StatusOK {
				return errors.New(body)
			}
			_, err = fmt.Fprintln(a.stdout, body)
			return err
		},
	}
	config.BindFlags(cmd.Flags())
	return cmd
}

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/rules/auth"
)

// checks are run in this order. Each returns its result in words, or its
// failure.
var checks = []struct {
	name string
	run  func(ctx context.Context, settings *config.Settings, d *db.DB) (string, error)
}{
	{"directory", checkDirectory},
	{"counters", checkCounters},
}

func (a *app) checkCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the directory of users and all counters",
		Long: "Check the directory of users and all counters. If sign-in by LDAP is configured, the directory is\n" +
			"searched for an unknown name. Every counter is compared with the rows that it counts. Each check\n" +
			"prints one line. Nothing is changed, and the service may run meanwhile. The exit code is 1 if a\n" +
			"check fails.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.withDatabase(cmd, false, func(ctx context.Context, cfg config.Config, d *db.DB) error {
				live, err := liveSettings(ctx, cfg, d)
				if err != nil {
					return err
				}
				return a.check(ctx, live.Load(), d)
			})
		},
	}
	config.BindFlags(cmd.Flags())
	return cmd
}

func (a *app) check(ctx context.Context, settings *config.Settings, d *db.DB) error {
	failed := 0
	for _, c := range checks {
		said, err := c.run(ctx, settings, d)
		if err != nil {
			failed++
			said = "FAILED: " + oneLine(err)
		}
		if _, err := fmt.Fprintf(a.stdout, "%s: %s\n", c.name, said); err != nil {
			return err
		}
	}
	if failed > 0 {
		return errors.New("a check failed")
	}
	return nil
}

func checkDirectory(ctx context.Context, settings *config.Settings, _ *db.DB) (string, error) {
	d := &settings.Directory
	if !d.On() {
		return "not asked", nil
	}
	return fmt.Sprintf("%s answers at port %d", d.Host, d.Port), auth.ProbeDirectory(ctx, d)
}

// checkCounters may take as long as it takes to read all tables.
func checkCounters(ctx context.Context, _ *config.Settings, d *db.DB) (string, error) {
	wrong, err := d.Miscounts(db.Within(ctx, time.Hour))
	if err != nil || len(wrong) == 0 {
		return "right", err
	}
	said := make([]string, len(wrong))
	for i, w := range wrong {
		said[i] = fmt.Sprintf("%s of %s is %d, counted %d", w.Counter, w.ID, w.Kept, w.Counted)
	}
	return "", errors.New(strings.Join(said, "; "))
}

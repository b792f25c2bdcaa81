package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/platform/config"
	"svc/server/platform/media"
)

func (a *app) checkCommand() *cobra.Command {
	var (
		repair bool
		output string
	)
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check the directory of users, the database and the files",
		Long: "Check the directory of users, the database and the files. If sign-in by LDAP is configured, the\n" +
			"directory is searched for an unknown name. Every row is compared with the rows that it leads to\n" +
			"and those that are a part of it, every counter with the rows that it counts, home timelines with\n" +
			"follows, replies with their threads, deliveries with activities, and files with the rows that name\n" +
			"them. The service may run meanwhile: a row is held and read again before it is reported. Nothing is\n" +
			"changed without --repair, which repairs what has one right answer; a service that runs on SQLite does\n" +
			"that itself, with pauses, and the command waits for it. The exit code is 1 if a check fails, or\n" +
			"something is left unrepaired.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if output != "" && output != "json" {
				return usagef("--output: %q is not accepted; give json", output)
			}
			return a.withDatabase(cmd, false, func(ctx context.Context, cfg config.Config, d *db.DB) error {
				report, err := checkOrAsk(ctx, cfg, d, repair)
				if err != nil {
					return err
				}
				return a.printCheck(report, output == "json")
			})
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().BoolVar(&repair, "repair", false, "repair what has one right answer")
	cmd.Flags().StringVarP(&output, "output", "o", "", "json for a JSON object")
	return cmd
}

// checkOrAsk has the serving process repair a SQLite database, if there is one. A check
// alone writes nothing.
func checkOrAsk(ctx context.Context, cfg config.Config, d *db.DB, repair bool) (*server.CheckReport, error) {
	if repair {
		var report server.CheckReport
		if asked, err := server.Ask(ctx, d, server.TaskRepair, &report); err != nil || asked {
			return &report, err
		}
	}
	live, err := liveSettings(ctx, cfg, d)
	if err != nil {
		return nil, err
	}
	return server.Check(db.Yielding(ctx), live.Load(), d, media.NewStores(d, cfg.DataDir, cfg.Media.Prefix, live), repair)
}

func (a *app) printCheck(r *server.CheckReport, asJSON bool) error {
	failed := r.Directory.Failed
	for _, area := range r.Areas {
		failed = failed || area.Found > area.Repaired
	}
	print := a.printFindings
	if asJSON {
		print = func(r *server.CheckReport) error { return json.NewEncoder(a.stdout).Encode(r) }
	}
	if err := print(r); err != nil || !failed {
		return err
	}
	return errors.New("a check failed")
}

// unfinished says that an area was checked in part.
func unfinished(area server.CheckedArea) string {
	if !area.Unfinished {
		return ""
	}
	return ", as far as was looked at in a minute; the next check goes on there"
}

// printFindings prints one line for each area, and one for each finding.
func (a *app) printFindings(r *server.CheckReport) error {
	said := "directory: " + r.Directory.Result + "\n"
	if r.Directory.Failed {
		said = "directory: FAILED: " + r.Directory.Result + "\n"
	}
	for _, area := range r.Areas {
		switch area.Found {
		case 0:
			said += area.Area + ": right" + unfinished(area) + "\n"
		case area.Repaired:
			said += fmt.Sprintf("%s: %d repaired%s\n", area.Area, area.Repaired, unfinished(area))
		default:
			said += fmt.Sprintf("%s: FAILED: %d wrong, %d repaired%s\n", area.Area, area.Found, area.Repaired, unfinished(area))
		}
		for _, f := range area.Findings {
			said += fmt.Sprintf("  %s of %s: %s", f.Check, f.Row, f.Fault)
			switch {
			case f.Repaired:
				said += " (repaired)"
			case f.Unmendable != "":
				said += " (cannot be repaired: " + f.Unmendable + ")"
			}
			said += "\n"
		}
		if more := area.Found - len(area.Findings); more > 0 {
			said += fmt.Sprintf("  and %d more\n", more)
		}
	}
	_, err := fmt.Fprint(a.stdout, said)
	return err
}

package main

import (
	"archive/zip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/settings/term"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/static"
	"svc/server/rules/settings"
)

func (a *app) frontendCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "frontend",
		Short: "Install web clients that the service shows in place of its own pages",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usagef("frontend: say what to do: install")
		},
	}
	cmd.AddCommand(a.frontendInstallCommand())
	return cmd
}

func (a *app) frontendInstallCommand() *cobra.Command {
	var (
		name, ref      string
		primary, admin bool
	)
	cmd := &cobra.Command{
		Use:   "install FILE.zip",
		Short: "Unpack a built front end, and show it",
		Long: "Unpack a built front end into the static folder: an archive with the file index.html, at its root or\n" +
			"in its only folder. With --primary it takes the place of the service's own pages, with --admin it is\n" +
			"shown at /svc/admin; with neither it only lies there. A running service shows it within a second.\n" +
			"Earlier versions stay, and can be chosen by svcctl config set svc frontends.\n\n" +
			"A front end acts for everybody who logs in with it: install those that you trust alone.",
		Example: "  svcd frontend install pleroma-fe.zip --primary\n" +
			"  svcd frontend install admin-fe.zip --name admin-fe --ref 2.3.0 --admin",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if name == "" {
				name = strings.TrimSuffix(filepath.Base(args[0]), ".zip")
			}
			return a.withDatabase(cmd, true, func(ctx context.Context, cfg config.Config, d *db.DB) error {
				if (primary || admin) && !cfg.FromDatabase {
					return usagef("--primary and --admin save a setting, and settings are not kept in the database: SVC_CONFIG_FROM_DATABASE is false")
				}
				live, err := config.NewLive(cfg.Settings)
				if err != nil {
					return err
				}
				saved, err := settings.Open(ctx, d, live, settings.Options{FromDatabase: cfg.FromDatabase, Whitelist: cfg.Whitelist, Unlocked: cfg.Unlocked})
				if err != nil {
					return err
				}
				if err := a.installFrontend(static.New(d, cfg.DataDir, live), args[0], name, &ref); err != nil {
					return err
				}
				var changes []settings.Change
				for key, chosen := range map[string]bool{":primary": primary, ":admin": admin} {
					if chosen {
						value := term.MapOf(term.Pair{Key: term.String("name"), Value: term.String(name)}, term.Pair{Key: term.String("ref"), Value: term.String(ref)})
						changes = append(changes, settings.Change{Group: ":svc", Key: ":frontends", Value: term.Keyword(term.Entry(key, value)).JSON()})
					}
				}
				if len(changes) == 0 {
					return nil
				}
				if _, err := saved.Update(ctx, operator(), changes); err != nil {
					return inLines(err, changes)
				}
				return nil
			})
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().StringVar(&name, "name", "", "what it is called (default: the name of the file)")
	cmd.Flags().StringVar(&ref, "ref", "", "its version (default: from its content)")
	cmd.Flags().BoolVar(&primary, "primary", false, "show it in place of the service's own pages")
	cmd.Flags().BoolVar(&admin, "admin", false, "show it at /svc/admin")
	return cmd
}

// installFrontend unpacks a file, and sets ref if it is empty.
func (a *app) installFrontend(folder *static.Folder, path, name string, ref *string) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if *ref == "" {
		sum := sha256.New()
		if _, err := io.Copy(sum, file); err != nil {
			return err
		}
		*ref = hex.EncodeToString(sum.Sum(nil))[:12]
	}
	archive, err := zip.NewReader(file, info.Size())
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	files, err := folder.Install(archive, name, *ref)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	_, err = fmt.Fprintf(a.stdout, "Installed %s, version %s: %d files.\n", name, *ref, files)
	return err
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	forms "svc/client/settings"
	"svc/client/settings/term"
	"svc/server/platform/config"
	"svc/server/rules/settings"
)

// settingsFile is the other format of files of settings that import reads: the body of
// POST /api/svc/admin/config.
type settingsFile struct {
	Configs []fileSetting `json:"configs"`
}

// fileSetting is a setting of a file: a value to be saved, or with Delete the
// removal of the saved one.
type fileSetting struct {
	Group   string          `json:"group"`
	Key     string          `json:"key"`
	Value   json.RawMessage `json:"value,omitempty"`
	Delete  bool            `json:"delete,omitempty"`
	Subkeys []string        `json:"subkeys,omitempty"`
}

func (a *app) configExportCommand() *cobra.Command {
	var secrets bool
	cmd := &cobra.Command{
		Use:   "export [FILE]",
		Short: "Write the saved settings to a file, or to standard output",
		Long: "Write the saved settings to a file that only its owner may read, or to standard output, sorted:\n" +
			"YAML, as svcctl config export writes it. Secrets are masked. Importing a masked secret keeps the\n" +
			"saved one.",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.withSettings(cmd, false, func(ctx context.Context, saved *settings.Store) error {
				rows, err := sorted(ctx, saved)
				if err != nil {
					return err
				}
				out := make([]forms.Setting, len(rows))
				for i, s := range rows {
					if !secrets {
						s.Value = config.Redact(s.Group, s.Key, s.Value)
					}
					value, err := forms.Listed(s.Group, s.Key, s.Value.JSON())
					if err != nil {
						return fmt.Errorf("%s %s: %w", s.Group, s.Key, err)
					}
					out[i] = forms.Setting{Group: s.Group, Key: s.Key, Value: &value}
				}
				text, err := forms.Write(out)
				if err != nil {
					return err
				}
				if len(args) == 0 || args[0] == "-" {
					_, err := a.stdout.Write(text)
					return err
				}
				if err := replaceFile(args[0], func(w io.Writer) error { _, err := w.Write(text); return err }); err != nil {
					return err
				}
				_, err = fmt.Fprintf(a.stderr, "Wrote %s to %s.\n", count(len(rows)), args[0])
				return err
			})
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().BoolVar(&secrets, "with-secrets", false, "write passwords and keys as they are")
	return cmd
}

// replaceFile writes a file for its owner alone. It replaces the old file once
// all is written.
func replaceFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".svc-*") // has mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func (a *app) configImportCommand() *cobra.Command {
	var merge, replace bool
	cmd := &cobra.Command{
		Use:   "import FILE",
		Short: "Save the settings of a file, all or none; - is standard input",
		Long: "Save the settings of a file, all or none; - is standard input. --merge, the default, merges\n" +
			"them into the saved settings, as clients do; --replace also removes all other saved settings. A\n" +
			"masked secret keeps the saved one. Settings with names of earlier versions are renamed.\n" +
			"The file is one of svcd config export or svcctl config export (YAML), or the body of a request to\n" +
			"the admin API (JSON).",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if merge && replace {
				return usagef("config import: give --merge or --replace, not both")
			}
			items, err := a.readSettings(args[0])
			if err != nil {
				return err
			}
			return a.withSettings(cmd, true, func(ctx context.Context, saved *settings.Store) error {
				changes := items
				if replace {
					if changes, err = replacing(ctx, saved, items); err != nil {
						return err
					}
				}
				left, err := saved.Update(ctx, operator(), changes)
				if err != nil {
					return inLines(err, changes)
				}
				_, err = fmt.Fprintf(a.stderr, "Saved %s.\n", strings.Replace(count(distinct(left)), "saved ", "", 1))
				return err
			})
		},
	}
	config.BindFlags(cmd.Flags())
	cmd.Flags().BoolVar(&merge, "merge", false, "lay the file over what is saved (the default)")
	cmd.Flags().BoolVar(&replace, "replace", false, "have nothing saved but the file")
	return cmd
}

func distinct(rows []settings.Left) int {
	seen := map[config.Named]bool{}
	for _, s := range rows {
		seen[config.Named{Group: s.Group, Key: s.Key}] = true
	}
	return len(seen)
}

// mostBytes is how large a file of settings may be, in bytes.
const mostBytes = 16 << 20

// readSettings reads changes from a file, under the names of today.
func (a *app) readSettings(path string) ([]settings.Change, error) {
	raw, err := a.content(path)
	if err != nil {
		return nil, err
	}
	configs, err := readFile(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var values []config.Saved
	var deletions []settings.Change
	for i, item := range configs {
		group, ok1 := config.WireName(item.Group)
		key, ok2 := config.WireName(item.Key)
		if !ok1 || !ok2 {
			return nil, fmt.Errorf("%s: setting %d: %q and %q are not the names of a group and key", path, i+1, item.Group, item.Key)
		}
		if item.Delete {
			deletions = append(deletions, settings.Change{Group: group, Key: key, Delete: true, Subkeys: item.Subkeys})
			continue
		}
		value, err := term.FromJSON(item.Value)
		if err != nil && config.HasSecrets(group, key) {
			err = errors.New("the value cannot be read")
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %s %s: %w", path, group, key, err)
		}
		values = append(values, config.Saved{Group: group, Key: key, Value: value})
	}
	changes := deletions
	for _, s := range config.Modern(values) {
		changes = append(changes, settings.Change{Group: s.Group, Key: s.Key, Value: s.Value.JSON()})
	}
	return changes, nil
}

// readFile reads both forms of files: YAML, and JSON as the admin API takes it, which
// earlier versions wrote.
func readFile(raw string) ([]fileSetting, error) {
	if !json.Valid([]byte(raw)) {
		all, err := forms.Read([]byte(raw))
		if err != nil {
			return nil, fmt.Errorf("not a file of settings: %w", err)
		}
		configs := make([]fileSetting, len(all))
		for i, s := range all {
			configs[i] = fileSetting{Group: s.Group, Key: s.Key, Delete: s.Delete, Subkeys: s.Subkeys}
			if s.Value == nil {
				continue
			}
			if configs[i].Value, err = json.Marshal(s.Value); err != nil {
				return nil, fmt.Errorf("%s %s: %w", s.Group, s.Key, err)
			}
		}
		if len(configs) == 0 {
			return nil, errNoSettings
		}
		return configs, nil
	}
	var file settingsFile
	if err := json.Unmarshal([]byte(raw), &file); err != nil {
		return nil, fmt.Errorf("%w: %w", errNoSettings, err)
	}
	if file.Configs == nil {
		return nil, errNoSettings
	}
	return file.Configs, nil
}

var errNoSettings = errors.New(`not a file of settings, which is as svcd config export writes it, or {"configs": [{"group": ..., "key": ..., "value": ...}]}`)

func (a *app) content(path string) (string, error) {
	in := a.stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return "", err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, mostBytes+1))
	if err != nil {
		return "", err
	}
	if len(raw) > mostBytes {
		return "", fmt.Errorf("%s: a file of settings has at most %d bytes", path, mostBytes)
	}
	return string(raw), nil
}

// replacing has all that is saved deleted before. Secrets that the file masks
// are taken from it first.
func replacing(ctx context.Context, saved *settings.Store, items []settings.Change) ([]settings.Change, error) {
	rows, err := saved.Saved(ctx)
	if err != nil {
		return nil, err
	}
	var changes []settings.Change
	for _, s := range rows {
		changes = append(changes, settings.Change{Group: s.Group, Key: s.Key, Delete: true})
	}
	for _, item := range items {
		i := slices.IndexFunc(rows, func(s config.Saved) bool { return s.Group == item.Group && s.Key == item.Key })
		if i >= 0 && !item.Delete {
			value, err := term.FromJSON(item.Value)
			if err != nil {
				return nil, err
			}
			value, ok := config.Unmask(item.Group, item.Key, value, rows[i].Value)
			if !ok {
				continue
			}
			item.Value = value.JSON()
		}
		changes = append(changes, item)
	}
	return changes, nil
}

// inLines names the settings that a refusal is about.
func inLines(err error, changes []settings.Change) error {
	var refused settings.Refused
	if !errors.As(err, &refused) {
		return err
	}
	lines := make([]string, len(refused))
	for i, p := range refused {
		lines[i] = p.Message
		if p.Item < len(changes) {
			lines[i] = changes[p.Item].Group + " " + changes[p.Item].Key + ": " + p.Message
		}
	}
	return errors.New(strings.Join(lines, " ") + " Nothing was saved.")
}

// describedSetting is a setting in the output of config describe. Default is in
// wire form, empty for secrets and settings without a default.
type describedSetting struct {
	Group       string          `json:"group"`
	Key         string          `json:"key"`
	Path        []string        `json:"path"`
	Accepted    string          `json:"accepted"`
	Default     json.RawMessage `json:"default,omitempty"`
	Reboot      bool            `json:"reboot"`
	Secret      bool            `json:"secret"`
	Description string          `json:"description"`
}

func described(rows []config.Setting) []describedSetting {
	out := make([]describedSetting, len(rows))
	for i, s := range rows {
		path := s.Path
		if path == nil {
			path = []string{}
		}
		out[i] = describedSetting{
			Group: s.Group, Key: s.Key, Path: path, Accepted: s.Accepted(), Reboot: s.Reboot, Secret: s.Secret, Description: s.Description,
		}
		if value, ok := s.DefaultTerm(); ok && !s.Secret {
			out[i].Default = value.JSON()
		}
	}
	return out
}

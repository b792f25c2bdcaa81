package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli/output"
)

// credentialsOf are a user's credentials, with their name.
type credentialsOf struct {
	api.Credentials
	nickname string
}

var credentialsShape = output.Shape[credentialsOf]{
	Plural: "credentials",
	Name:   func(c credentialsOf) string { return "user/" + c.nickname },
	Raw:    func(c credentialsOf) json.RawMessage { return c.Raw },
	Columns: []output.Column[credentialsOf]{
		output.Text("NICKNAME", func(c credentialsOf) string { return c.nickname }),
		output.Text("EMAIL", func(c credentialsOf) string { return deref(c.Email) }),
		output.Text("TYPE", func(c credentialsOf) string { return c.ActorType }),
		output.Bool("LOCKED", func(c credentialsOf) bool { return c.Locked }),
		output.Wide(output.Text("SCOPE", func(c credentialsOf) string { return c.DefaultScope })),
		output.Wide(output.Bool("DISCOVERABLE", func(c credentialsOf) bool { return c.Discoverable })),
		output.Wide(output.Text("AVATAR", func(c credentialsOf) string { return c.Avatar })),
		output.Text("NAME", func(c credentialsOf) string { return c.Name }),
	},
}

func credentialsCommand(a *app) *cobra.Command {
	return noun("credentials", "Work on users' profiles and settings", credentialsGetCommand(a), credentialsSetCommand(a))
}

func credentialsGetCommand(a *app) *cobra.Command {
	return oneUserCommand(a, "get USER", "Show a user's profile and settings", func(ctx context.Context, conn *connection, user *api.AdminUser) error {
		c, err := conn.Admin.Users.Credentials(ctx, user.AccountID)
		if err != nil {
			return &about{what: "user " + user.Nickname, err: err}
		}
		if a.g.Format == "" && a.g.JQ == "" && a.g.Template == "" && a.g.Fields == "" {
			a.g.Format = "yaml" // one object of many fields is no table
		}
		return printItems(a, credentialsShape, []credentialsOf{{*c, user.Nickname}}, true)
	})
}

// pictures are the fields that take a file: avatar=@cat.png.
var pictures = []string{"avatar", "banner", "background"}

func credentialsSetCommand(a *app) *cobra.Command {
	var fromStdin bool
	cmd := &cobra.Command{
		Use:   "set USER NAME=VALUE...",
		Short: "Change a local user's profile and settings",
		Long: `Change a local user's profile and settings. Names are

  ` + strings.Join(credentialNames(), "\n  ") + `

fields is a JSON array of objects with name and value. The pictures avatar,
banner and background take @FILE, or nothing to go back to the default one. A
password is read with --password-stdin; it ends all that the user was signed in
with, and he must choose another one before he can sign in again.`,
		Args:              needArgs(1, "a user"),
		ValidArgsFunction: a.completeCredentials,
		RunE: func(cmd *cobra.Command, args []string) error {
			form, files, err := parseCredentials(args[1:])
			if err != nil {
				return err
			}
			if fromStdin {
				secret, err := a.readSecret()
				if err != nil {
					return err
				}
				form["password"] = secret
			}
			if len(form) == 0 && len(files) == 0 {
				return &usageError{message: "say what to set: NAME=VALUE", hint: cmd.CommandPath() + " --help"}
			}
			return a.setCredentials(cmd.Context(), args[0], form, files)
		},
	}
	cmd.Flags().BoolVar(&fromStdin, "password-stdin", false, "read a new password from standard input")
	return cmd
}

// credentialNames are the names that can be set, as the form has them, apart
// from the password.
func credentialNames() []string {
	var names []string
	form := reflect.TypeFor[api.CredentialsUpdate]()
	for i := range form.NumField() {
		name, _, _ := strings.Cut(form.Field(i).Tag.Get("json"), ",")
		if name != "password" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// parseCredentials reads NAME=VALUE by the types of the form.
func parseCredentials(args []string) (map[string]any, map[string]string, error) {
	form, files := map[string]any{}, map[string]string{}
	for _, arg := range args {
		name, value, ok := strings.Cut(arg, "=")
		switch {
		case !ok:
			return nil, nil, usagef("%s: NAME=VALUE is accepted", quote(arg))
		case name == "password":
			return nil, nil, &usageError{message: "a password in the arguments can be read by others", hint: "--password-stdin"}
		case !slices.Contains(credentialNames(), name):
			return nil, nil, usagef("there is no %s: %s are accepted", quote(name), anyOf(credentialNames()))
		case slices.Contains(pictures, name) && strings.HasPrefix(value, "@"):
			files[name] = value[1:]
			continue
		case slices.Contains(pictures, name) && value != "":
			return nil, nil, usagef("%s: @FILE is accepted, or nothing for the default one", name)
		case name == "fields":
			var fields []api.SourceField
			if err := json.Unmarshal([]byte(value), &fields); err != nil {
				return nil, nil, usagef("fields: %v", err)
			}
			form[name] = fields
			continue
		}
		field, _ := reflect.TypeFor[api.CredentialsUpdate]().FieldByNameFunc(func(f string) bool {
			sf, _ := reflect.TypeFor[api.CredentialsUpdate]().FieldByName(f)
			tag, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
			return tag == name
		})
		if field.Type == reflect.TypeFor[*bool]() {
			b, err := strconv.ParseBool(value)
			if err != nil {
				return nil, nil, usagef("%s=%s: true and false are accepted", name, value)
			}
			form[name] = b
			continue
		}
		form[name] = value
	}
	return form, files, nil
}

func (a *app) setCredentials(ctx context.Context, who string, form map[string]any, files map[string]string) error {
	const kind action.Kind = "user.credentials.set"
	conn, user, err := a.userAt(ctx, who)
	if err != nil {
		return err
	}
	target := "user/" + user.Nickname
	have, err := conn.Admin.Users.Credentials(ctx, user.AccountID)
	if err != nil {
		return &about{what: "user " + user.Nickname, err: err}
	}
	var update api.CredentialsUpdate
	if err := json.Unmarshal(asJSON(form), &update); err != nil {
		return usagef("%v", err)
	}
	if len(files) == 0 && sameCredentials(form, have) {
		return a.showResults([]action.Result{{Action: action.Action{Kind: kind, Target: target}, Outcome: action.Unchanged}})
	}
	sent, closeAll, err := openPictures(files)
	if err != nil {
		return err
	}
	defer closeAll()
	w := write{kind: kind, target: target, what: "set credentials of user " + user.Nickname, token: user.Nickname}
	if update.Password != nil {
		w.level = action.L1
	}
	return a.carryOut(ctx, conn, w, func(ctx context.Context) error {
		if len(form) > 0 {
			if err := conn.Admin.Users.UpdateCredentials(ctx, user.Nickname, update); err != nil {
				return err
			}
		}
		if len(files) > 0 {
			return conn.Admin.Users.SetPictures(ctx, user.Nickname, sent)
		}
		return nil
	})
}

// sameCredentials tells whether all is so already, as far as that can be read:
// a password cannot, nor can pictures and the bio, which is shown as HTML.
func sameCredentials(form map[string]any, have *api.Credentials) bool {
	var now map[string]any
	if json.Unmarshal(asJSON(have), &now) != nil {
		return false
	}
	for name, wish := range form {
		switch name {
		case "password", "bio", "avatar", "banner", "background":
			return false
		case "fields":
			fields := []api.SourceField{}
			for _, f := range have.RawFields {
				fields = append(fields, api.SourceField{Name: f.Name, Value: f.Value})
			}
			if !slices.Equal(fields, wish.([]api.SourceField)) {
				return false
			}
		default:
			if now[name] != wish {
				return false
			}
		}
	}
	return true
}

func openPictures(files map[string]string) (client.Pictures, func(), error) {
	var sent client.Pictures
	var open []*os.File
	closeAll := func() {
		for _, f := range open {
			f.Close()
		}
	}
	into := map[string]**client.File{"avatar": &sent.Avatar, "banner": &sent.Header, "background": &sent.Background}
	for name, path := range files {
		f, err := os.Open(path)
		if err != nil {
			closeAll()
			return sent, nil, usagef("%s: %v", name, err)
		}
		open = append(open, f)
		*into[name] = &client.File{Name: filepath.Base(path), Content: f}
	}
	return sent, closeAll, nil
}

// completeCredentials offers users, then names with their equals sign.
func (a *app) completeCredentials(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return a.completeUsers(cmd, args, typed)
	}
	var offers []cobra.Completion
	for _, name := range credentialNames() {
		if strings.HasPrefix(name, typed) {
			offers = append(offers, name+"=")
		}
	}
	return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

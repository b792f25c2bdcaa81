package moderation

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
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
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
		output.Text("EMAIL", func(c credentialsOf) string { return cli.Deref(c.Email) }),
		output.Text("TYPE", func(c credentialsOf) string { return c.ActorType }),
		output.Bool("LOCKED", func(c credentialsOf) bool { return c.Locked }),
		output.Wide(output.Text("SCOPE", func(c credentialsOf) string { return c.DefaultScope })),
		output.Wide(output.Bool("DISCOVERABLE", func(c credentialsOf) bool { return c.Discoverable })),
		output.Wide(output.Text("AVATAR", func(c credentialsOf) string { return c.Avatar })),
		output.Text("NAME", func(c credentialsOf) string { return c.Name }),
	},
}

func credentialsCommand(a *cli.App) *cobra.Command {
	return cli.Noun("credentials", "Work on users' profiles and settings", credentialsGetCommand(a), credentialsSetCommand(a))
}

func credentialsGetCommand(a *cli.App) *cobra.Command {
	return oneUserCommand(a, "get USER", "Show a user's profile and settings", func(ctx context.Context, conn *cli.Connection, user *api.AdminUser) error {
		c, err := conn.Admin.Users.Credentials(ctx, user.AccountID)
		if err != nil {
			return &cli.About{What: "user " + user.Nickname, Err: err}
		}
		if a.Flags.Format == "" && a.Flags.JQ == "" && a.Flags.Template == "" && a.Flags.Fields == "" {
			a.Flags.Format = "yaml" // one object of many fields is no table
		}
		return cli.PrintItems(a, credentialsShape, []credentialsOf{{*c, user.Nickname}}, true)
	})
}

// pictures are the fields that take a file: avatar=@cat.png.
var pictures = []string{"avatar", "banner", "background"}

func credentialsSetCommand(a *cli.App) *cobra.Command {
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
		Args:              cli.NeedArgs(1, "a user"),
		ValidArgsFunction: completeCredentials(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			form, files, err := parseCredentials(args[1:])
			if err != nil {
				return err
			}
			if fromStdin {
				secret, err := a.ReadSecret()
				if err != nil {
					return err
				}
				form["password"] = secret
			}
			if len(form) == 0 && len(files) == 0 {
				return &cli.UsageError{Message: "say what to set: NAME=VALUE", Hint: cmd.CommandPath() + " --help"}
			}
			return setCredentials(cmd.Context(), a, args[0], form, files)
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
			return nil, nil, cli.Usagef("%s: NAME=VALUE is accepted", action.Quote(arg))
		case name == "password":
			return nil, nil, &cli.UsageError{Message: "a password in the arguments can be read by others", Hint: "--password-stdin"}
		case !slices.Contains(credentialNames(), name):
			return nil, nil, cli.Usagef("there is no %s: %s are accepted", action.Quote(name), cli.AnyOf(credentialNames()))
		case slices.Contains(pictures, name) && strings.HasPrefix(value, "@"):
			files[name] = value[1:]
			continue
		case slices.Contains(pictures, name) && value != "":
			return nil, nil, cli.Usagef("%s: @FILE is accepted, or nothing for the default one", name)
		case name == "fields":
			var fields []api.SourceField
			if err := json.Unmarshal([]byte(value), &fields); err != nil {
				return nil, nil, cli.Usagef("fields: %v", err)
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
				return nil, nil, cli.Usagef("%s=%s: true and false are accepted", name, value)
			}
			form[name] = b
			continue
		}
		form[name] = value
	}
	return form, files, nil
}

func setCredentials(ctx context.Context, a *cli.App, who string, form map[string]any, files map[string]string) error {
	const kind = action.UserCredentials
	conn, user, err := userAt(ctx, a, who)
	if err != nil {
		return err
	}
	target := "user/" + user.Nickname
	have, err := conn.Admin.Users.Credentials(ctx, user.AccountID)
	if err != nil {
		return &cli.About{What: "user " + user.Nickname, Err: err}
	}
	var update api.CredentialsUpdate
	if err := json.Unmarshal(output.JSON(form), &update); err != nil {
		return cli.Usagef("%v", err)
	}
	if len(files) == 0 && sameCredentials(form, have) {
		return a.ShowResults([]action.Result{{Action: action.Action{Kind: kind, Target: target}, Outcome: action.Unchanged}})
	}
	sent, closeAll, err := openPictures(a, files)
	if err != nil {
		return err
	}
	defer closeAll()
	w := cli.Write{Kind: kind, Target: target, What: "set credentials of user " + user.Nickname, Token: user.Nickname}
	if update.Password != nil {
		w.Level = action.L1
	}
	return a.CarryOut(ctx, conn, w, func(ctx context.Context) error {
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
	if json.Unmarshal(output.JSON(have), &now) != nil {
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

func openPictures(a *cli.App, files map[string]string) (client.Pictures, func(), error) {
	var sent client.Pictures
	var open []*os.File
	closeAll := func() {
		for _, f := range open {
			f.Close()
		}
	}
	into := map[string]**client.File{"avatar": &sent.Avatar, "banner": &sent.Header, "background": &sent.Background}
	for name, path := range files {
		f, err := a.Open(name, path)
		if err != nil {
			closeAll()
			return sent, nil, err
		}
		open = append(open, f)
		*into[name] = &client.File{Name: filepath.Base(path), Content: f}
	}
	return sent, closeAll, nil
}

// completeCredentials offers users, then names with their equals sign.
func completeCredentials(a *cli.App) cli.Completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return names.CompleteUsers(a)(cmd, args, typed)
		}
		var offers []cobra.Completion
		for _, name := range credentialNames() {
			if strings.HasPrefix(name, typed) {
				offers = append(offers, name+"=")
			}
		}
		return offers, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
}

package instance

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var appShape = output.Shape[api.AdminApp]{
	Plural: "apps",
	Name:   func(app api.AdminApp) string { return "app/" + strconv.FormatInt(app.ID, 10) },
	Raw:    func(app api.AdminApp) json.RawMessage { return app.Raw },
	Columns: []output.Column[api.AdminApp]{
		output.Int("ID", func(app api.AdminApp) int64 { return app.ID }),
		output.Minor(output.Bool("TRUSTED", func(app api.AdminApp) bool { return app.Trusted })),
		output.Whole(output.Text("CLIENT ID", func(app api.AdminApp) string { return app.ClientID })),
		output.Wide(output.Text("REDIRECT URI", func(app api.AdminApp) string { return app.RedirectURI })),
		output.Wide(output.Text("WEBSITE", func(app api.AdminApp) string { return cli.Deref(app.Website) })),
		output.Text("NAME", func(app api.AdminApp) string { return app.Name }),
	},
}

func appCommand(a *cli.App) *cobra.Command {
	return cli.Examples(cli.Noun("app", "Work on the programs that are registered with the server",
		appListCommand(a), appCreateCommand(a), appUpdateCommand(a),
		a.KindCommand(action.AppDelete, "delete ID...", "Delete apps, with all tokens that they were given", nil)),
		"app list --name Web",
		"app create --name Web --redirect-uri https://web.example/ --scope read",
		"app update 3 --trusted",
		"app delete 3",
	)
}

func appListCommand(a *cli.App) *cobra.Command {
	var query api.AppQuery
	var trusted bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List apps, the oldest first",
		Long:  "List apps, the oldest first. json and yaml hold their secrets; tables do not.",
		Args:  cli.ExactArgs(0, "no argument"),
	}
	f := cmd.Flags()
	f.StringVar(&query.Name, "name", "", "only apps of this `NAME`")
	f.StringVar(&query.ClientID, "client-id", "", "only the app with this `ID`")
	f.BoolVar(&trusted, "trusted", false, "only those that are trusted, or with =false not")
	return cli.ListCommand(a, cmd, appShape, func(_ context.Context, conn *cli.Connection, _ []string) (cli.Listed[api.AdminApp], error) {
		if f.Changed("trusted") {
			query.Trusted = &trusted
		}
		return cli.Listed[api.AdminApp]{Listing: conn.Admin.Apps.List(query)}, nil
	})
}

// appFlags are the fields of an app.
type appFlags struct {
	name, website string
	redirects     []string
	scopes        []string
	trusted       bool
}

func (f *appFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.name, "name", "", "the name that people see")
	flags.StringSliceVar(&f.redirects, "redirect-uri", nil, "the `URIS` that people may be sent back to")
	flags.StringSliceVar(&f.scopes, "scope", nil, "the `SCOPES` it may ask for: read, write, follow, push, admin")
	flags.StringVar(&f.website, "website", "", "its `URL`")
	flags.BoolVar(&f.trusted, "trusted", false, "spare registrations through it the captcha")
}

// form has the fields that were given.
func (f *appFlags) form(cmd *cobra.Command) api.AppForm {
	var form api.AppForm
	given := cmd.Flags().Changed
	if given("name") {
		form.Name = &f.name
	}
	if given("redirect-uri") {
		uris := strings.Join(f.redirects, " ")
		form.RedirectURIs = &uris
	}
	if given("scope") {
		form.Scopes = f.scopes
	}
	if given("website") {
		form.Website = &f.website
	}
	if given("trusted") {
		form.Trusted = &f.trusted
	}
	return form
}

// changed are the fields that were given, as an action has them.
func (f *appFlags) changed(cmd *cobra.Command) map[string]string {
	form, changed := f.form(cmd), map[string]string{}
	for key, value := range map[string]*string{"name": form.Name, "redirect_uris": form.RedirectURIs, "website": form.Website} {
		if value != nil {
			changed[key] = *value
		}
	}
	if form.Trusted != nil {
		changed["trusted"] = strconv.FormatBool(*form.Trusted)
	}
	if form.Scopes != nil {
		changed["scopes"] = strings.Join(form.Scopes, " ")
	}
	return changed
}

func appCreateCommand(a *cli.App) *cobra.Command {
	var f appFlags
	cmd := &cobra.Command{
		Use:   "create --name NAME --redirect-uri URI --scope SCOPE",
		Short: "Register an app, and print its credentials",
		Long:  `Register an app, and print its credentials: with -o json all, in tables its id.`,
		Args:  cli.ExactArgs(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			form := f.form(cmd)
			if form.Name == nil || form.RedirectURIs == nil || form.Scopes == nil {
				return &cli.UsageError{Message: "--name, --redirect-uri and --scope are wanted", Hint: cmd.UseLine()}
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			var app *api.AdminApp
			sent, err := a.Perform(cmd.Context(), conn, cli.Write{
				Kind: action.AppCreate, What: "register " + f.name, Token: f.name,
				Done: func(context.Context) []action.Result {
					return cli.NewlyMade(action.AppCreate, "app/"+strconv.FormatInt(app.ID, 10), nil)
				},
			}, func(ctx context.Context) (err error) {
				app, err = conn.Admin.Apps.Create(ctx, form)
				return err
			})
			if !sent || err != nil {
				return err
			}
			return cli.PrintItems(a, appShape, []api.AdminApp{*app}, true)
		},
	}
	f.add(cmd)
	return cmd
}

func appUpdateCommand(a *cli.App) *cobra.Command {
	var f appFlags
	cmd := &cobra.Command{
		Use:   "update ID",
		Short: "Change an app",
		Args:  cli.ExactArgs(1, "one app"),
		RunE: func(cmd *cobra.Command, args []string) error {
			form := f.changed(cmd)
			if len(form) == 0 {
				return &cli.UsageError{Message: "say what to change", Hint: cmd.CommandPath() + " --help"}
			}
			return a.ActOn(cmd.Context(), cli.Deed{Kind: action.AppUpdate, Args: form}, args)
		},
	}
	f.add(cmd)
	return cmd
}

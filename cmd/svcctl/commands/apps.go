package commands

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
		"app create --name Web --redirect-uri https://web.example/back --scope read,write",
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
				Kind: "app.create", What: "register " + f.name, Token: f.name,
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
			t, err := action.ParseTarget("app", args[0])
			if err != nil {
				return err
			}
			id, err := strconv.ParseInt(t.Name, 10, 64)
			if err != nil {
				return cli.Usagef("%s is no number of an app", action.Quote(t.Name))
			}
			form := f.form(cmd)
			if len(output.JSON(form)) == len("{}") {
				return &cli.UsageError{Message: "say what to change", Hint: cmd.CommandPath() + " --help"}
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			w := cli.Write{Kind: "app.update", Target: t.String(), What: "change app " + t.Name, Token: t.Name}
			for app, err := range conn.Admin.Apps.List(api.AppQuery{}).All(cmd.Context()) {
				switch {
				case err != nil:
					return err
				case app.ID != id:
					continue
				case hasAll(form, app):
					return a.ShowResults([]action.Result{{Action: action.Action{Kind: w.Kind, Target: w.Target}, Outcome: action.Unchanged}})
				}
				return a.CarryOut(cmd.Context(), conn, w, func(ctx context.Context) error {
					_, err := conn.Admin.Apps.Update(ctx, id, form)
					return err
				})
			}
			return &cli.About{What: "app " + t.Name, Err: cli.ErrNotFound, Hint: cli.LookHint("app", t.Name)}
		},
	}
	f.add(cmd)
	return cmd
}

// hasAll tells whether an app is as the form says. Its scopes are not shown, so
// a form with some always counts as a change.
func hasAll(form api.AppForm, app api.AdminApp) bool {
	same := func(want *string, have string) bool { return want == nil || *want == have }
	return form.Scopes == nil && same(form.Name, app.Name) && same(form.RedirectURIs, app.RedirectURI) &&
		same(form.Website, cli.Deref(app.Website)) && (form.Trusted == nil || *form.Trusted == app.Trusted)
}

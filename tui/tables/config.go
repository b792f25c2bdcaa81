package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/client/settings"
)

// config shows the groups of settings that the server describes, with how many of
// each are saved. The filter searches the names and descriptions of the settings
// in them. Enter shows the settings of a group; R restarts the server where a
// change needs that.
var config = &Noun{
	Name: "config", Key: "5", Help: "settings",
	Beside:  true,
	Columns: []Column{{Head: "SAVED", Width: 6, Tone: true}, {Head: "FIELDS", Width: 6}, {Head: "GROUP", Width: 34}, {Head: "LABEL", Width: 28}, {Head: "ABOUT", Wide: true}},
	Empty:   "the server describes no settings",
	Into:    "settings",
	Rows: func(c *client.Client, _ Query) Reader {
		return func(ctx context.Context) (Page, error) {
			s, err := readState(ctx, c)
			if err != nil {
				return Page{}, err
			}
			page := Page{Total: len(s.entries), Banner: s.banner}
			for i := range s.entries {
				page.Rows = append(page.Rows, s.entryRow(&s.entries[i]))
			}
			return page, nil
		}
	},
	Verbs: []Verb{restart},
}

// configFields shows the settings of a group: which are saved (*), need a restart
// (!) or are replaced whole (=), and their values. Below the table stand the
// value in force, the saved and the built-in one. e changes a setting, x forgets
// the saved value; both show the difference and the request before anything is
// sent.
var configFields = &Noun{
	Name: "settings", Help: "settings of one group, or all of them",
	Beside:  true,
	Columns: []Column{{Head: "SAVED", Width: 5, Tone: true}, {Head: "SETTING", Width: 34}, {Head: "TYPE", Width: 18, Wide: true}, {Head: "VALUE"}},
	Empty:   "the server describes no settings here",
	Rows: func(c *client.Client, q Query) Reader {
		return func(ctx context.Context) (Page, error) {
			s, err := readState(ctx, c)
			if err != nil {
				return Page{}, err
			}
			page := Page{Banner: s.banner}
			for _, f := range s.fields {
				if q.Scope == "" || entryName(f.Entry) == q.Scope {
					page.Rows = append(page.Rows, s.fieldRow(f))
				}
			}
			page.Total = len(page.Rows)
			return page, nil
		}
	},
	Verbs: []Verb{
		{Key: "e", Name: "edit", Help: "change the setting", Ask: "value: ", Kind: action.ConfigSet, Plan: planSet},
		{
			Key: "X", Name: "unset", Help: "forget the saved value", Kind: action.ConfigUnset, Plan: planUnset,
			Fits: func(r Row) bool { return r.Before["saved"] == "true" },
		},
		restart,
	},
}

var restart = Verb{
	Key: "R", Name: "restart", Help: "restart the server, which goes on answering", Sure: true, New: true, Kind: action.ServerRestart,
	Made: func(Row, string, safe.Safe) action.Result {
		return action.Result{Action: action.Action{Kind: action.ServerRestart, Target: "server/restart"}, Outcome: action.Changed}
	},
	Call: func(ctx context.Context, c *client.Client, _ Row, _ string) (safe.Safe, error) {
		return safe.Own("the server sets itself up anew"), c.Admin.Config.Restart(ctx)
	},
}

// configState is all that is known of settings. Secrets are masked.
type configState struct {
	entries   []api.ConfigDescription
	fields    []settings.Field
	effective []settings.Setting
	saved     []settings.Setting
	banner    safe.Safe
}

func readState(ctx context.Context, c *client.Client) (*configState, error) {
	s := &configState{}
	var err error
	if s.entries, err = c.Admin.Config.Descriptions(ctx); err != nil {
		return nil, err
	}
	s.fields = settings.Fields(s.entries)
	var answer *api.ConfigSettings
	if s.effective, answer, err = action.ReadSettings(ctx, c, false, false); err != nil {
		return nil, err
	}
	if answer.NeedReboot {
		s.banner = safe.Own("a change waits for a restart: R restarts the server")
	}
	s.saved, _, err = action.ReadSettings(ctx, c, true, false)
	return s, err
}

func (s *configState) entryRow(entry *api.ConfigDescription) Row {
	saved, all := 0, 0
	var search []string
	for _, f := range s.fields {
		if f.Entry != entry {
			continue
		}
		all++
		search = append(search, strings.Join(f.Path(), " "), f.Label, f.Description)
		if s.savedValue(f) != nil {
			saved++
		}
	}
	name := entryName(entry)
	row := Row{
		ID: name, Target: name, Copy: name, Search: strings.Join(search, " "),
		Cells: []safe.Safe{number(saved), number(all), raw(strings.TrimSpace(entry.Group + " " + entry.Key)), raw(entry.Label), raw(entry.Description)},
		More:  details(Detail{"", raw(entry.Label)}, Detail{"", safe.Clean(safe.Raw(entry.Description))}),
	}
	if saved == 0 {
		row.Cells[0] = safe.Own("-")
	} else {
		row.Tone = Warn
	}
	return row
}

// entryName tells the entries of a group apart.
func entryName(entry *api.ConfigDescription) string {
	if entry.Key == "" {
		return entry.Group + " " + entry.Label
	}
	return entry.Group + " " + entry.Key
}

// effectiveValue is the value of a field in force, nil for none.
func (s *configState) effectiveValue(f settings.Field) *settings.Value {
	return valueOf(s.effective, f.Path())
}

// savedValue is the saved value, nil where the built-in one acts.
func (s *configState) savedValue(f settings.Field) *settings.Value {
	return valueOf(s.saved, f.Path())
}

func valueOf(all []settings.Setting, path []string) *settings.Value {
	found := settings.Find(all, path[0], path[1])
	if found == nil {
		return nil
	}
	v, ok := found.Value.At(path[2:]...)
	if !ok {
		return nil
	}
	return &v
}

// oneLine is a value on one line, its secrets masked.
func oneLine(name string, v *settings.Value) safe.Safe {
	if v == nil {
		return safe.Own("-")
	}
	return raw(settings.Hide(name, *v).Short())
}

func (s *configState) fieldRow(f settings.Field) Row {
	path := f.Path()
	name := settings.Name(path[0], path[1], path[2:]...)
	now, saved := s.effectiveValue(f), s.savedValue(f)
	marks, tone := "", Plain
	if saved != nil {
		marks, tone = "*", Warn
	}
	change := settings.Change{Group: path[0], Key: path[1], Sub: firstOf(path[2:])}
	if change.Reboot() {
		marks += "!"
	}
	if change.Whole() {
		marks += "="
	}
	word := strings.Join(path[2:], " ")
	if word == "" {
		word = path[1]
	}
	last := path[len(path)-1]
	row := Row{
		ID: name, Target: name, Copy: name, Tone: tone,
		Cells:  []safe.Safe{raw(marks), raw(word), raw(settings.TypeWords(f.Type)), oneLine(last, now)},
		Before: map[string]string{"saved": fmt.Sprint(saved != nil)},
		More: details(
			Detail{"", raw(strings.TrimSpace(f.Label + ", " + settings.TypeWords(f.Type)))},
			Detail{"in force", oneLine(last, now)},
			Detail{"saved", oneLine(last, saved)},
			Detail{"", safe.Clean(safe.Raw(f.Description))},
			Detail{"suggestions", raw(strings.Join(f.Suggestions, ", "))},
		),
	}
	if change.Reboot() {
		row.More = append(row.More, Detail{"", safe.Own("a change needs a restart")})
	}
	row.Value, row.Secret = typed(f, now), f.Secret
	row.Options = optionsOf(f)
	return row
}

func firstOf(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return path[0]
}

// typed is a value as the form has it to be edited; a secret is typed anew.
func typed(f settings.Field, v *settings.Value) string {
	switch {
	case v == nil || f.Secret:
		return ""
	case v.Kind() == settings.Text:
		return v.Text()
	case v.Kind() == settings.List && !v.IsKeyword():
		var items []string
		for _, item := range v.Items() {
			if item.Kind() != settings.Text || strings.ContainsAny(item.Text(), ",") || strings.TrimSpace(item.Text()) != item.Text() {
				return v.Short()
			}
			items = append(items, item.Text())
		}
		return strings.Join(items, ", ")
	}
	return v.Short()
}

// optionsOf are the values that a key chooses.
func optionsOf(f settings.Field) []string {
	const most = 8
	if f.Type.Name == "boolean" {
		return []string{"true", "false"}
	}
	if len(f.Suggestions) > 1 && len(f.Suggestions) <= most && slices.Contains([]string{"atom", "module", "string", "integer"}, f.Type.Name) {
		return f.Suggestions
	}
	return nil
}

var errSame = errors.New("it is so already")

// planSet plans to save the typed text for a setting.
func planSet(ctx context.Context, c *client.Client, row Row, text string) (*Plan, error) {
	s, err := readState(ctx, c)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(s.fields, func(f settings.Field) bool {
		path := f.Path()
		return settings.Name(path[0], path[1], path[2:]...) == row.ID
	})
	if i < 0 {
		return nil, errors.New("the server does not describe this setting any more")
	}
	f := s.fields[i]
	path, now := f.Path(), s.effectiveValue(f)
	v, err := settings.ReadTyped(text, f.Typing(), now)
	if err != nil {
		return nil, err
	}
	if now != nil && now.Equal(v) && !f.Secret {
		return nil, errSame
	}
	seen, err := action.CompareSettings(ctx, c, true)
	if err != nil {
		return nil, err
	}
	whole := settings.Value{}
	if found := settings.Find(s.effective, path[0], path[1]); found != nil {
		whole = *found.Value
	}
	posted := settings.Put(path[0], path[1], whole, path[2:], v)
	return planOf(seen, settings.Setting{Group: path[0], Key: path[1], Value: &posted}, row, oneLine(path[len(path)-1], &v))
}

// planUnset plans to forget the saved value: the setting's first-level subkey, or
// its key.
func planUnset(ctx context.Context, c *client.Client, row Row, _ string) (*Plan, error) {
	path, err := settings.ParseName(row.ID)
	if err != nil {
		return nil, err
	}
	seen, err := action.CompareSettings(ctx, c, true)
	if err != nil {
		return nil, err
	}
	wanted := settings.Setting{Group: path[0], Key: path[1], Delete: true}
	if len(path) > 2 {
		wanted.Subkeys = path[2:3]
	}
	return planOf(seen, wanted, row, safe.Own("the built-in value"))
}

// planOf shows the three values, the differences, and the request.
func planOf(seen []settings.Setting, wanted settings.Setting, row Row, next safe.Safe) (*Plan, error) {
	changes, err := settings.Plan(seen, []settings.Setting{wanted}, false)
	if err != nil {
		return nil, err
	}
	if len(changes) == 0 {
		return nil, errSame
	}
	plan := &Plan{Title: raw("save " + row.ID)}
	builtIn, saved := safe.Own("hidden by the saved value"), safe.Own("nothing")
	for _, d := range row.More {
		switch d.Label {
		case "in force":
			plan.Lines = append(plan.Lines, Detail{"in force", d.Text})
			if row.Before["saved"] != "true" {
				builtIn = d.Text
			}
		case "saved":
			if row.Before["saved"] == "true" {
				saved = d.Text
			}
		}
	}
	plan.Lines = append([]Detail{{"built in", builtIn}, {"saved", saved}}, plan.Lines...)
	plan.Lines = append(plan.Lines, Detail{"typed", next})
	for _, change := range changes {
		if change.Reboot() {
			plan.Lines = append(plan.Lines, Detail{"", raw(change.Name() + " needs a restart")})
		}
	}
	return plan.saving(changes, seen)
}

// saving adds the request that makes changes, for which the saved settings were as
// in seen.
func (plan *Plan) saving(changes []settings.Change, seen []settings.Setting) (*Plan, error) {
	hidden := make([]settings.Change, len(changes))
	for i, change := range changes {
		hidden[i] = change.Hidden()
	}
	body, err := action.SettingsRequest(hidden)
	if err != nil {
		return nil, err
	}
	text, err := bodyText(body)
	if err != nil {
		return nil, err
	}
	plan.Lines = append(plan.Lines, Detail{"", safe.Own("POST /api/svc/admin/config")}, Detail{"", text})
	plan.Send = func(ctx context.Context, c *client.Client) (safe.Safe, []action.Result, error) {
		answer, err := action.ChangeSettings(ctx, c, changes, seen)
		if err != nil {
			return safe.Own("saved"), nil, err
		}
		now, _, err := action.ReadSettings(ctx, c, true, false)
		if err != nil {
			return safe.Own("saved, but it cannot be undone from here"), action.SettingsResults(changes, nil), nil
		}
		said := "saved"
		if answer.NeedReboot {
			said += "; a restart is needed"
		}
		return raw(strings.Join(append([]string{said}, answer.Warnings...), "; ")), action.SettingsResults(changes, now), nil
	}
	return plan, nil
}

// bodyText is the body of a request.
func bodyText(changes []api.ConfigChange) (safe.Safe, error) {
	var b bytes.Buffer
	encode := json.NewEncoder(&b)
	encode.SetEscapeHTML(false)
	err := encode.Encode(api.ConfigChanges{Configs: changes})
	return raw(b.String()), err
}

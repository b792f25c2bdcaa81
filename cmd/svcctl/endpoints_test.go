package main

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"svc/server"
	"svc/server/servertest"
)

var parameter = regexp.MustCompile(`[:*][a-z_]+`)

// TestEveryAdminEndpointHasACommand walks the service's own table of routes:
// for each there is a command line here, and running it calls the endpoint.
func TestEveryAdminEndpointHasACommand(t *testing.T) {
	s := servertest.Start(t)
	vars := map[string]string{}
	for _, v := range fill(t, s) {
		name, value, _ := strings.Cut(v, "=")
		vars["$"+name] = value
	}
	admin := s.Admin("mika")
	if err := admin.Admin.Reports.AddNote(t.Context(), vars["$R1"], "to be deleted"); err != nil {
		t.Fatal(err)
	}
	report, err := admin.Admin.Reports.Get(t.Context(), vars["$R1"])
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	vars["$NOTE"], vars["$HOST"] = strconv.FormatInt(report.Notes[0].ID, 10), u.Host
	commands := map[string]string{
		"GET /reports":                     "report list",
		"GET /reports/:":                   "report get $R1",
		"PATCH /reports":                   "report resolve $R1",
		"GET /grouped_reports":             "report groups",
		"POST /reports/:/notes":            "report note add $R1 text",
		"DELETE /reports/:/notes/:":        "report note delete $R1 $NOTE --yes",
		"GET /users":                       "user list",
		"GET /users/:":                     "user get spam1",
		"PATCH /users/:/toggle_activation": "user toggle spam1 --yes",
		"PATCH /users/activate":            "user activate spam1",
		"PATCH /users/deactivate":          "user deactivate tom --yes",
		"GET /users/:/statuses":            "status list --user spam1",
		"GET /instances/:/statuses":        "status list --instance $HOST",
		"GET /statuses":                    "status list",
		"GET /statuses/:":                  "status get $S1",
		"PUT /statuses/:":                  "status set $S1 --sensitive",
		"DELETE /statuses/:":               "status delete $S2 --yes",
		"GET /moderation_log":              "log list",
	}
	// Toggling comes before activating: what is already so is not sent.
	order := []string{"PATCH /users/:/toggle_activation"}
	for _, r := range s.Routes() {
		key := r.Method + " " + parameter.ReplaceAllString(strings.TrimPrefix(r.Path, "/api/svc/admin"), ":")
		if r.Access == server.Admin && key != order[0] {
			order = append(order, key)
		}
	}
	if len(order) < 18 {
		t.Errorf("the table has %d admin routes", len(order))
	}
	for _, key := range order {
		line, ok := commands[key]
		if !ok {
			t.Errorf("%s has no command", key)
			continue
		}
		args := strings.Fields(line)
		for i, arg := range args {
			if value, ok := vars[arg]; ok {
				args[i] = value
			}
		}
		c := newCLI(t, s.URL, "")
		c.env["SVCCTL_TOKEN"] = vars["$MIKA"]
		if code := run(c.app, append(args, "--debug")); code != 0 {
			t.Errorf("svcctl %s: exit %d: %s", line, code, &c.stderr)
		}
		method, path, _ := strings.Cut(key, " ")
		called := regexp.MustCompile(`(?m)^> ` + method + ` ` + regexp.QuoteMeta(s.URL+"/api/svc/admin") +
			strings.ReplaceAll(regexp.QuoteMeta(path), ":", `[^/?\s]+`) + `(\?\S*)?$`)
		if !called.MatchString(c.stderr.String()) {
			t.Errorf("svcctl %s does not call %s:\n%s", line, key, &c.stderr)
		}
	}
}

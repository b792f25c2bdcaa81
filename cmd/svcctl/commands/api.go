package commands

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/action"
	"svc/client/safe"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

var apiMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

func apiCommand(a *cli.App) *cobra.Command {
	var fields []string
	var input string
	var paginate, unchecked bool
	cmd := &cobra.Command{
		Use:   "api METHOD PATH",
		Short: "Call any endpoint",
		Long: `Call any endpoint. A PATH without a leading slash is below /api/svc/admin.

Fields are NAME=VALUE. A VALUE of true, false, null or an integer is sent as
such, and so are JSON arrays and objects; anything else is a string. NAME[]
adds to an array. Reads carry fields in the query, writes in a JSON body.

--paginate follows the Link header, or counts pages up where a page query is
given, and prints all pages as one list.

Names of fields and parameters are checked by the server's own description of its API,
GET /api/openapi.json, and so are the path and method of a call that is answered 404.
Servers without a description, and --no-check, have no such check.`,
		Args:              cli.ExactArgs(2, "a method and a path"),
		ValidArgsFunction: completeCalls(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			method := strings.ToUpper(args[0])
			if !slices.Contains(apiMethods, method) {
				return cli.Usagef("method %s: %s are accepted", action.Quote(args[0]), cli.AnyOf(apiMethods))
			}
			path := apiPath(args[1])
			if _, err := url.Parse(path); err != nil {
				return cli.Usagef("path %s: %v", action.Quote(args[1]), errors.Unwrap(err))
			}
			reads := method == http.MethodGet || method == http.MethodHead
			if paginate && method != http.MethodGet {
				return cli.Usagef("--paginate works with GET")
			}
			if input != "" && reads {
				return cli.Usagef("--input does not go with %s", method)
			}
			query, body, err := apiBody(a, fields, input, reads)
			if err != nil {
				return err
			}
			conn, err := a.Connect(cmd.Context())
			if err != nil {
				return err
			}
			writes := !methodIsRead(method, path)
			if writes {
				if err := conn.MayWrite(a, method+" "+path); err != nil {
					return err
				}
			}
			if names := sentNames(path, query, body); len(names) > 0 && !unchecked {
				if d := describedAPI(cmd.Context(), conn); d != nil {
					if err := d.check(method, path, names); err != nil {
						return err
					}
				}
			}
			if paginate && !writes {
				return apiPages(a, cmd, conn, path, query)
			}
			var sent any
			if body != nil {
				sent = body
			}
			resp, err := conn.Do(cmd.Context(), client.Request{Method: method, Path: path, Query: query, Body: sent}, nil)
			if err != nil {
				showRefusal(a, err)
				if errors.Is(err, client.ErrNotFound) && !unchecked {
					if d := describedAPI(cmd.Context(), conn); d != nil {
						return cmp.Or(d.check(method, path, nil), err)
					}
				}
				return err
			}
			if writes && a.Flags.DryRun {
				return a.ShowDryRun(nil)
			}
			if writes {
				call := action.Action{Kind: action.APICall, Target: "api/" + pathOf(path), Args: map[string]string{"method": method}}
				a.Remember(conn, []action.Result{{Action: call, Outcome: action.Changed}})
			}
			return showAnswer(a, resp.Body, resp.Header.Get("Content-Type"))
		},
	}
	cmd.Flags().StringArrayVarP(&fields, "field", "f", nil, "send `NAME=VALUE`; may be repeated")
	cmd.Flags().StringVar(&input, "input", "", "send the JSON in `FILE`, - for standard input")
	cmd.Flags().BoolVar(&unchecked, "no-check", false, "send names that the server does not describe")
	cmd.Flags().BoolVar(&paginate, "paginate", false, "fetch all pages")
	return cli.Examples(cmd, "api GET reports -f state=open", "api PUT users/tag -f nicknames[]=kim -f tags[]=seen --dry-run")
}

// pathOf is the path of an address without its query, which may hold secrets.
func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

func apiPath(s string) string {
	if strings.HasPrefix(s, "/") || strings.Contains(s, "://") {
		return s
	}
	return "/api/svc/admin/" + s
}

// apiBody turns fields and input into a query for reads or a body for writes.
func apiBody(a *cli.App, fields []string, input string, reads bool) (url.Values, json.RawMessage, error) {
	if input != "" && len(fields) > 0 {
		return nil, nil, cli.Usagef("--input and --field exclude each other")
	}
	if input != "" {
		data, err := a.ReadBody("--input", input)
		if err != nil {
			return nil, nil, err
		}
		if !json.Valid(data) {
			return nil, nil, cli.Usagef("--input %s is not JSON", action.Quote(input))
		}
		return nil, data, nil
	}
	if len(fields) == 0 {
		return nil, nil, nil
	}
	query := url.Values{}
	object := map[string]any{}
	for _, field := range fields {
		name, value, ok := strings.Cut(field, "=")
		if !ok || name == "" {
			return nil, nil, cli.Usagef("field %s: NAME=VALUE is accepted", action.Quote(field))
		}
		query.Add(name, value)
		if base, list := strings.CutSuffix(name, "[]"); list {
			items, _ := object[base].([]any)
			object[base] = append(items, fieldValue(value))
			continue
		}
		object[name] = fieldValue(value)
	}
	if reads {
		return query, nil, nil
	}
	body, err := json.Marshal(object)
	return nil, body, err
}

func fieldValue(s string) any {
	switch s {
	case "true":
		return true
	case "false":
		return false
	case "null":
		return nil
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil && strconv.FormatInt(n, 10) == s {
		return n
	}
	if strings.HasPrefix(s, "[") || strings.HasPrefix(s, "{") {
		if json.Valid([]byte(s)) {
			return json.RawMessage(s)
		}
	}
	return s
}

// showAnswer prints an answer's JSON as every other command does; other text
// is printed as it is, made harmless.
func showAnswer(a *cli.App, body []byte, contentType string) error {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil
	}
	if !json.Valid(body) {
		if !strings.HasPrefix(contentType, "text/") && !strings.Contains(contentType, "json") {
			return fmt.Errorf("the answer is %d bytes of %s, which is not printed", len(body), contentType)
		}
		if a.Flags.Quiet {
			return nil
		}
		_, err := fmt.Fprintln(a.Out, safe.Text(string(body)))
		return err
	}
	if a.Flags.Format == "" || a.Flags.Format == "table" || a.Flags.Format == "wide" {
		a.Flags.Format = "json"
	}
	if a.Flags.Format == "name" {
		return cli.Usagef("answers of api have no names; use another format than name")
	}
	items := []json.RawMessage{body}
	one := true
	if a.Flags.Format != "json" && a.Flags.Format != "yaml" && body[0] == '[' {
		one = false
		if err := json.Unmarshal(body, &items); err != nil {
			return err
		}
	}
	p, err := a.Printer()
	if err != nil {
		return err
	}
	p.One = one
	if p.Format() == "csv" || p.Format() == "tsv" {
		if !p.Narrowed() {
			return cli.Usagef("-o %s needs --fields here", p.Format())
		}
	}
	p.Begin(nil)
	for _, item := range items {
		if err := p.Add(output.Record{JSON: item}); err != nil {
			return err
		}
	}
	return p.End(output.Listing{Total: len(items), Complete: true})
}

// showRefusal prints the body of a refusal, for scripts that read it.
func showRefusal(a *cli.App, err error) {
	var answer *client.Error
	if !errors.As(err, &answer) || a.Flags.Quiet || !json.Valid(answer.Body) {
		return
	}
	fmt.Fprintf(a.Out, "%s\n", output.Indent(answer.Body, ""))
}

// apiPages walks a list and prints it as one.
func apiPages(a *cli.App, cmd *cobra.Command, conn *cli.Connection, path string, query url.Values) error {
	var all []json.RawMessage
	add := func(body []byte) (int, error) {
		if err := a.Keep(4 * len(body)); err != nil { // as it came, and as it is printed
			return 0, err
		}
		items, err := listIn(body)
		all = append(all, items...)
		return len(items), err
	}
	if query.Get("page") == "" {
		for resp, err := range conn.Pages(cmd.Context(), path, query) {
			if err != nil {
				return err
			}
			if _, err := add(resp.Body); err != nil {
				return err
			}
		}
		return showAnswer(a, output.Array(all), "application/json")
	}
	number, err := strconv.Atoi(query.Get("page"))
	if err != nil {
		return cli.Usagef("page=%s is no number", action.Quote(query.Get("page")))
	}
	last := []byte(nil)
	for ; ; number++ {
		query.Set("page", strconv.Itoa(number))
		resp, err := conn.Do(cmd.Context(), client.Request{Method: http.MethodGet, Path: path, Query: query}, nil)
		if err != nil {
			return err
		}
		if bytes.Equal(resp.Body, last) {
			break // a list that does not know pages
		}
		last = resp.Body
		n, err := add(resp.Body)
		if err != nil {
			return err
		}
		if n == 0 {
			break
		}
	}
	return showAnswer(a, output.Array(all), "application/json")
}

// listIn finds the list in an answer: the answer itself, or the one array in
// the object.
func listIn(body []byte) ([]json.RawMessage, error) {
	var items []json.RawMessage
	if json.Unmarshal(body, &items) == nil {
		return items, nil
	}
	var object map[string]json.RawMessage
	if err := json.Unmarshal(body, &object); err != nil {
		return nil, errors.New("--paginate: the answer is no list")
	}
	found := false
	for _, value := range object {
		var list []json.RawMessage
		if json.Unmarshal(value, &list) != nil || string(value) == "null" {
			continue
		}
		if found {
			return nil, errors.New("--paginate: the answer has several lists")
		}
		items, found = list, true
	}
	if !found {
		return nil, errors.New("--paginate: the answer has no list")
	}
	return items, nil
}

// methodIsRead tells requests that change nothing. Reading some paths does:
// the client knows which.
func methodIsRead(method, path string) bool {
	u, err := url.Parse(path)
	if err != nil {
		return false
	}
	return client.ReadOnly(&http.Request{Method: method, URL: u}) == nil
}

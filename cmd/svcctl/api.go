package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/safe"
	"svc/cmd/svcctl/cli/output"
)

var apiMethods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// maxInput bounds a body that is read from a file.
const maxInput = 256 << 20

func apiCommand(a *app) *cobra.Command {
	var fields []string
	var input string
	var paginate bool
	cmd := &cobra.Command{
		Use:   "api METHOD PATH",
		Short: "Call any endpoint",
		Long: `Call any endpoint. A PATH without a leading slash is below /api/svc/admin.

Fields are NAME=VALUE. A VALUE of true, false, null or an integer is sent as
such, and so are JSON arrays and objects; anything else is a string. NAME[]
adds to an array. Reads carry fields in the query, writes in a JSON body.

--paginate follows the Link header, or counts pages up where a page query is
given, and prints all pages as one list.`,
		Args: exactArgs(2, "a method and a path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			method := strings.ToUpper(args[0])
			if !slices.Contains(apiMethods, method) {
				return usagef("method %s: %s are accepted", quote(args[0]), anyOf(apiMethods))
			}
			path := apiPath(args[1])
			reads := method == http.MethodGet || method == http.MethodHead
			if paginate && method != http.MethodGet {
				return usagef("--paginate works with GET")
			}
			if input != "" && reads {
				return usagef("--input does not go with %s", method)
			}
			query, body, err := a.apiBody(fields, input, reads)
			if err != nil {
				return err
			}
			conn, err := a.connect(cmd.Context())
			if err != nil {
				return err
			}
			writes := !methodIsRead(method, path)
			if writes {
				if err := conn.mayWrite(a, method+" "+path); err != nil {
					return err
				}
			}
			if paginate && !writes {
				return a.apiPages(cmd, conn, path, query)
			}
			var sent any
			if body != nil {
				sent = body
			}
			resp, err := conn.Do(cmd.Context(), client.Request{Method: method, Path: path, Query: query, Body: sent}, nil)
			if err != nil {
				a.showRefusal(err)
				return err
			}
			if writes && a.g.dryRun {
				return a.showDryRun(nil)
			}
			return a.showAnswer(resp.Body, resp.Header.Get("Content-Type"))
		},
	}
	cmd.Flags().StringArrayVarP(&fields, "field", "f", nil, "send `NAME=VALUE`; may be repeated")
	cmd.Flags().StringVar(&input, "input", "", "send the JSON in `FILE`, - for standard input")
	cmd.Flags().BoolVar(&paginate, "paginate", false, "fetch all pages")
	return cmd
}

func apiPath(s string) string {
	if strings.HasPrefix(s, "/") || strings.Contains(s, "://") {
		return s
	}
	return "/api/svc/admin/" + s
}

// apiBody turns fields and input into a query for reads or a body for writes.
func (a *app) apiBody(fields []string, input string, reads bool) (url.Values, json.RawMessage, error) {
	if input != "" && len(fields) > 0 {
		return nil, nil, usagef("--input and --field exclude each other")
	}
	if input != "" {
		data, err := a.readInput("--input", input)
		if err != nil {
			return nil, nil, err
		}
		if !json.Valid(data) {
			return nil, nil, usagef("--input %s is not JSON", quote(input))
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
			return nil, nil, usagef("field %s: NAME=VALUE is accepted", quote(field))
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

// readInput reads the file that a flag or argument names, - for standard input.
func (a *app) readInput(flag, name string) ([]byte, error) {
	in := a.in
	if name != "-" {
		f, err := os.Open(name)
		if err != nil {
			return nil, usagef("%s: %v", flag, err)
		}
		defer f.Close()
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxInput+1))
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > maxInput {
		return nil, usagef("%s %s is larger than %d MiB", flag, quote(name), maxInput>>20)
	}
	return data, nil
}

// showAnswer prints an answer's JSON as every other command does; other text
// is printed as it is, made harmless.
func (a *app) showAnswer(body []byte, contentType string) error {
	body = bytes.TrimSpace(body)
	if len(body) == 0 {
		return nil
	}
	if !json.Valid(body) {
		if !strings.HasPrefix(contentType, "text/") && !strings.Contains(contentType, "json") {
			return fmt.Errorf("the answer is %d bytes of %s, which is not printed", len(body), contentType)
		}
		if a.g.Quiet {
			return nil
		}
		_, err := fmt.Fprintln(a.out, safe.Text(string(body)))
		return err
	}
	if a.g.Format == "" || a.g.Format == "table" || a.g.Format == "wide" {
		a.g.Format = "json"
	}
	if a.g.Format == "name" {
		return usagef("answers of api have no names; use another format than name")
	}
	items := []json.RawMessage{body}
	one := true
	if a.g.Format != "json" && a.g.Format != "yaml" && body[0] == '[' {
		one = false
		if err := json.Unmarshal(body, &items); err != nil {
			return err
		}
	}
	p, err := a.printer()
	if err != nil {
		return err
	}
	p.One = one
	if p.Format() == "csv" || p.Format() == "tsv" {
		if !p.Narrowed() {
			return usagef("-o %s needs --fields here", p.Format())
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
func (a *app) showRefusal(err error) {
	var answer *client.Error
	if !errors.As(err, &answer) || a.g.Quiet || !json.Valid(answer.Body) {
		return
	}
	fmt.Fprintf(a.out, "%s\n", output.Indent(answer.Body, ""))
}

// apiPages walks a list and prints it as one.
func (a *app) apiPages(cmd *cobra.Command, conn *connection, path string, query url.Values) error {
	var all []json.RawMessage
	add := func(body []byte) (int, error) {
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
		return a.showAnswer(output.Array(all), "application/json")
	}
	number, err := strconv.Atoi(query.Get("page"))
	if err != nil {
		return usagef("page=%s is no number", quote(query.Get("page")))
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
	return a.showAnswer(output.Array(all), "application/json")
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

package commands

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/client"
	"svc/client/suggest"
	"svc/cmd/svcctl/cli"
)

// apiDescription is what a server says of its API, in OpenAPI: as much of it as calls are
// checked by.
type apiDescription struct {
	Paths      map[string]map[string]apiOperation `json:"paths"`
	Components struct {
		Schemas map[string]apiSchema `json:"schemas"`
	} `json:"components"`
}

type apiOperation struct {
	Summary    string `json:"summary"`
	Parameters []struct {
		Name string `json:"name"`
		In   string `json:"in"`
	} `json:"parameters"`
	RequestBody struct {
		Content map[string]struct {
			Schema apiSchema `json:"schema"`
		} `json:"content"`
	} `json:"requestBody"`
}

type apiSchema struct {
	Ref        string                     `json:"$ref"`
	AllOf      []apiSchema                `json:"allOf"`
	Properties map[string]json.RawMessage `json:"properties"`
}

// apiCaller is the part of a client that asks.
type apiCaller interface {
	Do(ctx context.Context, r client.Request, out any, opts ...client.CallOption) (*client.Response, error)
}

// describedAPI is the description of a server's API; nil from servers without one.
func describedAPI(ctx context.Context, c apiCaller) *apiDescription {
	d := new(apiDescription)
	if _, err := c.Do(ctx, client.Request{Method: http.MethodGet, Path: "/api/openapi.json", Anonymous: true}, d); err != nil || len(d.Paths) == 0 {
		return nil
	}
	return d
}

// find is the path of the description that an address means, "" for none: one with fewer
// parameters before others.
func (d *apiDescription) find(address string) string {
	best, fewest := "", 0
	parts := strings.Split(strings.TrimSuffix(pathOf(address), "/"), "/")
	for _, path := range slices.Sorted(maps.Keys(d.Paths)) {
		own, free := strings.Split(path, "/"), 0
		if len(own) != len(parts) {
			continue
		}
		fits := true
		for i, part := range own {
			if strings.HasPrefix(part, "{") {
				free++
			} else if part != parts[i] {
				fits = false
			}
		}
		if fits && (best == "" || free < fewest) {
			best, fewest = path, free
		}
	}
	return best
}

// everywhereNames are parameters of any request.
var everywhereNames = []string{"access_token", "admin_token", "_method"}

// names are the parameters of an operation.
func (d *apiDescription) names(op apiOperation) []string {
	var names []string
	for _, p := range op.Parameters {
		if p.In == "query" {
			names = append(names, strings.TrimSuffix(p.Name, "[]"))
		}
	}
	for _, of := range op.RequestBody.Content {
		names = append(names, d.properties(of.Schema)...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (d *apiDescription) properties(s apiSchema) []string {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		s = d.Components.Schemas[name]
	}
	names := slices.Collect(maps.Keys(s.Properties))
	for _, part := range s.AllOf {
		names = append(names, d.properties(part)...)
	}
	return names
}

// hint for the refusals below.
const uncheckedHint = "--no-check sends it as it is"

// check refuses a call that the description does not have: of another path or method, or
// with a parameter of another name.
func (d *apiDescription) check(method, address string, sent []string) error {
	path := d.find(address)
	if path == "" {
		if !strings.HasPrefix(pathOf(address), "/api/") {
			return nil // pages, and what other servers ask for, are not described
		}
		return &cli.UsageError{Message: "the server has no " + pathOf(address), Hint: didYouMean(pathOf(address), slices.Collect(maps.Keys(d.Paths)))}
	}
	op, ok := d.Paths[path][strings.ToLower(strings.Replace(method, http.MethodHead, http.MethodGet, 1))]
	if !ok {
		var methods []string
		for name := range d.Paths[path] {
			methods = append(methods, strings.ToUpper(name))
		}
		slices.Sort(methods)
		return &cli.UsageError{Message: path + " is not for " + method + "; it is for " + strings.Join(methods, ", "), Hint: uncheckedHint}
	}
	names := d.names(op)
	for _, name := range sent {
		name, _, _ = strings.Cut(name, "[")
		if !slices.Contains(names, name) && !slices.Contains(everywhereNames, name) {
			return &cli.UsageError{Message: method + " " + path + " has no parameter " + name, Hint: didYouMean(name, names)}
		}
	}
	return nil
}

func didYouMean(word string, words []string) string {
	if near := suggest.Words(word, words); len(near) > 0 {
		return "did you mean " + strings.Join(near, ", or ") + "? " + uncheckedHint
	}
	return uncheckedHint
}

// sentNames are the names of what a call sends.
func sentNames(path string, query url.Values, body json.RawMessage) []string {
	names := slices.Collect(maps.Keys(query))
	if u, err := url.Parse(path); err == nil {
		names = slices.AppendSeq(names, maps.Keys(u.Query()))
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(body, &object) == nil {
		names = slices.AppendSeq(names, maps.Keys(object))
	}
	slices.Sort(names)
	return names
}

// completeCalls offers methods, then the paths that have one.
func completeCalls(a *cli.App) cli.Completer {
	return func(cmd *cobra.Command, args []string, typed string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return cli.StartingWith(apiMethods, strings.ToUpper(typed)), cobra.ShellCompDirectiveNoFileComp
		}
		if len(args) > 1 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return a.Completing("api "+args[0], func(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
			d := describedAPI(ctx, c)
			if d == nil {
				return nil, nil
			}
			var offers []cobra.Completion
			for path, item := range d.Paths {
				op, ok := item[strings.ToLower(args[0])]
				if !ok {
					continue
				}
				path, _, _ = strings.Cut(path, "{") // shells expand braces; what follows is an id
				offers = append(offers, cli.Described(path, op.Summary))
				if short, below := strings.CutPrefix(path, "/api/svc/admin/"); below {
					offers = append(offers, cli.Described(short, op.Summary))
				}
			}
			slices.Sort(offers)
			// Of several operations below one place the first describes it.
			return slices.CompactFunc(offers, func(a, b cobra.Completion) bool {
				one, _, _ := strings.Cut(a, "\t")
				other, _, _ := strings.Cut(b, "\t")
				return one == other
			}), nil
		})(cmd, args, typed)
	}
}

package output

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/template"

	"github.com/itchyny/gojq"

	"svc/client/safe"
)

// filter turns a JSON document into the text that --jq or --template asks for.
type filter interface {
	run(out io.Writer, doc json.RawMessage) error
}

func newFilter(jq, text string) (filter, error) {
	switch {
	case jq != "":
		query, err := gojq.Parse(jq)
		if err != nil {
			return nil, usagef("--jq: %v", err)
		}
		code, err := gojq.Compile(query) // without an environment: $ENV is empty
		if err != nil {
			return nil, usagef("--jq: %v", err)
		}
		return jqFilter{code}, nil
	case text != "":
		t, err := template.New("template").Funcs(templateFuncs).Option("missingkey=zero").Parse(text)
		if err != nil {
			return nil, usagef("--template: %s", strings.TrimPrefix(err.Error(), "template: "))
		}
		return templateFilter{t}, nil
	}
	return nil, nil
}

// templateFuncs are the functions of templates besides the built-in ones.
var templateFuncs = template.FuncMap{
	"json": func(v any) (string, error) {
		b, err := json.Marshal(v)
		return string(safe.JSON(b)), err
	},
	"join": func(sep string, list []any) string {
		parts := make([]string, len(list))
		for i, v := range list {
			parts[i] = fmt.Sprint(v)
		}
		return strings.Join(parts, sep)
	},
	"upper": strings.ToUpper,
	"lower": strings.ToLower,
}

type jqFilter struct{ code *gojq.Code }

// run prints each result on a line: strings as they are, the rest as JSON.
func (f jqFilter) run(out io.Writer, doc json.RawMessage) error {
	input, err := decode(doc)
	if err != nil {
		return err
	}
	results := f.code.Run(input)
	for {
		result, ok := results.Next()
		if !ok {
			return nil
		}
		if err, failed := result.(error); failed {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				return nil
			}
			return fmt.Errorf("--jq: %w", err)
		}
		if s, isString := result.(string); isString {
			if _, err := fmt.Fprintln(out, harmless(s)); err != nil {
				return err
			}
			continue
		}
		encoded, err := gojq.Marshal(result)
		if err != nil {
			return fmt.Errorf("--jq: %w", err)
		}
		if err := writeAll(out, safe.JSON(encoded), []byte("\n")); err != nil {
			return err
		}
	}
}

type templateFilter struct{ template *template.Template }

func (f templateFilter) run(out io.Writer, doc json.RawMessage) error {
	input, err := decode(doc)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := f.template.Execute(&b, input); err != nil {
		return usagef("--template: %s", strings.TrimPrefix(err.Error(), "template: "))
	}
	_, err = io.WriteString(out, harmless(b.String()))
	return err
}

// harmless is safe.Text that lets tabs through, which separate the cells of @tsv.
func harmless(s string) string {
	parts := strings.Split(s, "\t")
	for i, part := range parts {
		parts[i] = safe.Text(part)
	}
	return strings.Join(parts, "\t")
}

// decode keeps numbers as they are written.
func decode(doc json.RawMessage) (any, error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return v, nil
}

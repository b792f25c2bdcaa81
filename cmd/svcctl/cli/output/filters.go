package output

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/template"
	"text/template/parse"
	"time"

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
		f := &templateFilter{}
		t, err := template.New("template").Funcs(templateFuncs).Funcs(template.FuncMap{tick: f.tick}).Option("missingkey=zero").Parse(text)
		if err != nil {
			return nil, usagef("--template: %s", strings.TrimPrefix(err.Error(), "template: "))
		}
		f.template = t
		for _, defined := range t.Templates() {
			ticking(defined.Root)
		}
		return f, nil
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

// filterTime bounds how long a document is filtered: expressions and templates may
// have no end.
var filterTime = 30 * time.Second

// filterMost bounds what a template makes of a document, in bytes.
const filterMost = 64 << 20

var errEndless = errors.New("it does not end")

// run prints each result on a line: strings as they are, the rest as JSON.
func (f jqFilter) run(out io.Writer, doc json.RawMessage) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), filterTime, errEndless)
	defer cancel()
	input, err := decode(doc)
	if err != nil {
		return err
	}
	results := f.code.RunWithContext(ctx, input)
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
			if ctx.Err() != nil {
				err = context.Cause(ctx)
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

type templateFilter struct {
	template *template.Template
	until    time.Time
}

// tick is the name of a function that stands wherever a template goes on: in the body
// of each loop and of each template. Templates are given no other way to be stopped.
const tick = "_tick"

func (f *templateFilter) tick() (string, error) {
	if time.Now().After(f.until) {
		return "", errEndless
	}
	return "", nil
}

// ticking adds a call of tick to a list of nodes and to the loops in it.
func ticking(list *parse.ListNode) {
	if list == nil {
		return
	}
	for _, node := range list.Nodes {
		switch n := node.(type) {
		case *parse.RangeNode:
			ticking(n.List)
			ticking(n.ElseList)
		case *parse.IfNode:
			ticking(n.List)
			ticking(n.ElseList)
		case *parse.WithNode:
			ticking(n.List)
			ticking(n.ElseList)
		}
	}
	call, err := parse.Parse("tick", "{{"+tick+"}}", "", "", map[string]any{tick: 0})
	if err != nil {
		panic(err) // a mistake in this program
	}
	list.Nodes = append(call["tick"].Root.Nodes, list.Nodes...)
}

// full is a buffer that takes no more than filterMost.
type full struct{ bytes.Buffer }

func (b *full) Write(p []byte) (int, error) {
	if b.Len()+len(p) > filterMost {
		return 0, fmt.Errorf("it makes more than %d MiB of one object", filterMost>>20)
	}
	return b.Buffer.Write(p)
}

func (f *templateFilter) run(out io.Writer, doc json.RawMessage) error {
	input, err := decode(doc)
	if err != nil {
		return err
	}
	var b full
	f.until = time.Now().Add(filterTime)
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

package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"svc/client/safe"
)

// toYAML writes a JSON document as YAML with its keys in their order and its
// numbers as they are. Characters that a terminal could act on are escaped.
func toYAML(doc []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	node, err := yamlNode(d)
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(node); err != nil {
		return nil, fmt.Errorf("write yaml: %w", err)
	}
	if err := e.Close(); err != nil {
		return nil, fmt.Errorf("write yaml: %w", err)
	}
	// Such characters stand in double-quoted scalars alone, where YAML reads
	// \uXXXX; beyond the BMP it wants \UXXXXXXXX instead of a pair.
	return EscapeYAML(b.Bytes()), nil
}

func yamlNode(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		node := &yaml.Node{Kind: yaml.SequenceNode}
		if v == '{' {
			node.Kind = yaml.MappingNode
		}
		for d.More() {
			if v == '{' {
				key, err := d.Token()
				if err != nil {
					return nil, err
				}
				node.Content = append(node.Content, yamlString(fmt.Sprint(key)))
			}
			child, err := yamlNode(d)
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, child)
		}
		if len(node.Content) == 0 {
			node.Style = yaml.FlowStyle // [] and {}
		}
		_, err := d.Token() // the closing one
		return node, err
	case string:
		return yamlString(v), nil
	case json.Number:
		tag := "!!int"
		if strings.ContainsAny(v.String(), ".eE") {
			tag = "!!float"
		}
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: v.String()}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: fmt.Sprint(v)}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
}

func yamlString(s string) *yaml.Node {
	node := &yaml.Node{}
	node.SetString(s)
	if strings.ContainsFunc(s, unsafeRune) || strings.ContainsAny(s, "\r\t") {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

// unsafeRune reports the runes that safe.JSON would escape.
func unsafeRune(r rune) bool {
	if r < ' ' {
		return r != '\n'
	}
	s := string(r)
	return string(safe.JSON([]byte(s))) != s
}

// EscapeYAML is a document of YAML with the characters that a terminal could act
// on escaped, which must stand in double-quoted scalars alone.
func EscapeYAML(doc []byte) []byte {
	if !bytes.ContainsFunc(doc, unsafeRune) {
		return doc
	}
	out := make([]byte, 0, len(doc)+32)
	for _, r := range string(doc) {
		switch {
		case !unsafeRune(r):
			out = append(out, string(r)...)
		case r > 0xffff:
			out = fmt.Appendf(out, `\U%08X`, r)
		default:
			out = fmt.Appendf(out, `\u%04X`, r)
		}
	}
	return out
}

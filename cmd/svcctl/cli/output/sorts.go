package output

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
)

// sortRecords orders by a field of the objects, bytewise or by number, and
// backwards when the field starts with a dash. Records without it come last.
func sortRecords(records []Record, by string) error {
	by, backwards := strings.CutPrefix(by, "-")
	path, err := parseField(by)
	if err != nil {
		return err
	}
	keys := make(map[int]sortKey, len(records))
	order := make([]int, len(records))
	for i, r := range records {
		order[i] = i
		if keys[i], err = keyOf(r.JSON, path); err != nil {
			return err
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return keys[a].compare(keys[b], backwards)
	})
	sorted := make([]Record, len(records))
	for i, from := range order {
		sorted[i] = records[from]
	}
	copy(records, sorted)
	return nil
}

type sortKey struct {
	missing bool
	number  bool
	n       float64
	text    string
}

func keyOf(doc json.RawMessage, path fieldPath) (sortKey, error) {
	value, err := path.find(doc)
	if err != nil {
		return sortKey{}, err
	}
	var n json.Number
	switch {
	case value == nil || string(value) == "null":
		return sortKey{missing: true}, nil
	case value[0] == '"':
		var s string
		err := json.Unmarshal(value, &s)
		return sortKey{text: s}, err
	case json.Unmarshal(value, &n) == nil:
		f, err := n.Float64()
		return sortKey{number: err == nil, n: f, text: n.String()}, nil
	}
	if value[0] == '[' || value[0] == '{' {
		return sortKey{}, usagef("--sort: %s is no text or number, so there is no order", path.String())
	}
	return sortKey{text: string(value)}, nil
}

func (k sortKey) compare(o sortKey, backwards bool) int {
	if k.missing || o.missing {
		return cmp.Compare(btoi(k.missing), btoi(o.missing))
	}
	c := strings.Compare(k.text, o.text)
	if k.number && o.number {
		c = cmp.Compare(k.n, o.n)
	}
	if backwards {
		return -c
	}
	return c
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

package settings

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// laughs is a file whose aliases stand for ten to the power of n values.
func laughs(n int) string {
	var b strings.Builder
	b.WriteString(":svc:\n  :a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, "  :a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i-1), 10), ","))
	}
	return b.String()
}

// allocated is how many bytes do allocates.
func allocated(do func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	do()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func TestAFileOfTooManyValuesIsRefusedWhileItIsRead(t *testing.T) {
	long := 8 << 20
	for name, doc := range map[string]string{
		"aliases":               laughs(9),
		"aliases of mappings":   ":svc:\n  :a: &a {':b': 1, ':c': 2, ':d': 3}\n" + strings.Repeat("  :k%d: *a\n", 1) + strings.ReplaceAll(laughs(8), ":svc:\n", ""),
		"aliases in wire form":  "x: &x [" + strings.Repeat("1,", 400) + "1]\nconfigs: [" + strings.Repeat("{group: ':svc', key: ':k', value: *x},", 300) + "]",
		"aliased keys to unset": ":g: &g\n" + unsetKeys(1000) + aliasedGroups(200),
		"aliased unset entries": ":g:\n  :k: &k\n" + strings.ReplaceAll(unsetKeys(1000), "  :", "    :") + aliasedKeys(200),
		"a list without end":    strings.Repeat("[1", 1) + strings.Repeat(",1", long/2),
		"an object without end": `{"configs":[{"group":":svc","key":":k","value":{"a":1` + strings.Repeat(`,"a":1`, long/6),
		"null keys":             "{" + strings.Repeat("a,", long/2),
		"pairs in a list":       "{':svc': {':k': [" + strings.Repeat("a: b, ", long/6) + "]}}",
		"questions":             strings.Repeat("? a\n", long/4),
		"a list in lines":       ":svc:\n  :k:\n" + strings.Repeat("    -\n", long/6),
		"nested in a line":      strings.Repeat(strings.Repeat("- ", 50)+"\n", long/100),
		"objects in lines":      strings.Repeat("- {a}\n", long/6),
		"many documents":        strings.Repeat("---\n", long/4),
	} {
		var err error
		bytes := allocated(func() { _, err = Read([]byte(doc)) })
		if !errors.Is(err, errTooMany) {
			t.Errorf("%s: %v, want %v", name, err, errTooMany)
		}
		if bytes > 120<<20 {
			t.Errorf("%s: %d MiB were allocated", name, bytes>>20)
		}
	}
}

func unsetKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  :k%d: !unset\n", i)
	}
	return b.String()
}

func aliasedGroups(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, ":g%d: *g\n", i)
	}
	return b.String()
}

func aliasedKeys(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "  :x%d: *k\n", i)
	}
	return b.String()
}

// TestAsManyValuesAsAreAcceptedAreRead reads files just below the bound, in the forms
// with the most punctuation.
func TestAsManyValuesAsAreAcceptedAreRead(t *testing.T) {
	const pairs = maxValues/4 - 10
	tuple := `{"tuple":[":a-key","https://a.example/b?c=d"]}`
	for name, doc := range map[string]string{
		"wire":    `{"configs": [{"group": ":svc", "key": ":k", "value": [` + tuple + strings.Repeat(", "+tuple, pairs-1) + `]}]}`,
		"a list":  "{':svc': {':k': [" + strings.Repeat(`":a",`, maxValues-10) + "]}}",
		"aliases": laughs(4),
	} {
		if _, err := Read([]byte(doc)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	list := "[" + strings.Repeat("1,", maxValues-2) + "1]"
	if _, err := ParseJSON([]byte(list)); err != nil {
		t.Error(err)
	}
}

func TestAValueOfTooManyValuesIsRefused(t *testing.T) {
	list := "[" + strings.Repeat("1,", maxValues) + "1]"
	if _, err := ParseJSON([]byte(list)); !errors.Is(err, errTooMany) {
		t.Error(err)
	}
	if _, err := Parse(list); !errors.Is(err, errTooMany) {
		t.Error(err)
	}
	if _, err := ParseJSON([]byte(strings.Repeat("[", 8<<20))); err == nil || errors.Is(err, errTooMany) {
		t.Error(err)
	}
}

// TestNoTextHasMoreNodesThanItsMarksSay counts the nodes of generated texts.
func TestNoTextHasMoreNodesThanItsMarksSay(t *testing.T) {
	parts := []string{"a", "'b'", `"c"`, ",", ":", ": ", "- ", "-", "? ", "[", "]", "{", "}", "\n", "\n  ", " ", "&x ", "*x", "!t ", "|\n", "# c\n", "---\n"}
	var count func(n *yaml.Node) int
	count = func(n *yaml.Node) int {
		total := 1
		for _, c := range n.Content {
			total += count(c)
		}
		return total
	}
	random, read := uint64(1), 0
	for range 300_000 {
		var b strings.Builder
		for range 1 + random>>60 {
			random = random*6364136223846793005 + 1442695040888963407
			b.WriteString(parts[random>>33%uint64(len(parts))])
		}
		random = random*6364136223846793005 + 1442695040888963407
		var doc yaml.Node
		if yaml.Unmarshal([]byte(b.String()), &doc) != nil || len(doc.Content) == 0 {
			continue
		}
		read++
		if got, most := count(doc.Content[0]), nodes([]byte(b.String())); got > most {
			t.Fatalf("%q has %d nodes, and %d by its marks", b.String(), got, most)
		}
	}
	if read < 10_000 {
		t.Errorf("only %d texts were read", read)
	}
}

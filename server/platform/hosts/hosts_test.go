package hosts

import (
	"strings"
	"testing"
)

func TestAHostHasOneForm(t *testing.T) {
	const spaced = " far.example. "
	for text, want := range map[string]string{
		"far.example": "far.example", "FAR.Example": "far.example", spaced: "far.example", "far.example:443": "far.example",
		"far.example:8443": "far.example:8443", "FAR.example.:8443": "far.example:8443", "far.example:": "far.example",
		"müller.example": "xn--mller-kva.example", "MÜLLER.example": "xn--mller-kva.example", "XN--MLLER-KVA.example": "xn--mller-kva.example",
		"mu\u0308ller.example": "xn--mller-kva.example", "müller。example": "xn--mller-kva.example", "müller.example:8443": "xn--mller-kva.example:8443",
		"пример.рф": "xn--e1afmkfd.xn--p1ai", "рф": "xn--p1ai", "localhost": "localhost",
		"127.0.0.1:4001": "127.0.0.1:4001", "[::1]:4001": "[::1]:4001", "[::1]": "[::1]", "::1": "[::1]", "[2001:DB8::0:1]": "[2001:db8::1]",
	} {
		if got, ok := Name(text); !ok || got != want {
			t.Errorf("%q is %q, %v, want %q", text, got, ok, want)
		}
		if got := Clean(text); got != want {
			t.Errorf("%q is compared as %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{"", ".", "a b", "far.example:x", "far.example:123456", "http://far.example", "far.example/x", "_x.example",
		"-a.example", "xn--a.example", strings.Repeat("a", 64) + ".example", strings.Repeat("a.", 150) + "example"} {
		if got, ok := Name(text); ok {
			t.Errorf("%q is the host %q", text, got)
		}
	}
	if got := Clean("My_Host.Example"); got != "my_host.example" {
		t.Errorf("what is no name is compared as %q", got)
	}
}

func TestAHostIsAmongOthersHoweverItIsWritten(t *testing.T) {
	for _, c := range []struct {
		list, host string
		want       bool
	}{
		{"far.example", "far.example", true}, {"Far.Example.", "far.example", true}, {"far.example", "far.example:8443", true},
		{"far.example:8443", "far.example:8443", true}, {"far.example:8443", "far.example", false}, {"far.example:443", "far.example", true},
		{"far.example", "near.example", false}, {"far.example", "a.far.example", false}, {"far.example", "", false}, {"", "", false},
		{"*.far.example", "far.example", true}, {"*.far.example", "a.b.far.example:1", true}, {"*.far.example", "afar.example", false},
		{"müller.example", "xn--mller-kva.example", true}, {"MÜLLER.example", "xn--mller-kva.example:8443", true},
		{"xn--mller-kva.example", "müller.example", true}, {"*.müller.example", "a.xn--mller-kva.example", true},
		{"*.рф", "xn--e1afmkfd.xn--p1ai", true}, {"мюллер.example", "xn--mller-kva.example", false},
		{"[::1]", "[::1]:4001", true}, {"::1", "[::1]", true}, {"127.0.0.1", "127.0.0.1:4001", true},
	} {
		if got := Among([]string{"other.example", c.list}, c.host); got != c.want {
			t.Errorf("%q is among %q: %v", c.host, c.list, got)
		}
	}
}

func TestAHandleHasTwoParts(t *testing.T) {
	for handle, want := range map[string][2]string{
		"ann": {"ann", ""}, "@ann": {"ann", ""}, "@ann@FAR.example.": {"ann", "far.example"}, "ann@müller.example:8443": {"ann", "xn--mller-kva.example:8443"},
	} {
		if nick, host, full := Handle(handle); nick != want[0] || host != want[1] || full != (host != "") {
			t.Errorf("%q is %q at %q", handle, nick, host)
		}
	}
}

func BenchmarkAmong(b *testing.B) {
	list := make([]string, 10000)
	for i := range list {
		list[i] = "host" + strings.Repeat("x", i%20) + ".example"
	}
	for b.Loop() {
		if Among(list, "far.example") {
			b.Fatal("it is not")
		}
	}
}

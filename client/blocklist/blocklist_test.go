package blocklist

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
)

// read is a list in one line for each entry and each refused line.
func read(t *testing.T, text string, o Options) string {
	t.Helper()
	entries, refused, err := Read([]byte(text), o)
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	for _, e := range entries {
		fmt.Fprintf(&b, "%d %s %v %s\n", e.Line, e.Host, e.Limits, e.Reason)
	}
	for _, r := range refused {
		fmt.Fprintf(&b, "%s\n", r.Error())
	}
	return b.String()
}

func TestListsAreReadInAllForms(t *testing.T) {
	for _, c := range []struct {
		name, text string
		o          Options
		want       string
	}{
		{"Mastodon", "#domain,#severity,#reject_media,#reject_reports,#public_comment,#obfuscate\n" +
			"Bad.Example,suspend,false,false,\"big, jerks\",false\nloud.example,silence,TRUE,true,,False\nonly.example,noop,true,false,,false\nnothing.example,noop,false,false,,false\n", Options{},
			"2 *.bad.example [reject] big, jerks\n3 *.loud.example [media unlisted reports] \n4 *.only.example [media] \nline 5: \"nothing.example\" has no limit\n"},
		{"with a mark, CRLF and obfuscated hosts", "\ufeff#domain,#severity,#public_comment\r\nex***le.org,suspend,x\r\n\r\n*.a.example,suspend,\r\nb.example,frob,\r\n,suspend,\r\n", Options{},
			"4 *.a.example [reject] \nline 2: \"ex***le.org\" is obfuscated: it does not say which server is meant\nline 5: \"b.example\" has the severity \"frob\", which is none of suspend, silence, limit and noop\nline 6: \",suspend,\" names no server\n"},
		{"public lists", "domain,severity,public_comment,private_comment,reject_media,reject_reports,obfuscate\na.example,suspend,,known to us,False,False,True\nb.example,limit,bots,x,,,\nc.example,,,,,,\n", Options{Exact: true},
			"2 a.example [reject] known to us\n3 b.example [unlisted] bots\n4 c.example [reject] \n"},
		{"domains alone", "# a list\n\na.example\nmüller.example\nhttps://x.example/\na.example\n", Options{},
			"3 *.a.example [reject] \n4 *.xn--mller-kva.example [reject] \nline 5: \"https://x.example/\" is no host\n"},
		{"a row without a header", "a.example,silence\nb.example,suspend\n", Options{}, "1 *.a.example [unlisted] \n2 *.b.example [reject] \n"},
		{"GoToSocial's JSON", "[\n  {\"domain\": \"a.example\", \"suspended_at\": \"2020-05-13T13:29:12.000Z\", \"public_comment\": \"jerks\"},\n  {\"domain\": \"b.example\", \"severity\": \"silence\", \"comment\": \"loud\"}\n]\n", Options{},
			"2 *.a.example [reject] jerks\n3 *.b.example [unlisted] loud\n"},
		{"ours", "# kept in git\n- host: \"*.a.example\"\n  limits: [reject, quarantine]\n  reason: spam\n- host: b.example\n  limits: [sensitive]\n- host: c.example\n  limits: [frob]\n- limits: [reject]\n", Options{},
			"2 *.a.example [reject quarantine] spam\n5 b.example [sensitive] \nline 7: \"c.example\" has the limit \"frob\", which there is not\nline 9: \"\" names no server\n"},
		{"a host twice", "- {host: a.example, limits: [media]}\n- {host: A.example., limits: [reject], reason: why}\n", Options{}, "1 a.example [reject media] why\n"},
		{"no text", "\xff\xfe", Options{}, "error: the list is no UTF-8 text"},
		{"no list", "[1, 2", Options{}, "error: read yaml: yaml: line 1: did not find expected ',' or ']'"},
		{"a torn quote", "domain\n\"a.example\n", Options{}, "error: read csv: parse error on line 2, column 12: extraneous or missing \" in quoted-field"},
		{"nothing", "", Options{}, ""},
	} {
		if diff := cmp.Diff(c.want, read(t, c.text, c.o)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	var long strings.Builder
	for i := range Most + 1 {
		fmt.Fprintf(&long, "h%d.example\n", i)
	}
	if got := read(t, long.String(), Options{}); got != "error: a list has at most 20000 servers" {
		t.Errorf("a list that is too long: %.100s", got)
	}
	if got := read(t, "domain,public_comment\na.example,"+strings.Repeat("ä", 600), Options{}); len([]rune(got)) > 540 || !strings.HasSuffix(got, "ä…\n") {
		t.Errorf("a long reason: %s", got)
	}
}

func TestWrittenListsAreReadBack(t *testing.T) {
	hosts := []api.LimitedHost{
		{Host: "*.a.example", Limits: []api.HostLimit{api.LimitReject}, Reason: `says "no", often`},
		{Host: "*.b.example", Limits: []api.HostLimit{api.LimitMedia, api.LimitUnlisted}, Reason: "=cmd|' /C calc'!A0"},
		{Host: "c.example:8443", Limits: []api.HostLimit{api.LimitReports}},
	}
	plain := "#domain,#severity,#reject_media,#reject_reports,#public_comment,#obfuscate\n" +
		"a.example,suspend,false,false,\"says \"\"no\"\", often\",false\nb.example,silence,true,false,'=cmd|' /C calc'!A0,false\nc.example:8443,noop,false,true,,false\n"
	if doc, err := CSV(hosts); err != nil || string(doc) != plain {
		t.Errorf("%v:\n%s", err, doc)
	}
	hosts = append(hosts, api.LimitedHost{Host: "exact.example", Limits: []api.HostLimit{api.LimitReject, api.LimitQuarantine}, Reason: "no: {x}"},
		api.LimitedHost{Host: "*.xn--mller-kva.example", Limits: []api.HostLimit{api.LimitSensitive}})
	for name, write := range map[string]func([]api.LimitedHost) ([]byte, error){"csv": CSV, "yaml": YAML} {
		doc, err := write(hosts)
		if err != nil {
			t.Fatal(err)
		}
		entries, refused, err := Read(doc, Options{})
		var got []api.LimitedHost
		for _, e := range entries {
			got = append(got, e.LimitedHost)
		}
		if diff := cmp.Diff(hosts, got); diff != "" || err != nil || len(refused) > 0 {
			t.Errorf("%s: %v, %v (-want +got):\n%s\n%s", name, err, refused, diff, doc)
		}
	}
}

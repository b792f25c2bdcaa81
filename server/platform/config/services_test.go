package config

import (
	"encoding/json"
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/settings/term"
)

func TestServicesTakeWhatCanBeUsed(t *testing.T) {
	for _, tt := range []struct {
		group, key, value string
		wrong             string // part of the refusal, empty for none
	}{
		{":cors_plug", ":max_age", `600`, ""},
		{":cors_plug", ":max_age", `-1`, "an integer from 0"},
		{":cors_plug", ":methods", `["GET","PATCH"]`, ""},
		{":cors_plug", ":expose", `["Link\r\nX: y"]`, "names such as Link"},
		{":cors_plug", ":headers", `["a, b"]`, "names such as Authorization"},
		{":cors_plug", ":headers", `["a","b c"]`, "names such as Authorization"},
		{":svc", "Svc.Web.Plugs.RemoteIp", `[{"tuple":[":proxies",["10.0.0.1","::1/128"]]}]`, ""},
		{":svc", "Svc.Web.Plugs.RemoteIp", `[{"tuple":[":proxies",["host"]]}]`, "addresses or networks"},
		{":logger", ":console", `[{"tuple":[":level",":warn"]}]`, ""},
		{":logger", ":console", `[{"tuple":[":level",":loud"]}]`, "one of :debug"},
		{":prometheus", "Svc.Web.Endpoint.MetricsExporter", `[{"tuple":[":auth",{"tuple":[":basic","a","b"]}]}]`, ""},
		{":prometheus", "Svc.Web.Endpoint.MetricsExporter", `[{"tuple":[":auth",{"tuple":[":other","a","b"]}]}]`, "a tuple of :basic"},
		{":prometheus", "Svc.Web.Endpoint.MetricsExporter", `[{"tuple":[":auth",true]}]`, "a tuple of :basic"},
		{":prometheus", "Svc.Web.Endpoint.MetricsExporter", `[{"tuple":[":path","metrics"]}]`, "a path such as"},
		{":svc", ":connections_pool", `[{"tuple":[":connect_timeout",0]}]`, "milliseconds from 1"},
	} {
		value, err := term.FromJSON(json.RawMessage(tt.value))
		if err != nil {
			t.Fatal(err)
		}
		var words []string
		for _, err := range Check(tt.group, tt.key, value) {
			words = append(words, err.Error())
		}
		said := strings.Join(words, " ")
		if (said == "") != (tt.wrong == "") || !strings.Contains(said, tt.wrong) {
			t.Errorf("%s %s %s: %q", tt.group, tt.key, tt.value, said)
		}
	}
}

func TestNetworksAreAddressesToo(t *testing.T) {
	got := Networks([]string{"10.1.2.3/8", "192.0.2.1", "::1", "::ffff:192.0.2.2", "junk"})
	want := []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("192.0.2.1/32"), netip.MustParsePrefix("::1/128"), netip.MustParsePrefix("192.0.2.2/32"),
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.Prefix) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
}

func TestEachLevelHasItsLeast(t *testing.T) {
	for word, want := range map[string]slog.Level{":debug": slog.LevelDebug, ":info": slog.LevelInfo, ":warn": slog.LevelWarn, ":warning": slog.LevelWarn, ":error": slog.LevelError} {
		if got := (&Settings{LogLevel: word}).LeastLogged(); got != want {
			t.Errorf("%s: %s", word, got)
		}
		if word != ":warning" && levelName(want) != word {
			t.Errorf("%s is named %s", want, levelName(want))
		}
	}
	if (&Settings{LogLevel: ":none"}).LeastLogged() <= slog.LevelError {
		t.Error(":none logs errors")
	}
}

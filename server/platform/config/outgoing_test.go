package config

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAFileNamesTheProxy(t *testing.T) {
	for text, want := range map[string]Proxy{
		`"localhost:9020"`:                  {"http", "localhost", 9020},
		`[":socks5", "127.0.0.1", 9050]`:    {"socks5", "127.0.0.1", 9050},
		`[socks4, proxy.example.org, 1080]`: {"socks4", "proxy.example.org", 1080},
		`null`:                              {},
	} {
		got, err := load(t, []string{"--config", write(t, "svc.yaml", "settings: {http: {proxy_url: "+text+"}}")}, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if diff := cmp.Diff(want, got.Settings.HTTP.Proxy); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	for _, text := range []string{`"socks5://localhost:1"`, `localhost`, `"localhost:0"`, `"localhost:x"`, `[ftp, localhost, 1]`, `[socks5, "a b", 1]`, `[socks5, localhost]`, `3`} {
		_, err := load(t, []string{"--config", write(t, "svc.yaml", "settings: {http: {proxy_url: "+text+"}}")}, nil)
		var problems Problems
		if !errors.As(err, &problems) || len(problems) != 1 {
			t.Errorf("%s: %v", text, err)
		}
	}
	if got := (Proxy{"socks5", "::1", 9}).URL().String(); got != "socks5://[::1]:9" {
		t.Error(got)
	}
	if got := (Proxy{}).URL(); got != nil {
		t.Error(got)
	}
}

func TestCallsSayWhatTheSettingsWant(t *testing.T) {
	s := DefaultSettings()
	s.Instance.Email = "admin@example.org"
	if got, want := s.Agent("1.2", "https://svc.example"), "svc 1.2; https://svc.example <admin@example.org>"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.HTTP.UserAgent = "somebody"
	if got := s.Agent("1.2", "https://svc.example"); got != "somebody" {
		t.Error(got)
	}
	s.HTTP.SendUserAgent = false
	if got := s.Agent("1.2", "https://svc.example"); got != "" {
		t.Error(got)
	}
}

func TestInsecureFederationIsForPlainTestServersOnly(t *testing.T) {
	got, err := load(t, nil, map[string]string{"SVC_FEDERATION_INSECURE": "true"})
	if err != nil || !got.FederationInsecure {
		t.Errorf("insecure %v, error %v", got.FederationInsecure, err)
	}
	for _, env := range []map[string]string{
		{"SVC_FEDERATION_INSECURE": "true", "SVC_BASE_URL": "https://svc.example"},
		{"SVC_FEDERATION_INSECURE": "perhaps"},
	} {
		_, err := load(t, nil, env)
		var problems Problems
		if !errors.As(err, &problems) || len(problems) != 1 || problems[0].Setting != "SVC_FEDERATION_INSECURE" {
			t.Errorf("%v: %v", env, err)
		}
	}
	if got, err = load(t, nil, map[string]string{"SVC_FEDERATION_INSECURE": "false", "SVC_BASE_URL": "https://svc.example"}); err != nil || got.FederationInsecure {
		t.Errorf("insecure %v, error %v", got.FederationInsecure, err)
	}
}

package config

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheWhitelistIsToldByFileOrEnvironment(t *testing.T) {
	want := Whitelist{{":svc", ":instance"}, {":svc", "Svc.Upload"}, {":logger", ""}}
	for name, c := range map[string]struct {
		args []string
		env  map[string]string
	}{
		"environment": {nil, map[string]string{"SVC_CONFIG_WHITELIST": ":svc/:instance, svc/Svc.Upload logger"}},
		"file":        {[]string{"--config", write(t, "svc.yaml", `config_whitelist: [":svc/:instance", svc/Svc.Upload, ":logger"]`)}, nil},
	} {
		got, err := load(t, c.args, c.env)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got.Whitelist); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for _, c := range []struct {
		w          Whitelist
		group, key string
		want       bool
	}{
		{nil, ":svc", ":x", true}, {nil, ":svc", "", true}, {want, ":svc", ":instance", true}, {want, ":svc", ":x", false},
		{want, ":svc", "", false}, {want, ":logger", ":console", true}, {want, ":logger", "", true}, {Whitelist{}, ":svc", ":x", false},
	} {
		if got := c.w.Allows(c.group, c.key); got != c.want {
			t.Errorf("%v %s %s: %v", c.w, c.group, c.key, got)
		}
	}
}

func TestSettingsMayBeKeptOutOfTheDatabase(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		env  map[string]string
		want bool
	}{
		"nothing":     {nil, nil, true},
		"variable":    {nil, map[string]string{"SVC_CONFIG_FROM_DATABASE": "false"}, false},
		"flag":        {[]string{"--config-from-database=false"}, map[string]string{"SVC_CONFIG_FROM_DATABASE": "true"}, false},
		"flag alone":  {[]string{"--config-from-database"}, map[string]string{"SVC_CONFIG_FROM_DATABASE": "false"}, true},
		"file, false": {[]string{"--config", write(t, "svc.yaml", "config_from_database: false")}, nil, false},
	} {
		if got, err := load(t, c.args, c.env); err != nil || got.FromDatabase != c.want {
			t.Errorf("%s: %v %v", name, got.FromDatabase, err)
		}
	}
	var problems Problems
	_, err := load(t, nil, map[string]string{"SVC_CONFIG_FROM_DATABASE": "perhaps", "SVC_CONFIG_WHITELIST": ":svc/"})
	if !errors.As(err, &problems) || len(problems) != 2 {
		t.Errorf("%v", err)
	}
}

package config

import (
	"slices"
	"strings"
	"testing"
)

func TestProgramsAndFoldersAreLocked(t *testing.T) {
	want := []string{
		":svc/:instance/:static_dir", ":svc/:modules/:runtime_dir", ":svc/Svc.Emails.Mailer/:cmd_args", ":svc/Svc.Emails.Mailer/:cmd_path",
		":svc/Svc.Uploaders.Local/:uploads", ":svc/Svc.User.Backup/:dir", ":svc/Svc.Web.MediaProxy.Invalidation.Script/:script_path",
	}
	if got := LockedNames(); !slices.Equal(got, want) {
		t.Errorf("locked are %q", got)
	}
	for _, row := range Registry() {
		if row.Locked && len(row.Path) != 1 {
			t.Errorf("%s is locked, and no first-level subkey", row.Name())
		}
		// Words in the names of things outside the database.
		for _, word := range []string{"dir", "folder", "cmd", "command", "program", "script"} {
			last := strings.TrimPrefix(row.wireName()[strings.LastIndexByte(row.wireName(), ' ')+1:], ":")
			if slices.Contains(strings.Split(last, "_"), word) && !row.Locked {
				t.Errorf("%s is not locked", row.Name())
			}
		}
	}
}

func TestTheOperatorUnlocksSettingsByName(t *testing.T) {
	c, err := load(t, nil, map[string]string{"SVC_CONFIG_UNLOCK": "svc/instance/static_dir, :svc/Svc.Uploaders.Local/:uploads"})
	if want := (Unlocked{":svc/:instance/:static_dir", ":svc/Svc.Uploaders.Local/:uploads"}); err != nil || !slices.Equal(c.Unlocked, want) {
		t.Errorf("%q %v", c.Unlocked, err)
	}
	for _, wrong := range []string{":svc/:instance/:limit", ":svc/:instance", "all", "/"} {
		if _, err := load(t, nil, map[string]string{"SVC_CONFIG_UNLOCK": wrong}); err == nil || !strings.Contains(err.Error(), ":svc/:instance/:static_dir") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
	// Settings of the operator's file are not locked.
	c, err = load(t, []string{"--config", write(t, "svc.yaml", "settings: {instance: {static_dir: /srv/static}}")}, nil)
	if err != nil || c.Settings.Instance.StaticDir != "/srv/static" {
		t.Errorf("%s %v", c.Settings.Instance.StaticDir, err)
	}
}

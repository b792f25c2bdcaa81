package commands

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/server/servertest"
	"svc/tui"
)

// TestTheFormOfSettingsPostsWhatConfigSetPosts makes each change twice, on a server
// of its own: by the form of the terminal UI, in plain mode, and by the command.
func TestTheFormOfSettingsPostsWhatConfigSetPosts(t *testing.T) {
	tests := []struct{ way, typed, command string }{
		{"filter :remote_limit", "edit 3000", "svc instance remote_limit 3000"},
		{"filter :registrations_open", "edit false", "svc instance registrations_open false"},
		{"filter :autofollowed_nicknames", "edit ana, tom", "svc instance autofollowed_nicknames ana,tom"},
		{"filter :max_options\ngo 2", "edit 7", "svc instance poll_limits max_options 7"},
		{"filter :quarantined_instances", "edit bad.example, *.worse.example", "svc instance quarantined_instances bad.example,*.worse.example"},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			t.Parallel()
			s := servertest.Start(t)
			recorded, address := record(t, s)
			c := newCLI(t, address, "")
			c.env["SVCCTL_TOKEN"] = s.Token("mika", servertest.AdminScopes)
			if code := Run(c.App, append([]string{"config", "set"}, strings.Fields(tt.command)...)); code != 0 {
				t.Fatalf("exit %d: %s", code, &c.stderr)
			}
			want := recorded.take()

			s = servertest.Start(t)
			recorded, address = record(t, s)
			said := plainTalk(t, address, s.Token("mika", servertest.AdminScopes), "settings", tt.way, tt.typed, "y", "quit")
			got := recorded.take()
			if diff := cmp.Diff(want, got); diff != "" || len(want) != 1 {
				t.Errorf("requests (-config set +form):\n%s\n%s", diff, said)
			}
		})
	}
}

// plainTalk types lines in plain mode, and returns the output.
func plainTalk(t *testing.T, address, token string, lines ...string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/in", []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(dir + "/in")
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(dir + "/out")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	api, err := client.New(address, client.WithToken(token))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context()) // ends the stream of moderation
	defer cancel()
	if err := tui.Run(ctx, tui.Options{
		Client: api, StateDir: dir, In: in, Out: out, Plain: true, Getenv: func(string) string { return "" },
	}); err != nil {
		t.Fatal(err)
	}
	said, err := os.ReadFile(dir + "/out")
	if err != nil {
		t.Fatal(err)
	}
	return string(said)
}

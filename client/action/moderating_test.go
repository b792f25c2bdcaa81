package action

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc/client/api"
)

// TestTheModeratorsPageAgreesWithTheKinds reads the table of docs/moderating.md: each
// kind that concerns people or other servers has one row, which says truly whether it can
// be taken back, what stays, and which privileges it needs.
func TestTheModeratorsPageAgreesWithTheKinds(t *testing.T) {
	page, err := os.ReadFile("../../docs/moderating.md")
	if err != nil {
		t.Fatal(err)
	}
	// Commands that are not called as their kinds.
	called := map[Kind]string{
		StatusSensitive: "status set --sensitive", StatusVisibility: "status set --visibility",
		UserMessage: "message send", HostLimit: "instance block", HostUnlimit: "instance unblock",
	}
	described := append(Kinds(), UserCreate, UserPasswordReset, UserCredentials, UserBackup, UserMove, UserCancelMove, ReportCreate, InviteCreate, InviteEmail, MediaPurgeCached, EmojiAdd, EmojiRename)
	described = slices.DeleteFunc(described, func(k Kind) bool { return slices.Contains([]string{"config", "app", "relay"}, k.Noun()) })

	rows := map[string][]string{}
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) != 6 || !strings.HasPrefix(cells[1], "`") {
			continue
		}
		name := strings.Trim(cells[1], "`")
		if rows[name] != nil {
			t.Errorf("%s has two rows", name)
		}
		rows[name] = cells
	}
	code := regexp.MustCompile("`([^`]+)`")
	for _, kind := range described {
		name := called[kind]
		if name == "" {
			name = kind.Noun() + " " + kind.Verb()
		}
		row := rows[name]
		if row == nil {
			t.Errorf("%s has no row %q", kind, name)
			continue
		}
		delete(rows, name)

		back, want := row[4], "yes"
		switch loss := kind.Loss(); {
		case loss != "" && kind.Back("x", nil) != nil:
			want = "in part: " + loss
		case loss != "":
			want = "no: " + loss
		}
		if back != want && !(want == "yes" && strings.HasPrefix(back, "yes, ")) {
			t.Errorf("whether %s can be taken back: %q, want %q", name, back, want)
		}

		who := strings.TrimSuffix(row[5], " |")
		var privileges []api.Privilege
		for _, m := range code.FindAllStringSubmatch(who, -1) {
			privileges = append(privileges, api.Privilege(m[1]))
		}
		needs := kind.Needs()
		if slices.Contains(needs, Admins) {
			if who != "admins" {
				t.Errorf("who may %s: %q, want admins", name, who)
			}
		} else if !slices.Equal(privileges, needs) {
			t.Errorf("who may %s: %q, want %q", name, privileges, needs)
		}
	}
	for name := range rows {
		t.Errorf("the row %q is about no kind", name)
	}
}

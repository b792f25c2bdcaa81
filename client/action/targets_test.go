package action

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestParseTarget(t *testing.T) {
	tests := []struct {
		noun, in string
		want     Target
	}{
		{"report", "9xA7", Target{"report", "9xA7", true}},
		{"report", " report/9xA7\n", Target{"report", "9xA7", true}},
		{"report", "id:9xA7", Target{"report", "9xA7", true}},
		{"user", "kim", Target{"user", "kim", false}},
		{"user", "@kim", Target{"user", "kim", false}},
		{"user", "kim@old.example", Target{"user", "kim@old.example", false}},
		{"user", "user/kim", Target{"user", "kim", false}},
		{"user", "id:123", Target{"user", "123", true}},
		{"user", "user/id:123", Target{"user", "123", true}},
		{"user", "123", Target{"user", "123", false}},
		{"user", "invites", Target{"user", "invites", false}},
		{"status", "status/9xPq1", Target{"status", "9xPq1", true}},
	}
	for _, tt := range tests {
		got, err := ParseTarget(tt.noun, tt.in)
		if err != nil {
			t.Errorf("ParseTarget(%s, %q): %v", tt.noun, tt.in, err)
			continue
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("ParseTarget(%s, %q) (-want +got):\n%s", tt.noun, tt.in, diff)
		}
		again, err := ParseTarget(tt.noun, got.String())
		if err != nil || again != got {
			t.Errorf("%q is read back as %+v, %v", got.String(), again, err)
		}
	}
}

func TestWrongTargetsAreUsageErrors(t *testing.T) {
	tests := []struct{ noun, in, want string }{
		{"report", "user/kim", `"user/kim" is a user; a report is wanted`},
		{"user", "report/9xA7", `"report/9xA7" is a report; a user is wanted`},
		{"report", "../users", `"../users" is not the name of a report`},
		{"status", "status/", `"status/" names no status`},
		{"user", "", `"" names no user`},
		{"user", "id:", `"id:" names no user`},
		{"user", "..", `".." is not the name of a user`},
		{"user", "kim bo", `"kim bo" is not the name of a user`},
		{"user", "a\x1b[2J", `"a\x1b[2J" is not the name of a user`},
		{"report", "report/a/b", `"report/a/b" is not the name of a report`},
	}
	for _, tt := range tests {
		_, err := ParseTarget(tt.noun, tt.in)
		var usage *UsageError
		if !errors.As(err, &usage) {
			t.Errorf("ParseTarget(%s, %q) = %v, want a UsageError", tt.noun, tt.in, err)
			continue
		}
		if err.Error() != tt.want {
			t.Errorf("ParseTarget(%s, %q) says %s, want %s", tt.noun, tt.in, err, tt.want)
		}
	}
}

func FuzzParseTarget(f *testing.F) {
	for _, seed := range []string{"kim", "@a@b.example", "user/id:7", "report/9x", "-", "id:", "a/b", "\x00", "\u202e"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for _, noun := range []string{"report", "user", "status", "invite", "app", "chat", "media", "relay"} {
			target, err := ParseTarget(noun, in)
			if err != nil {
				if !utf8.ValidString(err.Error()) || strings.ContainsAny(err.Error(), "\x00\x1b\n") {
					t.Fatalf("message %q is not fit to print", err)
				}
				continue
			}
			if target.Name == "" || strings.ContainsAny(target.Name, "/ \n\x00\x1b") {
				t.Fatalf("%q gave %+v", in, target)
			}
			if again, err := ParseTarget(noun, target.String()); err != nil || again.Name != target.Name {
				t.Fatalf("%q gave %+v, which reads back as %+v, %v", in, target, again, err)
			}
		}
	})
}

package tty

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestReplyFilter(t *testing.T) {
	for _, tt := range []struct {
		name  string
		reads []string
		want  string
	}{
		{"keys pass", []string{"jjj", "\x03\r\t é"}, "jjj\x03\r\t é"},
		{"arrows and function keys pass", []string{"\x1b[A\x1bOB\x1b[1;5C\x1b[200~hi\x1b[201~"}, "\x1b[A\x1bOB\x1b[1;5C\x1b[200~hi\x1b[201~"},
		{"alt and a letter pass", []string{"\x1bj"}, "\x1bj"},
		{"two escapes", []string{"\x1b\x1bj"}, "\x1b\x1bj"},
		{"mouse passes", []string{"\x1b[<0;10;20M"}, "\x1b[<0;10;20M"},
		{"a late colour, ended by BEL", []string{"j\x1b]11;rgb:1e1e/1e1e/1e1e\ak"}, "jk"},
		{"a late colour, ended by ST", []string{"j\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\k"}, "jk"},
		{"DCS, APC, PM, SOS", []string{"a\x1bP1$r0m\x1b\\b\x1b_Gi=1;OK\x1b\\c\x1b^x\x1b\\d\x1bXx\x1b\\e"}, "abcde"},
		{"cut inside", []string{"\x1b]11;rgb:1e", "1e/1e1e/", "1e1e\x1b", "\\j"}, "j"},
		{"cut after the introducer", []string{"\x1b]", "11;rgb:1e1e/1e1e/1e1e\x1b\\j"}, "j"},
		{"alt-] and a key", []string{"\x1b]", "j", "k"}, "jk"},
		{"ctrl-c gets out of an open string", []string{"\x1b]11;rgb", "\x03j"}, "\x03j"},
		{"an arrow gets out of an open string", []string{"\x1b]11;rgb\x1b[Aj"}, "\x1b[Aj"},
		{"a late answer about the terminal's kind is dropped", []string{"j\x1b[?64;1", ";2ck"}, "jk"},
		{"keys that end alike pass", []string{"\x1b[c\x1bOc\x1b[?1c"}, "\x1b[c\x1bOc"},
		{"a long cursor report stays whole", []string{"\x1b[12", ";5R", "j"}, "\x1b[12;5Rj"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var f replyFilter
			var got string
			now := time.Unix(0, 0)
			for _, read := range tt.reads {
				got += string(f.pass([]byte(read), now))
				now = now.Add(10 * time.Millisecond)
			}
			if diff := cmp.Diff(tt.want, got+string(f.held)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReplyFilterDropsAReplyCutAnywhere(t *testing.T) {
	for _, r := range []string{"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\", "\x1b]11;rgb:1e1e/1e1e/1e1e\a", "\x1bP>|XTerm(380)\x1b\\"} {
		for cut := 2; cut < len(r); cut++ {
			var f replyFilter
			got := string(f.pass([]byte(r[:cut]), time.Unix(0, 0))) + string(f.pass([]byte(r[cut:]+"j"), time.Unix(1, 0)))
			if got != "j" {
				t.Errorf("%q cut at %d: passed %q", r, cut, got)
			}
		}
	}
}

func TestReplyFilterEndsAStringThatPauses(t *testing.T) {
	var f replyFilter
	f.pass([]byte("\x1b]11;rgb"), time.Unix(0, 0))
	if got := string(f.pass([]byte("j"), time.Unix(3, 0))); got != "j" {
		t.Errorf("passed %q", got)
	}
}

func TestInputPassesALoneEscape(t *testing.T) {
	for _, tt := range []struct {
		first, second string // second arrives within the time to wait
		want          []string
	}{
		{"\x1b", "", []string{"\x1b"}},
		{"\x1b", "[A", []string{"\x1b[A"}},
		{"\x1b[", "B", []string{"\x1b[B"}},
		{"\x1b", "]11;x\a", []string{""}},
		{"j\x1b", "", []string{"j\x1b"}},
	} {
		t.Run(fmt.Sprintf("%q %q", tt.first, tt.second), func(t *testing.T) {
			reader, writer, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer reader.Close()
			defer writer.Close()
			in := NewInput(reader, func() time.Time { return time.Unix(0, 0) })
			waited := time.Duration(0)
			in.more = func(wait time.Duration) bool {
				waited = wait
				if tt.second == "" {
					return false
				}
				fmt.Fprint(writer, tt.second)
				return true
			}
			fmt.Fprint(writer, tt.first)
			var got []string
			for range tt.want {
				buf := make([]byte, 256)
				n, err := in.Read(buf)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, string(buf[:n]))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if waited != escapeWait {
				t.Errorf("waited %v", waited)
			}
		})
	}
}

func FuzzReplyFilterNeverKeepsPlainKeys(f *testing.F) {
	f.Add([]byte("\x1b]11;rgb\x1b"), 3)
	f.Add([]byte("\x1bP\x1b[1;2\x1b"), 2)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		if len(data) > 0 {
			cut = (cut & 0xffff) % len(data)
			var filter replyFilter
			n := len(filter.pass(data[:cut], time.Unix(0, 0))) + len(filter.pass(data[cut:], time.Unix(0, 0)))
			if n > len(data) || len(filter.held) > maxHeld {
				t.Errorf("%d bytes out of %d, %d held", n, len(data), len(filter.held))
			}
			if got := string(filter.pass([]byte("\x03\r\x03jk"), time.Unix(9, 0))); len(got) < 2 || got[len(got)-2:] != "jk" {
				t.Errorf("after %q keys are lost: %q", data, got)
			}
		}
	})
}

package media

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestCachedFilesAreSelectedByHostAndAge: whatever the host, its files have names that
// fit, and are found by it.
func TestCachedFilesAreSelectedByHostAndAge(t *testing.T) {
	now := time.Date(2026, 1, 31, 9, 5, 0, 0, time.UTC)
	c, err := newCache(t.TempDir(), func() time.Time { return now })
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("a123456789.", 23) // 253
	long = long[:len(long)-1] + ".example"
	add := func(key cacheKey) {
		t.Helper()
		if err := c.add(key, func(f *os.File) error { _, err := f.WriteString("a file"); return err }); err != nil {
			t.Fatal(err)
		}
	}
	for _, address := range []string{
		"https://far.example/a.png", "https://far.example/b.png", "https://files.far.example/a.png", "https://far.example:8443/a.png",
		"https://nofar.example/a.png", "https://my_host.example/a.png", "https://[::1]/a.png", "https://" + long + "/a.png", "https://../../../etc/passwd",
	} {
		add(fileKey(address))
	}
	add(cacheKey{"", "preview of a local file"})
	now = now.Add(time.Hour)
	add(fileKey("https://far.example/late.png"))
	later := now.Add(time.Minute)
	count := func(sel Selection) int {
		t.Helper()
		files, _, err := c.selected(sel)
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	for _, tt := range []struct {
		sel  Selection
		want int
	}{
		{Selection{}, 10},
		{Selection{Host: "far.example"}, 4},
		{Selection{Host: "far.example:8443"}, 1},
		{Selection{Host: "*.far.example"}, 5},
		{Selection{Host: "far.example", Before: now}, 3},
		{Selection{Before: later}, 10},
		{Selection{Host: "my_host.example"}, 1},
		{Selection{Host: "[::1]"}, 1},
		{Selection{Host: long}, 1},
		{Selection{Host: "example"}, 0},
	} {
		if got := count(tt.sel); got != tt.want {
			t.Errorf("%+v selects %d files, want %d", tt.sel, got, tt.want)
		}
		if got, err := parseSelection(tt.sel.payload()); err != nil || got.Host != tt.sel.Host || !got.Before.Equal(tt.sel.Before) {
			t.Errorf("%+v announced is %+v, %v", tt.sel, got, err)
		}
	}
	if err := c.purge(Selection{Host: "*.far.example", Before: now}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{6, 1}, []int{count(Selection{}), count(Selection{Host: "far.example"})}); diff != "" {
		t.Error(diff)
	}
}

// TestFilesOfEarlierVersionsAreNotKept: nothing finds them by their host.
func TestFilesOfEarlierVersionsAreNotKept(t *testing.T) {
	dir := t.TempDir()
	former := dir + "/" + strings.Repeat("0a", 32) + ".bin"
	if err := os.WriteFile(former, []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := newCache(dir, time.Now); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(former); !os.IsNotExist(err) {
		t.Errorf("it is there: %v", err)
	}
}

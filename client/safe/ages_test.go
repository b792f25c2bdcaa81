package safe

import (
	"testing"
	"time"
)

func TestAgeTakesFourCharactersAtMost(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 59 * time.Second: "59s", time.Minute: "1m", 59 * time.Minute: "59m", time.Hour: "1h", 47 * time.Hour: "47h",
		48 * time.Hour: "2d", 999 * 24 * time.Hour: "999d", 1000 * 24 * time.Hour: "2y",
	} {
		if got := Age(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

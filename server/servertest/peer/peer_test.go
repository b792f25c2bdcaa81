package peer

import (
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestPeersVerifyEachOther: two peers accept each other's signatures of both
// kinds, and refuse a request that was changed on the way.
func TestPeersVerifyEachOther(t *testing.T) {
	a, b := Start(t, "127.0.0.3"), Start(t, "127.0.0.4")
	ann, bob := a.Actor("ann"), b.Actor("bob")
	for name, tc := range map[string]struct {
		options []Option
		refused string
	}{
		"cavage":        {nil, ""},
		"rfc 9421":      {[]Option{RFC9421()}, ""},
		"unsigned":      {[]Option{Unsigned()}, "0 Signature headers"},
		"another body":  {[]Option{Body([]byte(`{"type":"Note"}`))}, "digest"},
		"another key":   {[]Option{WithKey(bob.Key())}, "verification error"},
		"another date":  {[]Option{After(func(r *http.Request) { r.Header.Set("Date", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)) })}, "verification error"},
		"less covered":  {[]Option{Covering("date")}, "covers"},
		"9421 less":     {[]Option{RFC9421(), Covering("@method")}, "covers"},
		"9421 tampered": {[]Option{RFC9421(), Target("/elsewhere")}, "verification error"},
	} {
		b.Forget()
		got := ann.Send(bob.Inbox(), ann.Follow(bob.ID), tc.options...)
		if got.Status != http.StatusAccepted {
			t.Fatalf("%s: %d", name, got.Status)
		}
		who, err := b.Signer(b.Posts()[0])
		switch {
		case tc.refused == "" && (err != nil || who != ann.ID):
			t.Errorf("%s: %q, %v", name, who, err)
		case tc.refused != "" && (err == nil || !strings.Contains(err.Error(), tc.refused)):
			t.Errorf("%s is not refused: %v", name, err)
		}
	}
	if got := ann.Get(bob.ID); got.Status != 200 || !strings.Contains(string(got.Body), bob.KeyID()) {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	b.Stop()
	b.Restart()
	if got := ann.Get(bob.ID); got.Status != 200 {
		t.Errorf("%d after a restart", got.Status)
	}
}

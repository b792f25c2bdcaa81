package view

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"svc/client/api"
	"svc/db"
)

// TestNotificationsAreWrittenAsTheirType compares what is written by hand with what
// encoding/json makes of the type.
func TestNotificationsAreWrittenAsTheirType(t *testing.T) {
	for _, n := range []db.Notification{
		{ID: 7, Type: db.NotifyFollow, CreatedAt: db.At(time.Unix(1_700_000_000, 5e6))},
		{ID: 1 << 60, Type: db.NotifyReaction, Emoji: `<"blob">&` + "\u2028", Seen: true},
		{Type: db.NotifyMention, Hidden: true},
	} {
		want, err := json.Marshal(api.Notification{
			ID: itoa(n.ID), Type: n.Type, CreatedAt: api.Time{Time: n.CreatedAt.Time}, Emoji: n.Emoji,
			Svc: api.NotificationSvc{IsSeen: n.Seen, IsMuted: n.Hidden},
		})
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if whole, err := writeNotification(&got, &n, []byte("null"), nil, nil, told{}); err != nil || !whole {
			t.Fatal(whole, err)
		}
		if got.String() != string(want) {
			t.Errorf("got  %s\nwant %s", &got, want)
		}
	}
}

package shown

import (
	"encoding/json"
	"testing"

	"svc/client/api"
)

// Entries as the server writes them; the outcome comes first, then the object and
// the reported account.
func TestEntriesSayTheOutcomeFirst(t *testing.T) {
	for want, entry := range map[string]string{
		"resolved 9xA0z about spam@bad.example": `{"message": "@tess updated report #9x000000000009xA0z (on user @spam@bad.example) with 'resolved' state",
			"data": {"actor": {"nickname": "tess"}, "action": "report_update", "subject": {"type": "report", "id": "9x000000000009xA0z", "state": "resolved"},
			"subject_actor": {"nickname": "spam@bad.example"}}}`,
		"reopened 9xA0z": `{"message": "@tess updated report #9x000000000009xA0z with 'open' state",
			"data": {"actor": {"nickname": "tess"}, "action": "report_update", "subject": {"type": "report", "id": "9x000000000009xA0z", "state": "open"}}}`,
		"note on 9xA0z about kim: seen before": `{"message": "@tess added note 'seen before' to report #9x000000000009xA0z on user @kim",
			"data": {"actor": {"nickname": "tess"}, "action": "report_note", "subject": {"type": "report", "id": "9x000000000009xA0z", "state": "open"},
			"subject_actor": {"nickname": "kim"}, "text": "seen before"}}`,
		"deactivated kim, b@xn--bcher-kva.example": `{"message": "@tess deactivated users: @kim, @b@bücher.example",
			"data": {"actor": {"nickname": "tess"}, "action": "deactivate", "subject": [{"nickname": "kim"}, {"nickname": "b@bücher.example"}]}}`,
		"deleted status 9xPq1": `{"message": "@tess deleted status #9x000000000009xPq1", "data": {"actor": {"nickname": "tess"}, "action": "status_delete", "subject_id": "9x000000000009xPq1"}}`,
		"set not sensitive, unlisted on status 9xPq1": `{"message": "x", "data": {"actor": {"nickname": "tess"}, "action": "status_update",
			"subject": {"type": "status", "id": "9x000000000009xPq1"}, "sensitive": false, "visibility": "unlisted"}}`,
		"made kim moderator":                    `{"message": "x", "data": {"actor": {"nickname": "tess"}, "action": "grant", "permission": "moderator", "subject": [{"nickname": "kim"}]}}`,
		"tagged kim: a, b":                      `{"message": "x", "data": {"actor": {"nickname": "tess"}, "action": "tag", "nicknames": ["kim"], "tags": ["a", "b"]}}`,
		"followed relay: https://relay.example": `{"message": "@tess followed relay: https://relay.example", "data": {"actor": {"nickname": "tess"}, "action": "relay_follow", "target": "https://relay.example"}}`,
	} {
		var e api.LogEntry
		if err := json.Unmarshal([]byte(entry), &e); err != nil {
			t.Fatal(err)
		}
		if got := NewEntry(e).What.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestShortIDsOfNeighboursDiffer(t *testing.T) {
	if a, b := ShortID("AzK3pXq0e8bKVsXyZ0"), ShortID("AzK3pXq0e8bKVsXyZ1"); a == b || len(a) != 5 {
		t.Errorf("%q and %q", a, b)
	}
	if got := ShortID("7"); got != "7" {
		t.Errorf("%q", got)
	}
	if got := ShortID("9xA\x1b[2J1"); got != "9xA1" {
		t.Errorf("%q", got)
	}
}

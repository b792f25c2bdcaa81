package api

import (
	"testing"
	"time"
)

func TestListsAndFiltersAsOnTheWire(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	phrase, whole, span := "rain", Bool(false), Int(60)
	for _, tt := range []struct {
		value any
		want  string
	}{
		{AccountList{ID: "7", Title: "Friends", RepliesPolicy: "none", Exclusive: true}, `{"id":"7","title":"Friends","replies_policy":"none","exclusive":true}`},
		{Filter{ID: "1", Phrase: "rain", Context: []string{"home", "thread"}, WholeWord: true},
			`{"id":"1","phrase":"rain","context":["home","thread"],"expires_at":null,"irreversible":false,"whole_word":true}`},
		{Filter{ID: "2", Phrase: "x", ExpiresAt: At(at), Irreversible: true},
			`{"id":"2","phrase":"x","context":[],"expires_at":"2026-01-02T03:04:05.000Z","irreversible":true,"whole_word":false}`},
		{NewFilter{}, `{}`},
		{NewFilter{Phrase: &phrase, Context: []string{"home"}, WholeWord: &whole, ExpiresIn: &span},
			`{"phrase":"rain","context":["home"],"whole_word":false,"expires_in":60}`},
		{ListAccounts{AccountIDs: []string{"a"}}, `{"account_ids":["a"]}`},
	} {
		if got := encode(t, tt.value); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}

package api

import (
	"encoding/json"
	"strings"
	"testing"
)

// BenchmarkReportList decodes a page of 50 reports with two accounts and two
// statuses each, as the terminal UI reads them.
func BenchmarkReportList(b *testing.B) {
	text := `"` + strings.Repeat("some words of a post, ", 10) + `"`
	account := `{"id":"1","username":"kim","acct":"kim@far.example","display_name":"Kim","locked":false,"bot":false,"created_at":"2026-01-02T03:04:05.000Z","note":` + text +
		`,"url":"https://far.example/@kim","avatar":"https://far.example/a.png","avatar_static":"https://far.example/a.png","header":"https://far.example/h.png","header_static":"https://far.example/h.png",` +
		`"followers_count":3,"following_count":4,"statuses_count":5,"last_status_at":"2026-01-02","emojis":[],"fields":[{"name":"a","value":"b","verified_at":null}],"source":{"note":"","fields":[],"sensitive":false,"privacy":"public"},` +
		`"account_id":"1","nickname":"kim@far.example","email":null,"deactivated":false,"local":false,"roles":{"admin":false,"moderator":false},"tags":[],"actor_type":"Person"}`
	status := `{"id":"2","uri":"https://far.example/2","created_at":"2026-01-02T03:04:05.000Z","account":` + account + `,"content":` + text + `,"visibility":"public","media_attachments":[],"mentions":[],"tags":[],"emojis":[]}`
	report := `{"id":"3","state":"open","content":` + text + `,"created_at":"2026-01-02T03:04:05.000Z","account":` + account + `,"actor":` + account + `,"statuses":[` + status + `,` + status + `],"notes":[]}`
	data := []byte(`{"total":50,"reports":[` + strings.TrimSuffix(strings.Repeat(report+",", 50), ",") + `]}`)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var list ReportList
		if err := json.Unmarshal(data, &list); err != nil || len(list.Reports) != 50 || list.Reports[0].Account.Nickname != "kim@far.example" {
			b.Fatal(err)
		}
	}
}

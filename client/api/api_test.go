package api

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func encode(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func decode[T any](t *testing.T, data string) T {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(data), &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// keys returns the names of a JSON object in their order.
func keys(t *testing.T, data string) []string {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(data))
	if _, err := dec.Token(); err != nil {
		t.Fatal(err)
	}
	var names []string
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name.(string))
		var skip json.RawMessage
		if err := dec.Decode(&skip); err != nil {
			t.Fatal(err)
		}
	}
	return names
}

func TestTimeIsUTCToTheMillisecond(t *testing.T) {
	zone := time.FixedZone("", 2*3600)
	at := time.Date(2019, 11, 28, 23, 10, 49, 692_999_999, zone)
	if got, want := encode(t, Time{at}), `"2019-11-28T21:10:49.692Z"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := encode(t, []*Time{At(time.Time{}), At(at)}); got != `[null,"2019-11-28T21:10:49.692Z"]` {
		t.Errorf("nullable times: %s", got)
	}
}

func TestTimeReadsZonesNoZoneAndEmpty(t *testing.T) {
	for in, want := range map[string]time.Time{
		`"2026-01-31T09:05:00.500Z"`:   time.Date(2026, 1, 31, 9, 5, 0, 5e8, time.UTC),
		`"2026-01-31T11:05:00+02:00"`:  time.Date(2026, 1, 31, 9, 5, 0, 0, time.UTC),
		`"2026-01-31T09:05:00"`:        time.Date(2026, 1, 31, 9, 5, 0, 0, time.UTC),
		`"2026-01-31T09:05:00.123456"`: time.Date(2026, 1, 31, 9, 5, 0, 123456e3, time.UTC),
		`"2026-01-31"`:                 time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC),
		`""`:                           {},
		`null`:                         {},
	} {
		if got := decode[Time](t, in); !got.Equal(want) || got.Location() != time.UTC {
			t.Errorf("%s: got %v, want %v", in, got.Time, want)
		}
	}
	var got Time
	if err := json.Unmarshal([]byte(`"yesterday"`), &got); err == nil {
		t.Error("yesterday was read as a time")
	}
	if err := json.Unmarshal([]byte(`12`), &got); err == nil {
		t.Error("a number was read as a time")
	}
}

func TestFormBooleans(t *testing.T) {
	for in, want := range map[string]Bool{
		`false`: false, `0`: false, `"0"`: false, `"f"`: false, `"F"`: false, `"false"`: false,
		`"False"`: false, `"FALSE"`: false, `"off"`: false, `"OFF"`: false, `""`: false, `null`: false,
		`true`: true, `1`: true, `"1"`: true, `"True"`: true, `"on"`: true, `"no"`: true, `[]`: true,
	} {
		if got := decode[Bool](t, in); got != want {
			t.Errorf("%s: got %v", in, got)
		}
	}
	if got := encode(t, Follow{Reblogs: new(Bool)}); got != `{"reblogs":false}` {
		t.Errorf("a false that was set is lost: %s", got)
	}
}

func TestFormIntegers(t *testing.T) {
	type form struct {
		Limit Int `json:"limit"`
	}
	for in, want := range map[string]Int{`12`: 12, `"12"`: 12, `-1`: -1, `null`: 0} {
		if got := decode[form](t, `{"limit":`+in+`}`); got.Limit != want {
			t.Errorf("%s: got %d", in, got.Limit)
		}
	}
	for in, want := range map[string]string{`"many"`: "string", `[]`: "array", `{}`: "object", `true`: "bool", `1.5`: "number 1.5"} {
		var f form
		var typed *json.UnmarshalTypeError
		err := json.Unmarshal([]byte(`{"limit":`+in+`}`), &f)
		if !errors.As(err, &typed) || typed.Value != want {
			t.Errorf("%s: %v, want a type error naming %s", in, err, want)
		}
	}
}

// TestArraysAreNeverNull walks every answer with all its slices nil. One is null by the
// specification: no languages of a relationship are all of them.
func TestArraysAreNeverNull(t *testing.T) {
	answers := []any{
		Account{}, Relationship{ID: "1"}, Status{}, Status{Reblog: &Status{}}, StatusContext{}, Tag{},
		Poll{}, Attachment{}, Card{}, Notification{}, Instance{}, NodeInfo{}, NodeInfoLinks{}, OAuthServer{},
		AdminUser{}, UserList{}, Users{}, MergedAccount{}, AdminStatus{}, AdminReport{}, ReportList{},
		GroupedReport{}, GroupedReports{}, ReportNote{}, LogEntry{},
	}
	for _, answer := range answers {
		var walk func(path string, rt reflect.Type, v any)
		walk = func(path string, rt reflect.Type, v any) {
			for rt.Kind() == reflect.Pointer {
				rt = rt.Elem()
			}
			if _, related := answer.(Relationship); related && path == ".languages" {
				return
			}
			if v == nil && rt.Kind() == reflect.Slice && rt != reflect.TypeFor[json.RawMessage]() {
				t.Errorf("%T: %s is null", answer, path)
			}
			object, ok := v.(map[string]any)
			if !ok || rt.Kind() != reflect.Struct {
				return
			}
			for _, f := range reflect.VisibleFields(rt) {
				name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				if value, ok := object[name]; ok && name != "" {
					walk(path+"."+name, f.Type, value)
				}
			}
		}
		walk("", reflect.TypeOf(answer), decode[any](t, encode(t, answer)))
	}
}

func TestStatusFlagsAreContiguous(t *testing.T) {
	body := encode(t, Status{ID: "9x"})
	if want := `"language":null,"poll":null,"quote":null,"favourited":false,"reblogged":false,"muted":false,"bookmarked":false,"pinned":false,"filtered":[],"svc":{`; !strings.Contains(body, want) {
		t.Errorf("flags are not in order in %s", body)
	}
	if want := `"direct_conversation_id":null,"expires_at":null,"emoji_reactions":[],"thread_muted":false,"parent_visible":false}}`; !strings.HasSuffix(body, want) {
		t.Errorf("svc does not end in %s: %s", want, body)
	}
}

func TestReblogIsAWholeStatus(t *testing.T) {
	inner := &Status{ID: "2", Poll: &Poll{ID: "7"}}
	body := encode(t, Status{ID: "3", Reblog: inner, Svc: StatusSvc{Local: true}})
	got := decode[map[string]json.RawMessage](t, body)
	if want := `{"local":true,"conversation_id":null,"in_reply_to_account_acct":null,"content":{"text/plain":""},"spoiler_text":{"text/plain":""},` +
		`"direct_conversation_id":null,"expires_at":null,"emoji_reactions":[],"thread_muted":false,"parent_visible":false}`; string(got["svc"]) != want {
		t.Errorf("svc is %s", got["svc"])
	}
	for _, name := range []string{"card", "poll"} {
		if string(got[name]) != "null" {
			t.Errorf("%s of a reblog is %s", name, got[name])
		}
	}
	reblog := decode[map[string]json.RawMessage](t, string(got["reblog"]))
	if string(reblog["card"]) != "null" || !strings.Contains(string(reblog["poll"]), `"id":"7"`) {
		t.Errorf("the status inside lost its card or poll: %s", got["reblog"])
	}
}

func TestOwnerFieldsAreAbsentForOthers(t *testing.T) {
	body := encode(t, Account{ID: "1"})
	for _, name := range []string{"follow_requests_count\":null", "chat_token", "settings_store", "is_admin", "unread_", "notification_settings", "deactivated", "no_rich_text"} {
		if strings.Contains(body, name) {
			t.Errorf("%s is sent to strangers", name)
		}
	}
	if !strings.Contains(body, `"relationship":{}`) {
		t.Errorf("no empty relationship in %s", body)
	}
	no, zero := false, 0
	body = encode(t, Account{ID: "1", Svc: AccountSvc{IsAdmin: &no, UnreadNotifications: &zero}})
	if !strings.Contains(body, `"is_admin":false`) || !strings.Contains(body, `"unread_notifications_count":0`) {
		t.Errorf("false and 0 are lost for the owner: %s", body)
	}
}

func TestMergedAccountKeepsTheFlakeAndPrefersTheAdminsPart(t *testing.T) {
	email := "kim@example.org"
	m := MergedAccount{
		PublicAccount{Account{ID: "9pQt", Acct: "kim", DisplayName: "<b>Kim</b>", URL: "u1", Avatar: "a1"}},
		UserPart{AccountID: "9pQt", Nickname: "kim", Email: &email, DisplayName: "Kim", URL: "u2", Avatar: "a2", ActorType: "Person"},
	}
	body := encode(t, m)
	names := keys(t, body)
	count := map[string]int{}
	for _, name := range names {
		count[name]++
	}
	for _, name := range []string{"id", "acct", "avatar", "display_name", "url", "tags", "roles", "email", "svc", "account_id", "registration_reason"} {
		if count[name] != 1 {
			t.Errorf("%s occurs %d times in %v", name, count[name], names)
		}
	}
	got := decode[map[string]any](t, body)
	for name, want := range map[string]any{"id": "9pQt", "display_name": "Kim", "url": "u2", "avatar": "a2"} {
		if got[name] != want {
			t.Errorf("%s is %v, want %v", name, got[name], want)
		}
	}
	back := decode[MergedAccount](t, body)
	if back.ID != "9pQt" || back.Nickname != "kim" || back.URL != "u2" || back.Acct != "kim" || *back.Email != email {
		t.Errorf("read back as %+v", back)
	}
	if gone := encode(t, MergedAccount{}); gone != "{}" {
		t.Errorf("a gone account is %s", gone)
	}
}

func TestGroupedStatusHasTwoForms(t *testing.T) {
	gone := GroupedStatus{Status: Status{ID: "https://example.org/o/1"}, Deleted: true}
	if got, want := encode(t, gone), `{"id":"https://example.org/o/1","deleted":true}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	body := encode(t, GroupedStatus{Status: Status{ID: "9x", Content: "hi"}})
	if !strings.Contains(body, `"content":"hi"`) || !strings.HasSuffix(body, `"deleted":false}`) {
		t.Errorf("a present status is %s", body)
	}
	if back := decode[GroupedStatus](t, encode(t, gone)); !back.Deleted || back.ID != gone.ID {
		t.Errorf("read back as %+v", back)
	}
	if back := decode[GroupedStatus](t, body); back.Deleted || back.Content != "hi" {
		t.Errorf("read back as %+v", back)
	}
}

func TestAdminStatusHasTheMergedAccount(t *testing.T) {
	merged := MergedAccount{PublicAccount{Account{ID: "1"}}, UserPart{Nickname: "kim"}}
	for _, status := range []Status{{ID: "9"}, {ID: "9", Reblog: &Status{ID: "8", Account: &Account{ID: "2"}}}} {
		body := encode(t, AdminStatus{Status: status, Account: merged})
		if n := strings.Count(body, `"nickname":"kim"`); n != 1 {
			t.Errorf("the merged account occurs %d times in %s", n, body)
		}
		back := decode[AdminStatus](t, body)
		if back.Account.Nickname != "kim" || back.ID != "9" || string(back.Raw) != body {
			t.Errorf("read back as %+v", back)
		}
	}
}

func TestRawKeepsUnknownFieldsOfTheOuterObject(t *testing.T) {
	account := `{"id":"1","novel":{"a":[1, 2]}}`
	status := `{"id":"2","account":` + account + `,"reblog":{"id":"3"},"novel":true}`
	report := `{"id":"4","account":` + account + `,"statuses":[` + status + `],"notes":[{"id":1,"user":` + account + `}],"novel":1}`

	if got := decode[Account](t, account); string(got.Raw) != account {
		t.Errorf("account: %s", got.Raw)
	}
	s := decode[Status](t, status)
	if string(s.Raw) != status || s.Account.Raw != nil || s.Reblog.Raw != nil {
		t.Errorf("status: %s, inside %s", s.Raw, s.Account.Raw)
	}
	r := decode[AdminReport](t, report)
	if string(r.Raw) != report || r.Account.Raw != nil || r.Statuses[0].Raw != nil || r.Notes[0].User.Raw != nil {
		t.Errorf("report: %s", r.Raw)
	}
	n := decode[Notification](t, `{"id":"5","status":`+status+`}`)
	if !strings.HasPrefix(string(n.Raw), `{"id":"5"`) || n.Status.Raw != nil {
		t.Errorf("notification: %s", n.Raw)
	}
	if got := decode[AdminUser](t, `{"id":6,"nickname":"kim","novel":1}`); got.ID != 6 || got.Nickname != "kim" || !strings.Contains(string(got.Raw), "novel") {
		t.Errorf("user: %+v", got)
	}
	if got := decode[LogEntry](t, `{"id":7,"novel":1}`); !strings.Contains(string(got.Raw), "novel") {
		t.Errorf("entry: %+v", got)
	}
	if body := encode(t, s); strings.Contains(body, "novel") {
		t.Errorf("Raw was marshalled: %s", body)
	}
}

func TestRawIsACopy(t *testing.T) {
	buffer := []byte(`{"id":"1"}`)
	var a Account
	if err := json.Unmarshal(buffer, &a); err != nil {
		t.Fatal(err)
	}
	copy(buffer, `xxxxxxxxxx`)
	if string(a.Raw) != `{"id":"1"}` {
		t.Errorf("Raw changed with the caller's buffer: %s", a.Raw)
	}
}

func TestRoundTrip(t *testing.T) {
	at := Time{time.Date(2026, 1, 2, 3, 4, 5, 6e6, time.UTC)}
	text, yes, n := "x", true, int64(1)<<53
	account := &Account{
		ID: "1", Acct: "kim@example.org", CreatedAt: at, LastStatusAt: &text, Emojis: List[Emoji]{{Shortcode: "cat"}},
		Fields: List[Field]{{Name: "n", Value: "v", VerifiedAt: &at}}, Source: AccountSource{Privacy: "public"},
		Svc: AccountSvc{Tags: List[string]{"t"}, IsAdmin: &yes, Relationship: Relationship{ID: "2", Following: true}},
	}
	status := Status{
		ID: "9", Account: account, Content: "<p>", CreatedAt: at, EditedAt: &at, Card: &Card{Title: "t"},
		Poll: &Poll{ExpiresAt: &at, OwnVotes: List[int]{1}}, MediaAttachments: List[Attachment]{{Meta: &MediaMeta{}}},
		Application: &Application{Name: "toot"}, Favourited: true,
		Svc: StatusSvc{Local: true, ConversationID: &n, Content: PlainText{"x"}, EmojiReactions: List[EmojiReaction]{{"x", 1, true}}},
	}
	once := encode(t, status)
	if twice := encode(t, decode[Status](t, once)); once != twice {
		t.Errorf("a status changed on its way:\n%s", cmp.Diff(once, twice))
	}
	report := AdminReport{
		ID: "5", State: ReportOpen, Content: &text, CreatedAt: at, Account: MergedAccount{PublicAccount{*account}, UserPart{Nickname: "kim"}},
		Statuses: List[Status]{status}, Notes: List[ReportNote]{{ID: 1, Content: "c", CreatedAt: at}},
	}
	once = encode(t, report)
	if twice := encode(t, decode[AdminReport](t, once)); once != twice {
		t.Errorf("a report changed on its way:\n%s", cmp.Diff(once, twice))
	}
}

func TestErrorsAreReadFromListsAndObjects(t *testing.T) {
	got := decode[Error](t, `{"error":"Missing field: a.","errors":[{"title":"Invalid value","source":{"pointer":"/a"},"message":"Missing field: a"}]}`)
	want := Error{Error: "Missing field: a.", Errors: InvalidValues{{"Invalid value", InvalidSource{"/a"}, "Missing field: a"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = decode[Error](t, `{"errors":{"name":["too long","odd"],"email":"has already been taken","code":7}}`)
	want = Error{Errors: InvalidValues{
		{"Invalid value", InvalidSource{"/code"}, "7"},
		{"Invalid value", InvalidSource{"/email"}, "has already been taken"},
		{"Invalid value", InvalidSource{"/name"}, "too long, odd"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Errors[1].Field() != "email" {
		t.Errorf("field is %q", got.Errors[1].Field())
	}
}

func TestReportListReadsTheOlderTotal(t *testing.T) {
	if got := decode[ReportList](t, `{"reports":[{"id":"1"}],"totalReports":8}`); got.Total != 8 || len(got.Reports) != 1 {
		t.Errorf("got %+v", got)
	}
	if got := decode[ReportList](t, `{"reports":[],"total":9}`); got.Total != 9 {
		t.Errorf("got %+v", got)
	}
}

func TestRegistrationIsATokenOrAMessage(t *testing.T) {
	token := Registration{Token: &Token{TokenType: "Bearer", AccessToken: "s", Scope: "read"}}
	if got, want := encode(t, token), `{"token_type":"Bearer","access_token":"s","scope":"read","created_at":0}`; got != want {
		t.Errorf("got %s", got)
	}
	body := `{"message":"wait","identifier":"awaiting_approval"}`
	if got := encode(t, decode[Registration](t, body)); got != body {
		t.Errorf("got %s", got)
	}
}

func TestFederationRestrictionsAreLeftOutOrLists(t *testing.T) {
	if got := encode(t, FederationInfo{Enabled: true}); got != `{"enabled":true}` {
		t.Errorf("private: %s", got)
	}
	no := false
	open := FederationInfo{Enabled: true, Exclusions: &no, MRFPolicies: List[string]{}, MRFSimple: map[string]List[string]{"reject": nil}, QuarantinedInstances: List[string]{}}
	if got, want := encode(t, open), `{"enabled":true,"exclusions":false,"mrf_policies":[],"mrf_simple":{"reject":[]},"quarantined_instances":[]}`; got != want {
		t.Errorf("open: %s", got)
	}
}

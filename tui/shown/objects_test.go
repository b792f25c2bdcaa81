package shown

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
)

func TestForeignNicknamesAreWrittenInASCII(t *testing.T) {
	for nick, want := range map[string]string{
		"kim@bücher.example": "kim@xn--bcher-kva.example", "аdmin": "<U+0430>dmin", "x\x1b[1m@a.example": "x@a.example", "\u202eevil": "<U+202E>evil",
	} {
		if got := Acct(nick).String(); got != want {
			t.Errorf("%q is shown as %q, want %q", nick, got, want)
		}
	}
}

func TestAReportIsConvertedWhole(t *testing.T) {
	content, alt, reason := "<p>see <a href=\"https://bad.example/x\">example.bank</a></p>", "co\x1b[1mins", "birds"
	in := api.AdminReport{ID: "9xA", State: "open", Content: &content, CreatedAt: api.Time{Time: time.Unix(60, 0)}}
	in.Account.ID, in.Account.AccountID, in.Account.Nickname = "1", "1", "kim@bad.example"
	in.Account.DisplayName, in.Account.Tags, in.Account.RegistrationReason = "K\u202eim", []string{"a", "b"}, &reason
	in.Account.Roles.Moderator, in.Account.StatusesCount, in.Account.FollowersCount = true, 4, 2
	in.Statuses = []api.Status{{
		ID: "9xP", Content: "<p>a<br>b</p>", SpoilerText: "w &amp;\nx<b>", Visibility: "public", ReblogsCount: 3,
		MediaAttachments: []api.Attachment{{Type: "image", URL: "https://bad.example/a.png", Description: &alt}},
	}}
	in.Notes = []api.ReportNote{{Content: "hm\x07", CreatedAt: api.Time{Time: time.Unix(61, 0)}}}
	in.Notes[0].User.Nickname = "tess"
	got := NewReport(in)
	texts := []string{
		got.About.Acct.String(), got.About.Name.String(), got.About.Tags.String(), got.About.Reason.String(), got.About.Domain, got.About.Roles,
		got.Text.String(), got.Posts[0].Text.String(), got.Posts[0].CW.String(), got.Posts[0].Media[0].Label("i"),
		got.Notes[0].By.String(), got.Notes[0].Text.String(),
	}
	want := []string{
		"kim@bad.example", "K<U+202E>im", "a, b", "birds", "bad.example", "moderator",
		"see -> link shows example.bank, goes to [bad.example/x]", "a\nb", "w &amp; x<b>", "[image/png, alt \"coins\" hidden: i]",
		"tess", "hm",
	}
	if diff := cmp.Diff(want, texts); diff != "" {
		t.Error(diff)
	}
	if !got.By.Gone || got.About.Gone || got.About.Posts != 4 || got.About.Followers != 2 || got.Posts[0].Reblogs != 3 {
		t.Errorf("%+v", got)
	}
	if !got.Posts[0].Hides() {
		t.Error("a post with a warning does not hide its text")
	}
}

func TestLogEntriesNameWhatTheyAreAbout(t *testing.T) {
	for name, tt := range map[string]struct {
		data api.LogData
		want Entry
	}{
		"report": {api.LogData{Action: "report_update", Subject: []byte(`{"type":"report","id":"9xA","state":"closed"}`)}, Entry{Report: "9xA", State: "closed", Action: "report_update"}},
		"users":  {api.LogData{Action: "deactivate", Subject: []byte(`[{"nickname":"kim"},{"nickname":"bob"}]`)}, Entry{Users: []string{"kim", "bob"}, Action: "deactivate"}},
		"status": {api.LogData{Action: "status_update", Subject: []byte(`{"type":"status","id":"9xP"}`)}, Entry{Status: "9xP", Action: "status_update"}},
		"gone":   {api.LogData{Action: "status_delete", SubjectID: "9xP"}, Entry{Status: "9xP", Action: "status_delete"}},
	} {
		got := NewEntry(api.LogEntry{ID: 7, Data: tt.data})
		got.Key, got.At, got.What, got.Message = "", time.Time{}, tt.want.What, tt.want.Message
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(tt.want.Message)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if a, b := NewEntry(api.LogEntry{ID: 9}), NewEntry(api.LogEntry{ID: 10}); a.Key >= b.Key {
		t.Errorf("entry 9 sorts as %q, 10 as %q", a.Key, b.Key)
	}
}

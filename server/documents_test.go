package server_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// TestDocumentsAreShownOnceTheyAreWritten: each appears, harmless, in the API and at its
// page, and goes again.
func TestDocumentsAreShownOnceTheyAreWritten(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx, docs, instance := t.Context(), s.Admin("root").Admin.Documents, s.Anonymous().Instance
		const evil = `<style>p{}</style><p onclick="x()">Be <strong>kind</strong><script>alert(1)</script></p>`
		paths := map[string]string{
			client.PrivacyPolicy: "privacy_policy", client.TermsOfService: "terms_of_service", client.ExtendedDescription: "extended_description",
		}
		link := func(name string) *string {
			urls := must(instance.GetV2(ctx))(t).Configuration.URLs
			return map[string]*string{client.PrivacyPolicy: urls.PrivacyPolicy, client.TermsOfService: urls.TermsOfService}[name]
		}
		for name, path := range paths {
			unset := func() {
				t.Helper()
				status, body := query(t, s, "", "GET", "/api/v1/instance/"+path, "")
				if name == client.ExtendedDescription {
					if status != 200 || body != `{"updated_at":null,"content":""}` {
						t.Errorf("%s: %d %s", name, status, body)
					}
				} else if status != 404 || body != `{"error":"Record not found"}` {
					t.Errorf("%s: %d %s", name, status, body)
				}
				if name != client.TermsOfService { // there is one that is built in
					if status, _ := query(t, s, "", "GET", "/static/"+name+".html", ""); status != 404 {
						t.Errorf("%s: its page answers %d", name, status)
					}
				}
				if link(name) != nil {
					t.Errorf("%s: its page is linked", name)
				}
			}
			unset()
			for _, text := range []string{evil, "<p>Other words</p>"} {
				at := must(docs.Set(ctx, name, client.File{Name: "x", Content: strings.NewReader(text)}))(t).URL
				if want := s.Base() + "/static/" + name + ".html"; at != want {
					t.Errorf("%s is at %s", name, at)
				}
				if w := s.Get(ctx, "/static/"+name+".html", ""); w.Code != http.StatusOK || w.Body.String() != text {
					t.Errorf("%s: its page answers %d %s", name, w.Code, w.Body)
				}
				var content string
				var fresh bool
				switch name {
				case client.TermsOfService:
					d := must(instance.TermsOfService(ctx))(t)
					content, fresh = d.Content, d.Effective && d.SucceededBy == nil && d.EffectiveDate == time.Now().UTC().Format(time.DateOnly)
				case client.PrivacyPolicy:
					d := must(instance.PrivacyPolicy(ctx))(t)
					content, fresh = d.Content, time.Since(d.UpdatedAt.Time) < time.Minute
				default:
					d := must(instance.ExtendedDescription(ctx))(t)
					content, fresh = d.Content, time.Since(d.UpdatedAt.Time) < time.Minute
				}
				want := "<p>Other words</p>"
				if text == evil {
					want = "<p>Be <strong>kind</strong></p>"
				}
				if content != want || !fresh {
					t.Errorf("%s: %s, %v", name, content, fresh)
				}
				if name != client.ExtendedDescription && link(name) == nil {
					t.Errorf("%s: its page is not linked", name)
				}
			}
			must(docs.Delete(ctx, name))(t)
			unset()
		}
		languages := must(instance.Languages(ctx))(t)
		if len(languages) != 183 || languages[0].Code != "aa" {
			t.Errorf("%d languages", len(languages))
		}
	})
}

func TestDomainBlocksAreThoseOfSimplePolicy(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		told := func() (int, string) { return query(t, s, "", "GET", "/api/v1/instance/domain_blocks", "") }
		set := func(change func(p *config.Policies)) {
			settings := *s.Settings.Base()
			change(&settings.Policies)
			must(0, s.Settings.Swap(settings))(t)
		}
		if status, body := told(); status != 200 || body != "[]" {
			t.Errorf("%d %s", status, body)
		}
		set(func(p *config.Policies) {
			p.Transparency, p.TransparencyExclusions = true, []string{"hidden.example"}
			p.Simple.Reject, p.Simple.FederatedTimelineRemoval = []string{"worse.example", "hidden.example"}, []string{"a.example", "worse.example"}
		})
		if status, body := told(); status != 200 || body != "[]" {
			t.Errorf("without the policy: %d %s", status, body)
		}
		set(func(p *config.Policies) {
			p.Chain = append(p.Chain[:len(p.Chain):len(p.Chain)], "Svc.Web.ActivityPub.MRF.SimplePolicy")
		})
		got := must(s.Anonymous().Instance.DomainBlocks(t.Context()))(t)
		if diff := cmp.Diff([]api.LimitedDomain{
			{Domain: "a.example", Digest: "b8e7453371a024daae06f3164492c0afcde134c7747c155b3d83c20de341e855", Severity: "silence"},
			{Domain: "worse.example", Digest: "83208f546c4659aa30699cb97e7d1c054fb6362d45b28b91a840ce7cb4820628", Severity: "suspend"},
		}, got); diff != "" {
			t.Error(diff)
		}
		set(func(p *config.Policies) { p.Transparency = false })
		if status, body := told(); status != 404 || body != `{"error":"Record not found"}` {
			t.Errorf("%d %s", status, body)
		}
	})
}

// TestAProfileTokenReadsNameAndPicture: it opens two routes, and shows no more there than
// others see.
func TestAProfileTokenReadsNameAndPicture(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ann := s.User("ann")
		token := s.Token("ann", "profile")
		want := &api.UserInfo{Issuer: s.Base(), Subject: ann.URI, Name: ann.DisplayName, PreferredUsername: "ann", Profile: s.Base() + "/ann", Picture: s.Base() + "/images/avi.png"}
		got := must(s.With(token).Accounts.UserInfo(t.Context()))(t)
		if got.Profile == "" || got.Picture == "" {
			t.Errorf("%+v", got)
		}
		got.Profile, got.Picture = want.Profile, want.Picture
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if status, _ := query(t, s, token, "POST", "/oauth/userinfo", ""); status != 200 {
			t.Errorf("POST: %d", status)
		}
		status, body := query(t, s, token, "GET", "/api/v1/accounts/verify_credentials", "")
		if status != 200 || !strings.Contains(body, `"acct":"ann"`) {
			t.Errorf("%d %s", status, body)
		}
		private := []string{"chat_token", "settings_store", "unread_conversation_count", "unread_notifications_count", "notification_settings"}
		for _, name := range private {
			if strings.Contains(body, `"`+name+`"`) {
				t.Errorf("%s is shown", name)
			}
		}
		_, whole := query(t, s, s.Token("ann", "read:accounts"), "GET", "/api/v1/accounts/verify_credentials", "")
		for _, name := range private {
			if !strings.Contains(whole, `"`+name+`"`) {
				t.Errorf("%s is not shown to read:accounts", name)
			}
		}
		for path, want := range map[string]int{"/api/v1/timelines/home": 403, "/api/v1/notifications": 403, "/api/v1/preferences": 403} {
			if status, body := query(t, s, token, "GET", path, ""); status != want {
				t.Errorf("%s: %d %s", path, status, body)
			}
		}
		for scopes, want := range map[string]int{"read": 200, "read:accounts": 200, "read:statuses": 403, "write": 403} {
			if status, body := query(t, s, s.Token("ann", scopes), "GET", "/oauth/userinfo", ""); status != want {
				t.Errorf("%s: %d %s", scopes, status, body)
			}
		}
		if status, _ := query(t, s, "", "GET", "/oauth/userinfo", ""); status != 401 {
			t.Errorf("without a token: %d", status)
		}
	})
}

package server_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"svc/client"
	"svc/server/platform/config"
	"svc/server/servertest"
)

// TestAccountsAreLookedUpByHandle: as front ends open every profile. Nothing is fetched,
// and who is not shown to anybody is not found.
func TestAccountsAreLookedUpByHandle(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, bob := s.User("ann"), s.User("bob")
		root := s.Admin("root")
		for _, as := range []*client.Client{s.Anonymous(), s.Client("bob")} {
			for _, acct := range []string{"ann", "@ann", "ANN", " ann ", "ann@" + s.Host(), "@Ann@" + strings.ToUpper(s.Host())} {
				if got, err := as.Accounts.Lookup(ctx, acct); err != nil || got.ID != ann.ID {
					t.Errorf("%q: %v", acct, err)
				}
			}
			for _, acct := range []string{"", "@", "nobody", "ann@other.example", ann.ID, "ann bob"} {
				if _, err := as.Accounts.Lookup(ctx, acct); !errors.Is(err, client.ErrNotFound) {
					t.Errorf("%q: %v", acct, err)
				}
			}
		}
		if got, err := s.Anonymous().Accounts.ByID(ctx, bob.ID, "AAAAAAAAAAAAAAAAAA", ann.ID, bob.ID); err != nil || len(got) != 2 || got[0].ID != bob.ID || got[1].ID != ann.ID {
			t.Errorf("by ids: %v %v", got, err)
		}
		if got, err := s.Anonymous().Accounts.ByID(ctx); err != nil || len(got) != 0 {
			t.Errorf("no ids: %v %v", got, err)
		}
		must(root.Admin.Users.Deactivate(ctx, "ann"))(t)
		if _, err := root.Accounts.Lookup(ctx, "ann"); !errors.Is(err, client.ErrNotFound) {
			t.Errorf("a deactivated account: %v", err)
		}
		if got := must(s.Anonymous().Accounts.ByID(ctx, ann.ID, bob.ID))(t); len(got) != 1 || got[0].ID != bob.ID {
			t.Errorf("a deactivated account: %v", got)
		}
		many := make([]string, 0, 102)
		for i := range 101 {
			many = append(many, fmt.Sprintf("%018d", i))
		}
		if got := must(s.Anonymous().Accounts.ByID(ctx, append(many, bob.ID)...))(t); len(got) != 0 {
			t.Errorf("more than 100: %v", got)
		}
	}, func(s *config.Settings) { s.Instance.Public = true })
}

// TestPrivateInstancesShowNoAccountsByIDs: who may not see profiles is asked to sign in.
func TestPrivateInstancesShowNoAccountsByIDs(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann := s.User("ann")
		if _, err := s.Anonymous().Accounts.Lookup(ctx, "ann"); !errors.Is(err, client.ErrForbidden) {
			t.Errorf("%v", err)
		}
		if got := must(s.Anonymous().Accounts.ByID(ctx, ann.ID))(t); len(got) != 0 {
			t.Errorf("%v", got)
		}
		if got := must(s.Client("bob").Accounts.ByID(ctx, ann.ID))(t); len(got) != 1 {
			t.Errorf("%v", got)
		}
	}, func(s *config.Settings) { s.Instance.Public = false })
}

// TestTheInstanceIsDescribedForTodaysApps: with every field that the strictest of them
// decodes, of its type, and with a changed setting or document at once.
func TestTheInstanceIsDescribedForTodaysApps(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		s.Token("ann", "read") // active
		root := s.Admin("root")
		got := must(s.Anonymous().Instance.GetV2(ctx))(t)
		old := must(s.Anonymous().Instance.Get(ctx))(t)
		if got.Domain != s.Host() || got.Title != old.Title || !strings.HasPrefix(got.Version, "4.2.0 (compatible; svc ") || got.Usage.Users.ActiveMonth < 1 {
			t.Errorf("%s", got.Raw)
		}
		var whole map[string]any
		if err := json.Unmarshal(got.Raw, &whole); err != nil {
			t.Fatal(err)
		}
		for path, kind := range map[string]string{
			"domain": "string", "title": "string", "description": "string", "version": "string", "source_url": "string", "usage.users.active_month": "float64",
			"thumbnail.url": "string", "thumbnail.versions": "map[string]interface {}", "icon": "[]interface {}", "languages": "[]interface {}", "rules": "[]interface {}",
			"registrations.enabled": "bool", "registrations.approval_required": "bool", "registrations.reason_required": "bool", "registrations.message": "<nil>",
			"contact.email": "string", "configuration.urls.streaming": "string", "configuration.urls.about": "string", "configuration.urls.status": "<nil>",
			"configuration.urls.privacy_policy": "<nil>", "configuration.urls.terms_of_service": "<nil>", "configuration.vapid.public_key": "string",
			"configuration.accounts.max_featured_tags": "float64", "configuration.accounts.max_pinned_statuses": "float64", "configuration.accounts.max_profile_fields": "float64",
			"configuration.accounts.profile_field_name_limit": "float64", "configuration.accounts.profile_field_value_limit": "float64",
			"configuration.accounts.max_display_name_length": "float64", "configuration.accounts.max_note_length": "float64",
			"configuration.statuses.max_characters": "float64", "configuration.statuses.max_media_attachments": "float64", "configuration.statuses.characters_reserved_per_url": "float64",
			"configuration.media_attachments.supported_mime_types": "[]interface {}", "configuration.media_attachments.image_size_limit": "float64",
			"configuration.media_attachments.image_matrix_limit": "float64", "configuration.media_attachments.video_size_limit": "float64",
			"configuration.media_attachments.video_frame_rate_limit": "float64", "configuration.media_attachments.video_matrix_limit": "float64",
			"configuration.media_attachments.description_limit": "float64", "configuration.polls.max_options": "float64", "configuration.polls.max_characters_per_option": "float64",
			"configuration.polls.min_expiration": "float64", "configuration.polls.max_expiration": "float64", "configuration.translation.enabled": "bool",
			"configuration.timelines_access.live_feeds.local": "string", "configuration.timelines_access.hashtag_feeds.remote": "string",
			"configuration.timelines_access.trending_link_feeds.local": "string", "configuration.limited_federation": "bool",
		} {
			var at any = whole
			for name := range strings.SplitSeq(path, ".") {
				m, _ := at.(map[string]any)
				value, there := m[name]
				if !there {
					t.Errorf("%s is missing", path)
				}
				at = value
			}
			if is := fmt.Sprintf("%T", at); is != kind {
				t.Errorf("%s is %s, want %s", path, is, kind)
			}
		}
		for _, name := range []string{"uri", "stats", "api_versions"} {
			if _, there := whole[name]; there {
				t.Errorf("%s is part of it", name)
			}
		}
		if access := got.Configuration.TimelinesAccess; access.LiveFeeds.Local != "public" || access.TrendingLinkFeeds.Local != "disabled" {
			t.Errorf("%+v", access)
		}

		must(root.Admin.Config.Set(ctx, ":svc", ":instance", json.RawMessage(`[{"tuple":[":name","New name"]},{"tuple":[":account_approval_required",true]}]`)))(t)
		must(root.Admin.Documents.Set(ctx, client.TermsOfService, client.File{Name: "t", Content: strings.NewReader("be kind")}))(t)
		got = must(s.Anonymous().Instance.GetV2(ctx))(t)
		if got.Title != "New name" || !got.Registrations.ReasonRequired || got.Configuration.URLs.TermsOfService == nil || *got.Configuration.URLs.TermsOfService != s.Base()+"/static/terms-of-service.html" {
			t.Errorf("after changes: %s", got.Raw)
		}
		if w := s.Get(ctx, "/static/terms-of-service.html", ""); w.Code != http.StatusOK {
			t.Errorf("the terms: %d", w.Code)
		}
	})
}

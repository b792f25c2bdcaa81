package ingest_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"svc/client/api"
	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// TestReportsOfEveryKindOfServer sends a Flag in each form that servers write.
func TestReportsOfEveryKindOfServer(t *testing.T) {
	each(t, func(p *place) {
		ctx := context.Background()
		bob, root := p.s.Client("bob"), p.s.Admin("root")
		st, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "reported"})
		if err != nil {
			p.Fatal(err)
		}
		second, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "another"})
		if err != nil {
			p.Fatal(err)
		}
		// bob's Create is an activity here, since vera follows him.
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI))
		p.worked()
		told, err := bob.Statuses.Post(ctx, api.NewStatus{Status: "told"})
		if err != nil {
			p.Fatal(err)
		}
		var create peer.Doc
		servertest.Eventually(p, "vera is told", func() bool {
			for _, d := range p.peer.Received("Create") {
				if d.Text("object", "id") == told.URI {
					create = d
				}
			}
			return create != nil
		})
		account := peer.Doc{"type": "Person", "id": p.bob.URI, "preferredUsername": "bob", "name": "Bob"}
		embedded := func(s *api.Status) peer.Doc {
			return peer.Doc{"type": "Note", "id": s.URI, "content": s.Content, "published": "2026-01-02T03:04:05Z", "actor": account}
		}
		for _, c := range []struct {
			name     string
			flag     peer.Doc
			reason   string
			statuses []string
		}{
			{"mastodon", peer.Doc{"object": []any{p.bob.URI, st.URI}, "content": "spam"}, "spam", []string{st.URI}},
			{"mastodon, an account alone", peer.Doc{"object": []any{p.bob.URI}, "content": ""}, "", nil},
			{"misskey", peer.Doc{"object": p.bob.URI, "content": "Note: " + st.URL + "\nNote: " + second.URI + "\n-----\nspam"}, "Note: " + st.URL + "\nNote: " + second.URI + "\n-----\nspam", []string{st.URI, second.URI}},
			{"pleroma", peer.Doc{"object": []any{p.bob.URI, create.Text("id")}, "content": "spam", "context": p.peer.URL("/contexts/1")}, "spam", []string{told.URI}},
			{"pleroma, embedded", peer.Doc{"object": []any{p.bob.URI, embedded(st), embedded(second)}, "content": "spam"}, "spam", []string{st.URI, second.URI}},
			{"lemmy", peer.Doc{"object": st.URI, "summary": "spam", "to": []string{p.peer.URL("/c/ducks")}}, "spam", []string{st.URI}},
			{"lemmy, of today", peer.Doc{"object": st.URI, "summary": "spam", "content": "spam", "audience": p.peer.URL("/c/ducks")}, "spam", []string{st.URI}},
			{"friendica", peer.Doc{"object": []any{p.bob.URI, st.URI, second.URI}, "content": "spam", "to": []string{p.bob.URI}}, "spam", []string{st.URI, second.URI}},
			{"peertube", peer.Doc{"object": []any{p.bob.URI}, "content": "spam", "mediaType": "text/markdown", "tag": []any{peer.Doc{"type": "Hashtag", "name": "spamOrMisleading"}}}, "spam", nil},
			{"an embedded account", peer.Doc{"object": account, "content": "spam"}, "spam", nil},
			{"an embedded post", peer.Doc{"object": embedded(st), "contentMap": peer.Doc{"en": "spam"}}, "spam", []string{st.URI}},
			{"a page", peer.Doc{"object": st.URL, "name": "spam"}, "spam", []string{st.URI}},
		} {
			flag := p.vera.Activity("Flag", nil)
			for k, v := range c.flag {
				flag[k] = v
			}
			p.sends(202, p.vera, flag)
			var got *api.AdminReport
			servertest.Eventually(p, c.name+" is filed", func() bool {
				page, err := root.Admin.Reports.List(api.ReportQuery{State: api.ReportOpen}).Page(ctx)
				if err != nil {
					p.Fatal(err)
				}
				for i := range page.Items {
					if row, err := p.s.DB.Report(ctx, page.Items[i].ID); err == nil && row.URI == flag.Text("id") {
						got = &page.Items[i]
						if row.Content != c.reason {
							p.Errorf("%s: the reason is %q", c.name, row.Content)
						}
						return true
					}
				}
				return false
			})
			var uris []string
			for _, s := range got.Statuses {
				uris = append(uris, s.URI)
			}
			if got.Account.Acct != "bob" || got.Actor.Acct != p.vera.Handle() || !slices.Equal(uris, c.statuses) {
				p.Errorf("%s: about %s by %s, with %v, want %v", c.name, got.Account.Acct, got.Actor.Acct, uris, c.statuses)
			}
		}
	})
}

func TestRemoteAccountsSayWhenTheyWereMade(t *testing.T) {
	each(t, func(p *place) {
		day := func(s string) string {
			p.vera.Edit(func(d peer.Doc) {
				if d["published"] = s; s == "" {
					delete(d, "published")
				}
			})
			p.sends(202, p.vera, p.vera.Update(p.vera.Doc()))
			p.worked()
			return p.known(p.vera).CreatedAt.UTC().Format("2006-01-02")
		}
		p.sends(202, p.vera, p.vera.Follow(p.bob.URI))
		p.worked()
		if got := p.known(p.vera).CreatedAt.UTC().Format("2006-01-02"); got != "2026-01-02" {
			p.Errorf("first met, it was made on %s", got)
		}
		for _, c := range []struct{ published, want string }{
			{"2021-03-04T00:00:00Z", "2021-03-04"},
			{"2019-05-06", "2019-05-06"},
			{"2020-05-06T07:08:09.123456", "2020-05-06"},
			{"", "2020-05-06"},
			{time.Now().Add(48 * time.Hour).UTC().Format(time.RFC3339), "2020-05-06"},
			{"1970-01-01T00:00:00Z", "2020-05-06"},
			{"0001-01-01T00:00:00Z", "2020-05-06"},
		} {
			if got := day(c.published); got != c.want {
				p.Errorf("published %q: made on %s, want %s", c.published, got, c.want)
			}
		}
	})
}

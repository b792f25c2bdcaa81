package server_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"svc/client/api"
	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/rules/chats"
	"svc/server/rules/moderation"
	"svc/server/rules/social"
	"svc/server/servertest"
)

var update = flag.Bool("update", false, "write the golden files")

// effects counts the possible effects of a verb: rows, counters, home entries,
// notifications, activities, mails and log entries. Names stand for accounts.
var effects = []string{
	"SELECT 'status ' || visibility || CASE WHEN reblog_of_id IS NULL THEN '' ELSE ' reblog' END, COUNT(*) FROM statuses GROUP BY 1",
	"SELECT 'favourite', COUNT(*) FROM favourites",
	"SELECT 'reaction ' || emoji, COUNT(*) FROM emoji_reactions GROUP BY 1",
	"SELECT CASE WHEN pending THEN 'follow request' ELSE 'follow' END, COUNT(*) FROM follows GROUP BY 1",
	"SELECT 'block', COUNT(*) FROM blocks",
	"SELECT 'pin', COUNT(*) FROM statuses WHERE pinned_at IS NOT NULL",
	"SELECT 'vote', COUNT(*) FROM poll_votes",
	"SELECT 'poll', COUNT(*) FROM polls",
	"SELECT 'file', COUNT(*) FROM media_attachments",
	"SELECT 'recipient ' || a.nickname, COUNT(*) FROM status_recipients r JOIN accounts a ON a.id = r.account_id GROUP BY 1",
	"SELECT 'tag', COUNT(*) FROM status_tags",
	"SELECT 'conversation of ' || a.nickname || CASE WHEN p.unread THEN ', unread' ELSE '' END, COUNT(*) FROM participations p JOIN accounts a ON a.id = p.account_id GROUP BY 1",
	"SELECT 'chat message', COUNT(*) FROM chat_messages",
	"SELECT 'chat of ' || a.nickname || ', unread', SUM(c.unread) FROM chats c JOIN accounts a ON a.id = c.account_id GROUP BY 1",
	"SELECT 'report', COUNT(*) FROM reports",
	"SELECT 'reported status', COUNT(*) FROM report_statuses",
	"SELECT 'tombstone', COUNT(*) FROM tombstones",
	"SELECT 'log entry', COUNT(*) FROM moderation_log",
	"SELECT 'home of ' || a.nickname, COUNT(*) FROM home_entries h JOIN accounts a ON a.id = h.account_id JOIN statuses s ON s.id = h.status_id GROUP BY 1",
	"SELECT 'news for ' || a.nickname || ': ' || n.type, COUNT(*) FROM notifications n JOIN accounts a ON a.id = n.account_id WHERE NOT n.hidden GROUP BY 1",
	"SELECT 'activity ' || type, COUNT(*) FROM activities WHERE type <> 'Update' GROUP BY 1", // a job's, of polls, some time later
	"SELECT 'job ' || kind, COUNT(*) FROM river_job WHERE kind IN ('fetch_card', 'send_mail', 'fan_out', 'tell_subscribers') GROUP BY 1",
	"SELECT 'followers of ' || nickname, followers_count FROM accounts",
	"SELECT 'following of ' || nickname, following_count FROM accounts",
	"SELECT 'statuses of ' || nickname, statuses_count FROM accounts",
	"SELECT 'replies', SUM(replies_count) FROM statuses",
	"SELECT 'reblogs', SUM(reblogs_count) FROM statuses",
	"SELECT 'favourites', SUM(favourites_count) FROM statuses",
}

// countEffects counts the effects after the due jobs have ended.
func countEffects(t *testing.T, s *servertest.Server) map[string]int {
	t.Helper()
	servertest.Eventually(t, "jobs end", func() bool {
		var n int
		err := s.DB.Writer().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM river_job WHERE state IN ('available', 'running')").Scan(&n)
		return err == nil && n == 0
	})
	out := map[string]int{}
	read := func(query string) error {
		rows, err := s.DB.Writer().QueryContext(t.Context(), query)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var what string
			var n int
			if err := rows.Scan(&what, &n); err != nil {
				return err
			}
			out[what] = n
		}
		return rows.Err()
	}
	for _, query := range effects {
		if err := read(query); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	return out
}

// TestEachVerbDoesTheSameFromBothDoors does each verb once as a local and once
// as a remote account, and compares all effects with testdata/effects.txt. The
// file shows the differences: local accounts send activities, and remote
// accounts' activities are the source of the verb.
func TestEachVerbDoesTheSameFromBothDoors(t *testing.T) {
	servertest.Each(t, func(t *testing.T, s *servertest.Server) {
		ctx := t.Context()
		ann, ben := s.User("ann"), s.User("ben")
		s.AdminUser("mod") // gets notifications of reports
		far, ext := remote(t, s, "far@far.example"), remote(t, s, "ext@ext.example")
		locked := s.User("lou")
		yes := api.Bool(true)
		must(s.Client("lou").Accounts.UpdateCredentials(ctx, api.UpdateCredentials{Locked: &yes}))(t)
		locked = must(s.DB.Account(ctx, locked.ID))(t)
		for _, follower := range []*db.Account{ext, far, ben} {
			if follower.Local {
				follow(t, s.Client(follower.Nickname), ann.ID)
			} else {
				must(s.Social.TakeFollow(ctx, follower, ann.ID, follower.URI+"/follows/1"))(t)
			}
		}
		must(s.Social.TakeFollow(ctx, ext, ben.ID, ext.URI+"/follows/2"))(t) // so that activities are sent
		// Fay follows both actors, so that their acts have a home timeline.
		s.User("fay")
		follow(t, s.Client("fay"), ben.ID)
		follow(t, s.Client("fay"), far.ID)
		if err := s.Social.TakeAccept(ctx, far, "", s.User("fay").URI); err != nil {
			t.Fatal(err)
		}

		n := 0
		uri := func(by *db.Account) string { n++; return fmt.Sprintf("%s/things/%d", by.URI, n) }
		posts := map[string]string{} // posts of Ann's, one for each actor
		for _, by := range []*db.Account{ben, far} {
			posts[by.ID] = say(t, s.Client("ann"), "a post for "+by.Nickname).ID
		}
		polls := map[string]*db.Status{}
		for _, by := range []*db.Account{ben, far} {
			day := int64(86400)
			polls[by.ID] = must(s.Social.PostStatus(ctx, ann, social.NewStatus{Text: "what?", Poll: &db.PollParams{Options: []string{"a", "b"}, ExpiresIn: &day}}))(t)
		}
		mine := map[string]*db.Status{} // by the id of the actor
		write := func(by *db.Account, text string, to *db.Account, parent string) error {
			if by.Local {
				in := social.NewStatus{Text: text, InReplyToID: parent}
				if to != nil {
					in.Text, in.Visibility = "@"+to.Nickname+" "+text, db.Direct
				}
				status, err := s.Social.PostStatus(ctx, by, in)
				mine[by.ID] = status
				return err
			}
			p := &activitypub.Post{ID: uri(by), Type: "Note", Author: by.URI, To: []string{activitypub.Public}, CC: []string{by.FollowersURI}, Content: text}
			if strings.Contains(text, "#tag") {
				p.Hashtags = []string{"tag"}
			}
			known := map[string]*db.Account{}
			if to != nil {
				p.To, p.CC = []string{to.URI}, nil
				p.Mentions = []activitypub.Mention{{Href: to.URI, Name: "@" + to.Nickname}}
				known[to.URI], known[to.ID] = to, to
			}
			if parent != "" {
				p.InReplyTo = *must(s.DB.StatusByID(ctx, parent))(t).URI
				p.CC = append(p.CC, ann.URI)
				p.Mentions = []activitypub.Mention{{Href: ann.URI, Name: "@ann"}}
				known[ann.URI], known[ann.ID] = ann, ann
			}
			d, err := s.Social.DraftRemote(ctx, by, social.RemoteStatus{Post: p, Accounts: known})
			if err != nil {
				return err
			}
			mine[by.ID], err = s.Social.KeepRemote(ctx, d)
			return err
		}
		err1 := func(_ any, err error) error { return err }
		follows := map[string]string{}
		type verb struct {
			name        string
			here, there func(by *db.Account) error
		}
		both := func(name string, do func(by *db.Account) error) verb { return verb{name, do, do} }
		verbs := []verb{
			{"favourite", func(by *db.Account) error { return err1(s.Social.Favourite(ctx, by, posts[by.ID])) },
				func(by *db.Account) error { return s.Social.TakeFavourite(ctx, by, posts[by.ID], uri(by)) }},
			{"unfavourite", func(by *db.Account) error { return err1(s.Social.Unfavourite(ctx, by, posts[by.ID])) },
				undoing(ctx, s, posts, "Like", "")},
			{"react", func(by *db.Account) error { return err1(s.Social.React(ctx, by, posts[by.ID], "☕")) },
				func(by *db.Account) error { return s.Social.TakeReaction(ctx, by, posts[by.ID], "☕", uri(by)) }},
			{"unreact", func(by *db.Account) error { return err1(s.Social.Unreact(ctx, by, posts[by.ID], "☕")) },
				undoing(ctx, s, posts, "EmojiReact", "☕")},
			{"reblog", func(by *db.Account) error { return err1(s.Social.Reblog(ctx, by, posts[by.ID], "")) },
				func(by *db.Account) error {
					return s.Social.TakeReblog(ctx, by, posts[by.ID], social.RemoteReblog{URI: uri(by), To: []string{activitypub.Public}})
				}},
			{"unreblog", func(by *db.Account) error { return err1(s.Social.Unreblog(ctx, by, posts[by.ID])) },
				undoing(ctx, s, posts, "Announce", "")},
			{"vote", func(by *db.Account) error {
				poll := must(s.DB.StatusByID(ctx, polls[by.ID].ID))(t).PollID
				_, _, err := s.Social.Vote(ctx, by, *poll, []int{1})
				return err
			}, func(by *db.Account) error { return s.Social.TakeVote(ctx, by, polls[by.ID].ID, "b", uri(by)) }},
			{"ask to follow", func(by *db.Account) error { return s.Social.Follow(ctx, by, locked.ID, social.FollowOptions{}) },
				func(by *db.Account) error {
					follows[by.ID] = uri(by)
					return err1(s.Social.TakeFollow(ctx, by, locked.ID, follows[by.ID]))
				}},
			{"take the request back", func(by *db.Account) error { return s.Social.Unfollow(ctx, by, locked.ID) },
				func(by *db.Account) error { return err1(s.Social.TakeUnfollow(ctx, by, follows[by.ID], locked.URI)) }},
			{"unfollow", func(by *db.Account) error { return s.Social.Unfollow(ctx, by, ann.ID) },
				func(by *db.Account) error { return err1(s.Social.TakeUnfollow(ctx, by, "", ann.URI)) }},
			{"follow", func(by *db.Account) error { return s.Social.Follow(ctx, by, ann.ID, social.FollowOptions{}) },
				func(by *db.Account) error { return err1(s.Social.TakeFollow(ctx, by, ann.ID, uri(by))) }},
			both("post", func(by *db.Account) error { return write(by, "hello #tag", nil, "") }),
			{"pin", func(by *db.Account) error { return err1(s.Social.Pin(ctx, by, mine[by.ID].ID)) },
				func(by *db.Account) error { return s.Social.TakePin(ctx, by, mine[by.ID].ID, true) }},
			{"unpin", func(by *db.Account) error { return err1(s.Social.Unpin(ctx, by, mine[by.ID].ID)) },
				func(by *db.Account) error { return s.Social.TakePin(ctx, by, mine[by.ID].ID, false) }},
			{"delete the post", func(by *db.Account) error { return s.Social.DeleteStatus(ctx, by, mine[by.ID].ID) },
				func(by *db.Account) error { return s.Social.RemoveRemote(ctx, mine[by.ID].ID) }},
			both("answer", func(by *db.Account) error { return write(by, "yes", nil, posts[by.ID]) }),
			both("direct post", func(by *db.Account) error { return write(by, "psst", ann, "") }),
			{"chat message", func(by *db.Account) error {
				chat, err := s.Chats.Open(ctx, by, ann.ID)
				if err != nil {
					return err
				}
				return err1(s.Chats.Send(ctx, by, chat.ID, chats.NewMessage{Text: "psst"}))
			}, func(by *db.Account) error {
				return err1(s.Chats.Receive(ctx, by, ann, &activitypub.Post{ID: uri(by), Type: "ChatMessage", Author: by.URI, To: []string{ann.URI}, Content: "psst"}))
			}},
			{"report", func(by *db.Account) error {
				return err1(s.Moderation.FileReport(ctx, by, moderation.NewReport{TargetID: ann.ID, StatusIDs: []string{posts[by.ID]}, Comment: "bad"}))
			}, func(by *db.Account) error {
				return err1(s.Moderation.TakeReport(ctx, by, moderation.RemoteReport{URI: uri(by), TargetID: ann.ID, StatusIDs: []string{posts[by.ID]}, Comment: "bad"}))
			}},
			{"block", func(by *db.Account) error { return s.Social.Block(ctx, by, ann.ID) },
				func(by *db.Account) error { return s.Social.TakeBlock(ctx, by, ann.ID, uri(by)) }},
		}
		var out strings.Builder
		for _, v := range verbs {
			fmt.Fprintf(&out, "%s\n", v.name)
			for _, door := range []struct {
				name string
				by   *db.Account
				do   func(*db.Account) error
			}{{"here", ben, v.here}, {"there", far, v.there}} {
				before := countEffects(t, s)
				if err := door.do(door.by); err != nil {
					t.Fatalf("%s, %s: %v", v.name, door.name, err)
				}
				after := countEffects(t, s)
				var changed []string
				for _, what := range slices.Sorted(maps.Keys(merged(before, after))) {
					if by := after[what] - before[what]; by != 0 {
						changed = append(changed, fmt.Sprintf("%+d %s", by, strings.ReplaceAll(what, door.by.Nickname, "ACTOR")))
					}
				}
				slices.SortFunc(changed, func(a, b string) int { return strings.Compare(a[3:], b[3:]) })
				fmt.Fprintf(&out, "\t%s: %s\n", door.name, strings.Join(changed, "; "))
			}
		}
		const golden = "testdata/effects.txt"
		if *update {
			if err := os.WriteFile(golden, []byte(out.String()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(out.String(), "\n")); diff != "" {
			t.Error(diff)
		}
	}, servertest.WithMail)
}

// undoing reverses a verb on a status.
func undoing(ctx context.Context, s *servertest.Server, posts map[string]string, kind, emoji string) func(by *db.Account) error {
	return func(by *db.Account) error {
		status, err := s.DB.StatusByID(ctx, posts[by.ID])
		if err != nil {
			return err
		}
		found, err := s.Social.UndoRemote(ctx, by, social.RemoteInteraction{Type: kind, Object: *status.URI, Emoji: emoji})
		if err == nil && !found {
			err = fmt.Errorf("%s: %w", kind, db.ErrNotFound)
		}
		return err
	}
}

func merged(a, b map[string]int) map[string]int {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

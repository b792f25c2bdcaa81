package e2e

import (
	"strings"

	"github.com/mattn/go-mastodon"
)

// newest makes the calls that came after the level 2.7.2: edits, hashtags, and
// filters that match.
func newest(alice, bob, carol *caller, aliceID mastodon.ID) {
	bob.same("a look-up", bob.call("AccountLookup", "alice").(*mastodon.Account).ID, aliceID)
	if _, err := bob.AccountLookup(bob.t.Context(), "nobody"); err == nil || !strings.Contains(err.Error(), "404") {
		bob.t.Errorf("looking nobody up: %v", err)
	}
	bob.same("trends", idsOf(bob.call("GetTrendingStatuses", nil)), []mastodon.ID{})

	file := alice.call("UploadMediaFromMedia", &mastodon.Media{File: strings.NewReader(dotPNG), Description: "a dot"}).(*mastodon.Attachment)
	alice.same("a picture's size", []int64{file.Meta.Original.Width, file.Meta.Small.Height}, []int64{1, 1})
	post := alice.call("PostStatus", &mastodon.Toot{Status: "Rain #sea", MediaIDs: []mastodon.ID{file.ID}}).(*mastodon.Status)
	alice.same("edited", post.EditedAt.IsZero(), true)
	edited := alice.call("UpdateStatus", &mastodon.Toot{Status: "Storm #sea", SpoilerText: "weather", Sensitive: true, MediaIDs: []mastodon.ID{file.ID}}, post.ID).(*mastodon.Status)
	alice.same("edited", edited.EditedAt.After(post.CreatedAt), true)
	alice.same("files of the edit", idsOfFiles(edited), []mastodon.ID{file.ID})
	source := alice.call("GetStatusSource", post.ID).(*mastodon.Source)
	alice.same("a source", []string{source.Text, source.SpoilerText}, []string{"Storm #sea", "weather"})
	var warnings []string
	for _, v := range bob.call("GetStatusHistory", post.ID).([]*mastodon.StatusHistory) {
		warnings = append(warnings, v.SpoilerText)
		bob.same("whose version", v.Account.ID, aliceID)
	}
	bob.same("versions", warnings, []string{"", "weather"})
	asked := alice.call("PostStatus", &mastodon.Toot{Status: "Which?", Poll: &mastodon.TootPoll{Options: []string{"tea", "coffee"}, ExpiresInSeconds: 3600}}).(*mastodon.Status)
	bob.call("PollVote", asked.Poll.ID, 0)
	again := alice.call("UpdateStatus", &mastodon.Toot{Status: "Which one?", Poll: &mastodon.TootPoll{Options: []string{"tea", "milk"}, ExpiresInSeconds: 3600}}, asked.ID).(*mastodon.Status)
	alice.same("votes after another poll", again.Poll.VotesCount, int64(0))
	if _, err := bob.UpdateStatus(bob.t.Context(), &mastodon.Toot{Status: "mine"}, post.ID); err == nil || !strings.Contains(err.Error(), "404") {
		bob.t.Errorf("editing another's: %v", err)
	}

	carol.same("a hashtag", carol.call("TagInfo", "Sea").(*mastodon.FollowedTag).Following, false)
	carol.same("following it", carol.call("TagFollow", "Sea").(*mastodon.FollowedTag).Following, true)
	wave := alice.call("PostStatus", &mastodon.Toot{Status: "Waves #sea"}).(*mastodon.Status)
	carol.same("home", idsOf(carol.call("GetTimelineHome", &mastodon.Pagination{Limit: 1})), []mastodon.ID{wave.ID})
	for _, name := range []string{"TagsFollowed", "GetFollowedTags"} {
		tags := carol.call(name, nil).([]*mastodon.FollowedTag)
		if len(tags) != 1 || tags[0].Name != "sea" || !tags[0].Following {
			carol.t.Errorf("%s: %+v", name, tags)
		}
	}
	carol.same("following it no more", carol.call("TagUnfollow", "sea").(*mastodon.FollowedTag).Following, false)

	filter := bob.call("CreateFilter", &mastodon.Filter{Phrase: "waves", Context: []string{"home"}, WholeWord: true}).(*mastodon.Filter)
	matched := bob.call("GetStatus", wave.ID).(*mastodon.Status).Filtered
	if len(matched) != 1 || matched[0].Filter.Title != "waves" || matched[0].Filter.FilterAction != "warn" {
		bob.t.Fatalf("filtered: %+v", matched)
	}
	bob.same("what matched", matched[0].KeywordMatches, []string{"waves"})
	bob.call("DeleteFilter", filter.ID)
}

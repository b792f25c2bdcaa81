package server_test

import (
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc/client/api"
	"svc/db"
	"svc/server/rules/social"
	"svc/server/servertest"
)

// visibilityWorld is a server with a post of each visibility by Ann.
type visibilityWorld struct {
	t       *testing.T
	s       *servertest.Server
	posts   map[string]*db.Status
	replies map[string]*api.Status // of Ned's, public where that can be
	lists   map[string]string      // each viewer's, with Ann on it
	ids     map[string]string      // of accounts
	polls   map[string]string
	members string // a list of Ann's
}

func newVisibilityWorld(t *testing.T, s *servertest.Server) *visibilityWorld {
	t.Helper()
	ctx := t.Context()
	w := &visibilityWorld{
		t: t, s: s, posts: map[string]*db.Status{}, replies: map[string]*api.Status{}, lists: map[string]string{}, ids: map[string]string{}, polls: map[string]string{},
	}
	for _, v := range viewers {
		switch v {
		case "":
		case "root":
			w.ids[v] = s.AdminUser(v).ID
		default:
			w.ids[v] = s.User(v).ID
		}
	}
	ann, ned := s.Client("ann"), s.Client("ned")
	for _, v := range []string{"fay", "mel"} {
		follow(t, s.Client(v), w.ids["ann"])
	}
	for _, v := range []string{"flo", "bea", "mel"} {
		follow(t, s.Client(v), w.ids["ned"])
	}
	for _, v := range []string{"sam", "fay", "mel"} {
		must(s.Client(v).Accounts.Subscribe(ctx, w.ids["ann"]))(t)
	}
	must(s.Client("mel").Accounts.Mute(ctx, w.ids["ann"], api.Mute{}))(t)
	must(s.Client("bea").Accounts.Block(ctx, w.ids["ann"]))(t)
	must(ann.Accounts.Block(ctx, w.ids["bob"]))(t)
	must(ned.Accounts.UpdateCredentials(ctx, api.UpdateCredentials{HideFavorites: given(api.Bool(false))}))(t)
	for _, v := range viewers[1:] {
		l := must(s.Client(v).Lists.Create(ctx, api.NewList{Title: "x"}))(t)
		w.lists[v] = l.ID
		if err := s.Client(v).Lists.Add(ctx, l.ID, w.ids["ann"]); err != nil {
			t.Fatal(err)
		}
	}
	members := must(ann.Lists.Create(ctx, api.NewList{Title: "members"}))(t)
	if err := ann.Lists.Add(ctx, members.ID, w.ids["mia"]); err != nil {
		t.Fatal(err)
	}
	w.members = members.ID
	author := must(s.DB.Account(ctx, w.ids["ann"]))(t)
	week := int64(7 * 24 * 3600)
	for _, visibility := range everyVisibility {
		files := []db.MediaAttachment{{AccountID: author.ID, Type: "image", URL: "/media/" + word(visibility) + ".png", Description: word(visibility)}}
		if err := s.DB.CreateAttachments(ctx, files); err != nil {
			t.Fatal(err)
		}
		in := social.NewStatus{
			Text: "@ned needle #needle " + word(visibility) + " #" + word(visibility), SpoilerText: word(visibility), Visibility: visibility,
			MediaIDs: []int64{files[0].ID}, Poll: &db.PollParams{Options: []string{word(visibility), "other"}, ExpiresIn: &week},
		}
		if visibility == db.List {
			in.Visibility = "list:" + members.ID
		}
		post, err := s.Social.PostStatus(ctx, author, in)
		if err != nil {
			t.Fatal(visibility, err)
		}
		w.posts[visibility] = post
		shape := must(ann.Statuses.Get(ctx, post.ID))(t)
		w.polls[visibility] = shape.Poll.ID
		if visibility == db.Private || visibility == db.Direct || visibility == db.List { // nobody can pin these, but another server could claim it
			if _, err := s.DB.Writer().ExecContext(ctx, "UPDATE statuses SET pinned_at = 1 WHERE id = '"+post.ID+"'"); err != nil {
				t.Fatal(err)
			}
		} else {
			must(ann.Statuses.Pin(ctx, post.ID))(t)
		}
		answer := func(f *api.NewStatus) {
			f.InReplyToID, f.Visibility, f.To = post.ID, db.Public, []string{"ann"}
			if visibility == db.Direct {
				f.Visibility = db.Direct
			}
		}
		w.replies[visibility] = say(t, ned, "an answer", answer)
		must(ned.Statuses.Favourite(ctx, post.ID))(t)
		must(ned.Statuses.Bookmark(ctx, post.ID))(t)
		must(ned.Statuses.React(ctx, post.ID, "☕"))(t)
		if slices.Contains([]string{db.Public, db.Unlisted, db.Local}, visibility) {
			must(ned.Statuses.Reblog(ctx, post.ID, api.NewReblog{}))(t)
		}
	}
	return w
}

var named = regexp.MustCompile(`\b(LIST|ANN|NED)\b`)

// ask makes a request of a viewer's and returns its status and body.
func (w *visibilityWorld) ask(viewer, method, path, body string) (int, string) {
	w.t.Helper()
	// Whole words: an id may hold the letters of a name.
	path = named.ReplaceAllStringFunc(path, func(name string) string {
		return map[string]string{"LIST": w.lists[viewer], "ANN": w.ids["ann"], "NED": w.ids["ned"]}[name]
	})
	if strings.HasSuffix(path, "?IDS") {
		q := url.Values{}
		for _, visibility := range everyVisibility {
			q.Add("ids[]", w.posts[visibility].ID)
		}
		path = strings.TrimSuffix(path, "IDS") + q.Encode()
	}
	req := httptest.NewRequestWithContext(w.t.Context(), method, path, strings.NewReader(body))
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if viewer != "" {
		req.Header.Set("Authorization", "Bearer "+w.s.Token(viewer, servertest.AllScopes))
	}
	rec := httptest.NewRecorder()
	w.s.Handler().ServeHTTP(rec, req)
	return rec.Code, rec.Body.String()
}

//go:build linux

package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// listed is the number of accounts in the measured list, and of those that the
// reader with few follows follows.
const listed = 20

// followsAtMost bounds the follows of the reader who follows everybody.
const followsAtMost = 2000

// filters is the number of filters of the reader who has some.
const filters = 20

// gather finds accounts, and creates a list and three readers, one with few
// follows, one with many, and one with many and filters: the demo's data has none.
func (w *world) gather(ctx context.Context) error {
	var users struct {
		Users []struct {
			ID string `json:"account_id"`
		} `json:"users"`
	}
	err := w.call(ctx, http.MethodGet, fmt.Sprintf("/api/svc/admin/users?filters=local,active&page_size=%d", followsAtMost+listed), w.reader, nil, &users)
	if err != nil {
		return err
	}
	var me struct{ ID string }
	if err := w.call(ctx, http.MethodGet, "/api/v1/accounts/verify_credentials", w.reader, nil, &me); err != nil {
		return err
	}
	var authors []string
	for _, u := range users.Users {
		if u.ID != me.ID {
			authors = append(authors, u.ID)
		}
	}
	if len(authors) < 2*listed {
		return fmt.Errorf("there are only %d local accounts", len(authors))
	}
	w.accounts = authors[:2*listed]
	var list struct{ ID string }
	if err := w.call(ctx, http.MethodPost, "/api/v1/lists", w.reader, url.Values{"title": {"Measured"}}, &list); err != nil {
		return err
	}
	w.list = list.ID
	for _, id := range authors[:listed] {
		if err := w.call(ctx, http.MethodPost, "/api/v1/accounts/"+id+"/follow", w.reader, url.Values{}, nil); err != nil {
			return err
		}
	}
	if err := w.call(ctx, http.MethodPost, "/api/v1/lists/"+list.ID+"/accounts", w.reader, url.Values{"account_ids[]": authors[:listed]}, nil); err != nil {
		return err
	}
	if w.few, err = w.follower(ctx, "few", authors[:listed]); err != nil {
		return err
	}
	if w.many, err = w.follower(ctx, "many", authors[:min(followsAtMost, len(authors))]); err != nil {
		return err
	}
	if w.filtering, err = w.follower(ctx, "filtering", authors[:min(followsAtMost, len(authors))]); err != nil {
		return err
	}
	for i := range filters {
		phrase := fmt.Sprintf("spoiler%02d of a film", i)
		if i == 0 {
			phrase = "lantern" // some posts have it
		}
		form := url.Values{"phrase": {phrase}, "context[]": {"home"}, "whole_word": {"true"}}
		if err := w.call(ctx, http.MethodPost, "/api/v1/filters", w.filtering, form, nil); err != nil {
			return err
		}
	}
	settle(time.Minute, w.roots()...)
	return nil
}

// follower creates a user who follows these accounts, and returns a token of
// that user.
func (w *world) follower(ctx context.Context, nick string, ids []string) (string, error) {
	cmd := w.svcd(ctx, "user", "create", nick, "--email", nick+"@example.org", "--password", w.made.Posters, "--base-url", w.made.BaseURL)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("svcd user create: %w: %s", err, out)
	}
	token, err := w.token(ctx, nick, w.made.Posters, "read write follow")
	if err != nil {
		return "", err
	}
	for _, id := range ids {
		if err := w.call(ctx, http.MethodPost, "/api/v1/accounts/"+id+"/follow", token, url.Values{}, nil); err != nil {
			return "", err
		}
	}
	return token, nil
}

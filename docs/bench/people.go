//go:build linux

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

const (
	listed        = 20   // accounts in the measured list, and follows of the reader with few
	followsAtMost = 2000 // of the reader who follows everybody
	filters       = 20   // of the reader who has some
	walked        = 300  // the most places of a timeline that are asked for
)

// scopes are enough for all that is measured.
const scopes = "read write follow admin:read"

// app is the OAuth app that everybody signs in with.
type app struct {
	ID     string `json:"client_id"`
	Secret string `json:"client_secret"`
}

// object is anything with an id.
type object struct {
	ID string `json:"id"`
}

// signIn gets tokens for the measured user and for the posters.
func (w *world) signIn(ctx context.Context) (err error) {
	var nicks []string
	for i := range posters {
		nicks = append(nicks, poster(i))
	}
	if err := w.signInAs(ctx, nicks...); err != nil {
		return err
	}
	w.tokens["reader"], err = w.token(ctx, w.facts.User, w.facts.Password, scopes)
	return err
}

// signInAs gets tokens for these users, who write.
func (w *world) signInAs(ctx context.Context, nicks ...string) (err error) {
	if err := w.call(ctx, http.MethodPost, "/api/v1/apps", "", url.Values{
		"client_name": {"svc bench"}, "redirect_uris": {"urn:ietf:wg:oauth:2.0:oob"}, "scopes": {scopes}}, &w.app); err != nil {
		return err
	}
	w.tokens, w.writers = map[string]string{}, nil
	for _, nick := range nicks {
		if w.tokens[nick], err = w.token(ctx, nick, w.facts.Others, "read write follow"); err != nil {
			return err
		}
		w.writers = append(w.writers, w.tokens[nick])
	}
	return nil
}

// token signs somebody in.
func (w *world) token(ctx context.Context, user, password, scopes string) (string, error) {
	var t struct {
		Token string `json:"access_token"`
	}
	err := w.call(ctx, http.MethodPost, "/oauth/token", "", url.Values{
		"grant_type": {"password"}, "client_id": {w.app.ID}, "client_secret": {w.app.Secret},
		"username": {user}, "password": {password}, "scope": {scopes}}, &t)
	return t.Token, err
}

func (w *world) id(ctx context.Context, token string) (string, error) {
	var me object
	err := w.call(ctx, http.MethodGet, "/api/v1/accounts/verify_credentials", token, nil, &me)
	return me.ID, err
}

func (w *world) follow(ctx context.Context, token string, ids ...string) error {
	for _, id := range ids {
		if err := w.call(ctx, http.MethodPost, "/api/v1/accounts/"+id+"/follow", token, url.Values{}, nil); err != nil {
			return err
		}
	}
	return nil
}

// post posts once, and returns the moment of the answer.
func (w *world) post(ctx context.Context, token, text string) (time.Time, error) {
	err := w.call(ctx, http.MethodPost, "/api/v1/statuses", token, url.Values{"status": {text}}, nil)
	return time.Now(), err
}

// learn signs all users in, finds the objects that the endpoints request, and asks
// each once.
func (w *world) learn(ctx context.Context) error {
	if err := w.signIn(ctx); err != nil {
		return err
	}
	w.known = map[string][]string{}
	for _, f := range []func(context.Context) error{w.walk, w.gather, w.reports} {
		if err := f(ctx); err != nil {
			return err
		}
	}
	for _, e := range endpoints {
		if e.writes {
			continue
		}
		all := e.requests(w)
		if len(all) == 0 {
			return fmt.Errorf("%s: there is nothing to ask for in this data", e.name)
		}
		if err := w.call(ctx, http.MethodGet, all[0].path, w.tokens["reader"], nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// walk reads pages of timelines, and keeps places from all parts of them, and the
// ids of some public statuses.
func (w *world) walk(ctx context.Context) error {
	for _, timeline := range []string{"home", "public"} {
		var places, ids []string
		for end := ""; len(places) < walked; {
			var page []object
			if err := w.call(ctx, http.MethodGet, "/api/v1/timelines/"+timeline+"?limit=40&max_id="+end, w.tokens["reader"], nil, &page); err != nil {
				return err
			}
			if len(page) < 40 {
				break
			}
			end = page[len(page)-1].ID
			places = append(places, end)
			ids = append(ids, page[0].ID, page[len(page)/2].ID)
		}
		if len(places) > 1 {
			places = places[:len(places)-1] // below the last there may be less than a page
		}
		w.known[timeline], w.known["status"] = places, ids
	}
	return nil
}

// gather finds accounts, and creates a list and three readers, one with few
// follows, one with many, and one with many and filters: the demo's data has none.
func (w *world) gather(ctx context.Context) error {
	reader := w.tokens["reader"]
	var users struct {
		Users []struct {
			ID string `json:"account_id"`
		} `json:"users"`
	}
	if err := w.call(ctx, http.MethodGet, fmt.Sprintf("/api/svc/admin/users?filters=local,active&page_size=%d", followsAtMost+listed), reader, nil, &users); err != nil {
		return err
	}
	me, err := w.id(ctx, reader)
	if err != nil {
		return err
	}
	var authors []string
	for _, u := range users.Users {
		if u.ID != me {
			authors = append(authors, u.ID)
		}
	}
	if len(authors) < 2*listed {
		return fmt.Errorf("there are only %d local accounts", len(authors))
	}
	w.known["account"] = authors[:2*listed]
	var list object
	if err := w.call(ctx, http.MethodPost, "/api/v1/lists", reader, url.Values{"title": {"Measured"}}, &list); err != nil {
		return err
	}
	w.known["list"] = []string{list.ID}
	if err := w.follow(ctx, reader, authors[:listed]...); err != nil {
		return err
	}
	if err := w.call(ctx, http.MethodPost, "/api/v1/lists/"+list.ID+"/accounts", reader, url.Values{"account_ids[]": authors[:listed]}, nil); err != nil {
		return err
	}
	for _, nick := range []string{"few", "many", "filtering"} {
		if err := w.user(ctx, nick); err != nil {
			return err
		}
		if w.tokens[nick], err = w.token(ctx, nick, w.facts.Others, "read write follow"); err != nil {
			return err
		}
		followed := authors[:min(followsAtMost, len(authors))]
		if nick == "few" {
			followed = authors[:listed]
		}
		if err := w.follow(ctx, w.tokens[nick], followed...); err != nil {
			return err
		}
	}
	for i := range filters {
		phrase := fmt.Sprintf("spoiler%02d of a film", i)
		if i == 0 {
			phrase = "lantern" // some posts have it
		}
		form := url.Values{"phrase": {phrase}, "context[]": {"home"}, "whole_word": {"true"}}
		if err := w.call(ctx, http.MethodPost, "/api/v1/filters", w.tokens["filtering"], form, nil); err != nil {
			return err
		}
	}
	settle(time.Minute, w.roots()...)
	return nil
}

// reports finds whom the newest reports are about, by nickname and by id, and
// their servers.
func (w *world) reports(ctx context.Context) error {
	var page struct {
		Reports []struct {
			Account struct {
				object
				Acct string `json:"acct"`
			} `json:"account"`
		} `json:"reports"`
	}
	if err := w.call(ctx, http.MethodGet, "/api/svc/admin/reports?page_size=100", w.tokens["reader"], nil, &page); err != nil {
		return err
	}
	know := func(kind, what string) {
		if !slices.Contains(w.known[kind], what) {
			w.known[kind] = append(w.known[kind], what)
		}
	}
	for _, r := range page.Reports {
		know("reported", r.Account.Acct)
		know("reported id", r.Account.ID)
		if _, host, remote := strings.Cut(r.Account.Acct, "@"); remote {
			know("host", host)
		}
	}
	return nil
}

var errTooOften = errors.New("too many requests")

// call does one request that is not measured.
func (w *world) call(ctx context.Context, method, path, token string, form url.Values, out any) error {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+w.address+path, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	raw, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	switch {
	case err != nil:
		return err
	case resp.StatusCode == http.StatusTooManyRequests:
		return fmt.Errorf("%s %s: %w", method, path, errTooOften)
	case resp.StatusCode/100 != 2:
		return fmt.Errorf("%s %s: %s: %.200s", method, path, resp.Status, raw)
	case out == nil:
		return nil
	}
	return json.Unmarshal(raw, out)
}

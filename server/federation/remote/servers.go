package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/html"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/outgoing"
)

const (
	describedFor = 24 * time.Hour
	maxPage      = 256 << 10 // bytes of a server's front page, for its icon
	maxSoftware  = 200       // characters
)

// count updates an account's counts from its collections, and whether they are
// hidden. A failure keeps the old ones.
func (s *Service) count(ctx context.Context, a *db.Account) error {
	followers, err := s.collection(ctx, a.FollowersURI)
	if err != nil {
		return err
	}
	following, err := s.collection(ctx, a.FollowingURI)
	if err != nil {
		return err
	}
	posts, err := s.collection(ctx, a.Outbox)
	if err != nil {
		return err
	}
	return s.db.SetRemoteCounts(ctx, a.ID, db.RemoteCounts{
		Followers: followers.total, Following: following.total, Statuses: posts.total,
		HideFollowers: followers.hidden, HideFollows: following.hidden,
		HideFollowersCount: followers.total < 0 && followers.hidden, HideFollowsCount: following.total < 0 && following.hidden,
	})
}

// collection is the visible part of a collection: its size, -1 if unknown, and
// whether its members are hidden.
type collection struct {
	total  int64
	hidden bool
}

func (s *Service) collection(ctx context.Context, uri string) (collection, error) {
	if uri == "" {
		return collection{total: -1}, nil
	}
	doc, err := s.Fetch(ctx, uri)
	switch {
	case errors.Is(err, ErrRefused), errors.Is(err, ErrNotFound), errors.Is(err, ErrGone):
		return collection{total: -1, hidden: true}, nil
	case err != nil:
		return collection{}, fmt.Errorf("collection: %w", err)
	}
	out := collection{total: -1}
	if _, said := doc["totalItems"]; said {
		out.total = min(max(doc.Int("totalItems"), 0), 1<<40)
	}
	if first := doc.Text("first"); first != "" && s.ids.SameOrigin(first, uri) {
		_, err := s.Fetch(ctx, first)
		out.hidden = errors.Is(err, ErrRefused)
	} else {
		out.hidden = doc["first"] == nil && doc["items"] == nil && doc["orderedItems"] == nil && out.total != 0
	}
	return out, nil
}

// describe asks a server now and then for its software and, if icons are shown,
// its icon.
func (s *Service) describe(ctx context.Context, host string) error {
	due, err := s.db.ClaimInstanceQuery(ctx, host, db.At(s.now().Add(-describedFor)))
	if err != nil || !due {
		return err
	}
	was, err := s.db.Instance(ctx, host)
	if err != nil {
		return err
	}
	root := s.scheme() + "://" + host
	software, why := s.software(ctx, root)
	if why != nil {
		software = was.Software
	}
	icon := was.Favicon
	if s.live.Load().InstancesFavicons {
		var err error
		if icon, err = s.icon(ctx, root); err != nil {
			icon = was.Favicon
			why = errors.Join(why, err)
		}
	}
	if err := s.db.DescribeInstance(ctx, host, software, icon); err != nil {
		return err
	}
	s.icons.shown(host, icon)
	return why
}

// software returns the name and version from a server's NodeInfo. Shape:
// http://nodeinfo.diaspora.software/schema.html.
func (s *Service) software(ctx context.Context, root string) (string, error) {
	body, err := s.discover(ctx, root+"/.well-known/nodeinfo", "application/json", "application/jrd+json")
	if err != nil {
		return "", err
	}
	var index jrd
	if err := json.Unmarshal(body, &index); err != nil {
		return "", fmt.Errorf("%w: nodeinfo of %.200q: %w", ErrRefused, root, err)
	}
	best := ""
	rels := []string{"http://nodeinfo.diaspora.software/ns/schema/2.0", "http://nodeinfo.diaspora.software/ns/schema/2.1"}
	for _, rel := range rels {
		for _, l := range index.Links {
			if l.Rel == rel && s.ids.SameOrigin(l.Href, root+"/") {
				best = l.Href
			}
		}
	}
	if best == "" {
		return "", fmt.Errorf("%w: nodeinfo of %.200q", ErrNotFound, root)
	}
	if body, err = s.discover(ctx, best, "application/json", activitypub.ContentType); err != nil {
		return "", err
	}
	var info struct {
		Software struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"software"`
	}
	if err := json.Unmarshal(body, &info); err != nil {
		return "", fmt.Errorf("%w: nodeinfo of %.200q: %w", ErrRefused, root, err)
	}
	return oneLine(info.Software.Name+" "+info.Software.Version, maxSoftware), nil
}

// icon returns the address of the icon on a server's front page, "" for none.
func (s *Service) icon(ctx context.Context, root string) (string, error) {
	resp, err := s.free.Get(ctx, root+"/", "text/html")
	if err != nil {
		return "", err
	}
	defer func() { _ = resp.Body.Close() }()
	if !strings.HasPrefix(resp.Header.Get("Content-Type"), "text/html") {
		return "", nil
	}
	body, err := outgoing.Read(resp.Body, maxPage)
	if err != nil && !errors.Is(err, outgoing.ErrTooLarge) {
		return "", err
	}
	href := iconOf(body)
	if href == "" {
		return "", nil
	}
	at, err := url.Parse(root + "/")
	if err != nil {
		return "", err
	}
	to, err := at.Parse(href)
	if err != nil {
		return "", nil // it names none that is an address
	}
	return webAddress(to.String()), nil
}

// iconOf returns the address in a page's first link to an icon.
func iconOf(page []byte) string {
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			rel, href := "", ""
			for _, a := range t.Attr {
				switch a.Key {
				case "rel":
					rel = strings.ToLower(a.Val)
				case "href":
					href = a.Val
				}
			}
			if t.Data == "link" && href != "" && (rel == "icon" || rel == "shortcut icon") {
				return href
			}
		}
	}
}

package pages

import (
	"strings"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/platform/config"
)

// latest is how many posts the front page shows.
const latest = 5

// nav returns the links of every public page, for the page at path.
func (p *Pages) nav(path string) []entry {
	s := p.Settings.Load()
	out := []entry{{Words: "About", Href: "/about"}}
	if !s.Restricts(s.Restrict.TimelinesLocal) {
		out = append(out, entry{Words: "Local posts", Href: "/main/public"})
	}
	if words, _ := door(s); words != "" {
		out = append(out, entry{Words: words, Href: "/registration"})
	}
	for i := range out {
		out[i].Here = out[i].Href == path
	}
	return out
}

// door returns the label of the link to registration, "" if that is closed, and
// a sentence about it.
func door(s *config.Settings) (button, sentence string) {
	switch i := &s.Instance; {
	case i.RegistrationsOpen && i.AccountApprovalRequired:
		return "Ask for an account", "You may ask for an account; the people who run this server look at each request."
	case i.RegistrationsOpen:
		return "Sign up", "Everybody may sign up."
	case i.InvitesEnabled:
		return "", "New accounts are by invitation only."
	}
	return "", "New accounts are not given out at the moment."
}

// fact is a count with its word.
type fact struct{ Count, Words string }

func factOf(n int64, one, many string) fact {
	if n == 1 {
		return fact{"1", one}
	}
	return fact{number(n), many}
}

func (p *Pages) facts(c *gin.Context) ([]fact, error) {
	stats, err := p.Stats(c.Request.Context())
	if err != nil {
		return nil, err
	}
	out := []fact{factOf(stats.Users, "account", "accounts"), factOf(stats.Statuses, "post", "posts")}
	if p.Settings.Load().Instance.Federating {
		out = append(out, factOf(stats.Domains, "known server", "known servers"))
	}
	return out, nil
}

// Front is GET /: the instance, and how to join it.
func (p *Pages) Front(c *gin.Context) error {
	s := p.Settings.Load()
	body := struct {
		Name, Host, Description, Picture, Door, SignUp, Note string
		Local                                                bool
		Facts                                                []fact
		Posts                                                []post
	}{
		Note: p.note(c),
		Name: s.Instance.Name, Host: p.Site.Host, Description: s.Instance.Description, Picture: p.picture(s.Instance.InstanceThumbnail),
		Local: !s.Restricts(s.Restrict.TimelinesLocal),
	}
	body.SignUp, body.Door = door(s)
	var err error
	if body.Facts, err = p.facts(c); err != nil {
		return err
	}
	if body.Local {
		if body.Posts, _, err = p.localPosts(c, db.Page{Limit: latest}); err != nil {
			return err
		}
	}
	facts := p.describe(preview{
		Kind: "website", Title: s.Instance.Name, Description: s.Instance.Description, URL: p.Site.Base + "/",
		Pictures: []picture{{URL: p.Site.Base + body.Picture}},
	})
	return p.publish(c, "front.html", p.Site.Host, facts, body)
}

// picture is the address of one of the instance's own pictures.
func (p *Pages) picture(path string) string {
	if strings.HasPrefix(path, "/") {
		return path
	}
	return webAddress(path)
}

// About is GET /about: the staff of the instance, its rules and limits.
func (p *Pages) About(c *gin.Context) error {
	s := p.Settings.Load()
	var staff []string
	var err error
	if !s.Restricts(s.Restrict.ProfilesLocal) {
		if staff, err = p.DB.Staff(c.Request.Context()); err != nil {
			return err
		}
	}
	body := struct {
		Name, Host, Description, Email, Door, Federation, Limit, Upload, Version string
		Staff                                                                    []person
		Facts                                                                    []fact
	}{
		Name: s.Instance.Name, Host: p.Site.Host, Description: s.Instance.Description, Email: s.Instance.Email, Version: p.Version,
		Limit: number(int64(s.Instance.Limit)), Upload: megabytes(s.Instance.UploadLimit),
		Federation: "It talks to no other server.",
	}
	if s.Instance.Federating {
		body.Federation = "People here follow, and are followed by, people on other servers."
	}
	_, body.Door = door(s)
	for _, uri := range staff {
		nickname := uri[strings.LastIndexByte(uri, '/')+1:]
		body.Staff = append(body.Staff, person{Handle: "@" + nickname, Path: "/users/" + nickname})
	}
	if body.Facts, err = p.facts(c); err != nil {
		return err
	}
	facts := p.describe(preview{Kind: "website", Title: "About " + s.Instance.Name, Description: s.Instance.Description, URL: p.Site.Base + "/about"})
	return p.publish(c, "about.html", "About", facts, body)
}

func megabytes(n int) string {
	if n < 1_000_000 {
		return number(int64(n)) + " bytes"
	}
	return number(int64(n/1_000_000)) + " MB"
}

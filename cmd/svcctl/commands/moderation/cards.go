package moderation

import (
	"fmt"
	"strings"

	"svc/client/api"
	"svc/client/evidence"
	"svc/client/safe"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
)

// reportCard shows a report with the posts and notes under it, under the ids that
// other commands take.
func reportCard(c *output.Card, r api.AdminReport) {
	c.Field("report", r.ID)
	c.Field("state", r.State)
	c.Time("created", r.CreatedAt.Time)
	c.Field("decided", decisionText(c, &r))
	c.Field("reported", accountLine(r.Account))
	c.Field("reporter", accountLine(r.Actor))
	c.Field("category", r.Category)
	for _, rule := range r.Rules {
		c.Field("rule", rule.ID+" "+rule.Text)
	}
	if r.Content != nil && *r.Content != "" {
		c.Field("message", safe.HTML(*r.Content).String())
	}
	if n := r.Svc.ReportsAbout; n != nil {
		c.Field("reports", countsText(*n)+" about the reported account")
	}
	c.Number("posts", len(r.Statuses))
	c.Number("notes", len(r.Notes))
	if was := r.Svc.ReportedAccount; was != nil {
		c.Part("the reported account as it was when it was reported", evidence.Profile(was))
	}
	for i := range r.Statuses {
		s := &r.Statuses[i]
		c.Part(fmt.Sprintf("post %d of %d: status/%s, %s", i+1, len(r.Statuses), s.ID, strings.Join(statusFacts(c, s), ", ")), evidence.Post(s))
		if was := s.Svc.Reported; was != nil {
			c.Part(fmt.Sprintf("post %d of %d as it was when it was reported", i+1, len(r.Statuses)), evidence.Post(was))
		}
	}
	for _, n := range r.Notes {
		c.Part(fmt.Sprintf("note %d by %s, %s", n.ID, accountName(n.User), c.When(n.CreatedAt.Time)), n.Content)
	}
}

func statusCard(c *output.Card, s api.AdminStatus) {
	shown := &s.Status
	if s.Reblog != nil {
		shown = s.Reblog
	}
	c.Field("status", s.ID)
	c.Field("author", accountLine(s.Account))
	c.Time("created", s.CreatedAt.Time)
	if s.EditedAt != nil {
		c.Time("edited", s.EditedAt.Time)
	}
	c.Field("visibility", s.Visibility)
	c.Field("flags", statusFlags(s))
	c.Field("reply to", cli.Deref(s.InReplyToID))
	if s.Reblog != nil {
		c.Field("reblog of", shown.ID)
		if shown.Account != nil {
			c.Field("written by", shown.Account.Acct)
		}
	}
	c.Number("replies", shown.RepliesCount)
	c.Number("reblogs", shown.ReblogsCount)
	c.Number("favourites", shown.FavouritesCount)
	c.Field("page", s.URL)
	c.Part("text", evidence.Post(shown))
}

// statusFacts are the short facts about a post that stand in the line above it.
func statusFacts(c *output.Card, s *api.Status) []string {
	facts := []string{s.Visibility}
	if gone := s.Svc.Deleted; gone != nil {
		facts = append(facts, deletionText(c, gone))
	}
	if s.Sensitive {
		facts = append(facts, "sensitive")
	}
	if s.InReplyToID != nil {
		facts = append(facts, "reply")
	}
	return append(facts, c.When(s.CreatedAt.Time),
		counted(s.RepliesCount, "reply", "replies"), counted(s.ReblogsCount, "reblog", "reblogs"),
		counted(s.FavouritesCount, "favourite", "favourites"))
}

// deletionText says who deleted a reported post, and when.
func deletionText(c *output.Card, d *api.StatusDeletion) string {
	text := "deleted by the " + d.By
	switch {
	case d.By == "account":
		text = "deleted with the account"
	case d.Nickname != "":
		text += " " + d.Nickname
	}
	if d.At != nil {
		text += " " + c.When(d.At.Time)
	}
	return text
}

// accountLine is an account with what helps to judge it, in one line.
func accountLine(m api.MergedAccount) string {
	if m.ID == "" {
		return accountName(m)
	}
	facts := []string{accountName(m), originOf(m.UserPart)}
	if m.Deactivated {
		facts = append(facts, "deactivated")
	}
	if m.Roles.Admin {
		facts = append(facts, "admin")
	}
	if m.Roles.Moderator {
		facts = append(facts, "moderator")
	}
	facts = append(facts, counted(m.StatusesCount, "post", "posts"), counted(m.FollowersCount, "follower", "followers"))
	if joined := m.CreatedAt; !joined.IsZero() {
		facts = append(facts, "since "+joined.UTC().Format("2006-01-02"))
	}
	if len(m.Tags) > 0 {
		facts = append(facts, "tags "+strings.Join(m.Tags, " "))
	}
	return strings.Join(append(facts, "id:"+m.ID), ", ")
}

// originOf tells whether an account is of this server.
func originOf(u api.UserPart) string {
	if u.Local {
		return "local"
	}
	return "remote"
}

func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}

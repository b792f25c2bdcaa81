package moderation

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/cmd/svcctl/cli"
	"svc/cmd/svcctl/cli/output"
	"svc/cmd/svcctl/commands/names"
)

var historyShape = output.Shape[api.UserHistory]{
	Plural: "users",
	Name:   func(h api.UserHistory) string { return "user/" + h.Nickname },
	Raw:    func(h api.UserHistory) json.RawMessage { return h.Raw },
	Columns: []output.Column[api.UserHistory]{
		output.Text("NICKNAME", func(h api.UserHistory) string { return h.Nickname }),
		output.Int("OPEN", func(h api.UserHistory) int { return h.ReportsAbout.Open }),
		output.Int("REPORTS", func(h api.UserHistory) int { return h.ReportsAbout.All() }),
		output.Int("REPORTED", func(h api.UserHistory) int { return h.ReportsBy.All() }),
		output.Wide(output.Text("ACCOUNT ID", func(h api.UserHistory) string { return h.AccountID })),
	},
	Card: historyCard,
}

func userHistoryCommand(a *cli.App) *cobra.Command {
	cmd := cli.GetCommand(a, "user", historyShape, names.CompleteUsers(a), func(ctx context.Context, conn *cli.Connection, t action.Target) (*api.UserHistory, error) {
		return conn.Admin.Users.History(ctx, t.Name)
	})
	cmd.Use, cmd.Short = "history USER...", "Show what is known of users: reports about and by them, decisions, log, earlier names"
	return cmd
}

func historyCard(c *output.Card, h api.UserHistory) {
	c.Field("user", h.Nickname)
	c.Field("account", h.AccountID)
	c.Field("reports about", countsText(h.ReportsAbout))
	c.Field("reports by", countsText(h.ReportsBy))
	for i := range h.About {
		c.Part(fmt.Sprintf("about: %s, by %s", reportLine(c, &h.About[i]), accountName(h.About[i].Actor)), reportTexts(c, &h.About[i]))
	}
	for i := range h.By {
		c.Part(fmt.Sprintf("by: %s, about %s", reportLine(c, &h.By[i]), accountName(h.By[i].Account)), reportTexts(c, &h.By[i]))
	}
	var lines []string
	if h.Log != nil {
		for _, e := range *h.Log {
			lines = append(lines, c.When(time.Unix(e.Time, 0))+"  "+safe.Line(e.Message))
		}
	}
	historyPart(c, "log", lines)
	lines = nil
	for _, n := range h.Names {
		lines = append(lines, "until "+c.When(n.Until.Time)+"  "+safe.Line(n.Nickname)+", "+safe.Line(n.DisplayName))
	}
	historyPart(c, "earlier names", lines)
	if m := h.MailDomain; m != nil {
		historyPart(c, "others with mail at "+safe.Line(m.Domain), neighbours(m.Users, m.More))
	}
	if i := h.Invite; i != nil {
		historyPart(c, fmt.Sprintf("others of invite %d", i.ID), neighbours(i.Users, i.More))
	}
}

func neighbours(users []api.AdminUser, more bool) []string {
	var lines []string
	for _, u := range users {
		lines = append(lines, safe.Line(u.Nickname)+", "+userState(u))
	}
	if more {
		lines = append(lines, "and more")
	}
	return lines
}

func historyPart(c *output.Card, title string, lines []string) {
	if len(lines) > 0 {
		c.Part(title, strings.Join(lines, "\n"))
	}
}

func countsText(n api.ReportCounts) string {
	return fmt.Sprintf("%d open, %d closed, %d resolved", n.Open, n.Closed, n.Resolved)
}

// reportLine is a report with its state and who decided on it, in one line.
func reportLine(c *output.Card, r *api.AdminReport) string {
	facts := []string{"report/" + r.ID, c.When(r.CreatedAt.Time), r.State}
	if text := decisionText(c, r); text != "" {
		facts[2] += " " + text
	}
	return strings.Join(append(facts, counted(len(r.Statuses), "post", "posts")), ", ")
}

// decisionText says who changed the state of a report last, and when.
func decisionText(c *output.Card, r *api.AdminReport) string {
	d := r.Svc.Decided
	switch {
	case d == nil:
		return ""
	case d.Nickname == "":
		return "since " + c.When(cli.Deref(d.At).Time)
	}
	return "by " + safe.Line(d.Nickname) + " " + c.When(cli.Deref(d.At).Time)
}

func reportTexts(c *output.Card, r *api.AdminReport) string {
	var lines []string
	if r.Content != nil && *r.Content != "" {
		lines = append(lines, safe.HTML(*r.Content).String())
	}
	for _, n := range r.Notes {
		lines = append(lines, fmt.Sprintf("note by %s, %s: %s", accountName(n.User), c.When(n.CreatedAt.Time), safe.Line(n.Content)))
	}
	return strings.Join(lines, "\n")
}

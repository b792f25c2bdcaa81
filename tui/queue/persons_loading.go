package queue

import (
	"context"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/safe"
	"svc/tui/desk"
	"svc/tui/draw"
	"svc/tui/keys"
	"svc/tui/shown"
	"svc/tui/tables"
)

// userLoaded is an account with its latest statuses.
type userLoaded struct {
	queue *Reports
	nick  string
	user  *shown.Person
	posts []shown.Post
	err   error
}

func (msg userLoaded) Deliver(m *desk.Env) tea.Cmd { return msg.queue.personRead(m, msg) }

// readUser reads an account and its latest statuses, as far as that is allowed.
// Without the account it is known as far as its statuses tell.
func (r *Reports) readUser(m *desk.Env, nick string) tea.Cmd {
	account, posts := m.Rights.Opens(tables.Find(string(keys.Users))), m.Rights.Has(tables.NeedsStatuses)
	c, msg := m.Load.C, userLoaded{queue: r, nick: nick}
	return m.Load.Run(func(ctx context.Context) tea.Msg {
		if account {
			found, err := c.Admin.Users.Get(ctx, nick)
			if err != nil {
				msg.err = err
				return msg
			}
			msg.user = shown.NewUser(*found)
		}
		if !posts {
			return msg
		}
		statuses, err := c.Admin.Statuses.OfUser(nick, api.StatusQuery{Godmode: true, PageSize: 40}).Page(ctx)
		if err != nil && !errors.Is(err, client.ErrNotFound) {
			msg.err = err
			return msg
		}
		for i, s := range statuses.Items {
			if i == 0 {
				seen := shown.NewPerson(s.Account)
				if msg.user == nil {
					msg.user = &seen
				}
				msg.user.Joined, msg.user.Followers, msg.user.Posts, msg.user.Bio, msg.user.Listed = seen.Joined, seen.Followers, seen.Posts, seen.Bio, false
			}
			msg.posts = append(msg.posts, shown.NewPost(s.Status))
		}
		return msg
	})
}

// recordRead is the record of an account: what was done to it.
type recordRead struct {
	queue *Reports
	record
}

func (msg recordRead) Deliver(m *desk.Env) tea.Cmd { return msg.queue.recordRead(m, msg.record) }

// readRecord reads what the server knows of an account, where that is allowed, and the
// entries of the journal. A server without histories is asked for its log.
func (r *Reports) readRecord(m *desk.Env, nick string) tea.Cmd {
	const newest = 40
	c, book, log, past := m.Load.C, m.Journal, m.Rights.Has(tables.NeedsLog), m.Rights.Has(tables.NeedsReports)
	return m.Load.Run(func(ctx context.Context) tea.Msg {
		msg := recordRead{queue: r, record: record{nick: nick}}
		msg.own, _, msg.err = book.Entries()
		if past {
			switch found, err := c.Admin.Users.History(ctx, nick); {
			case err == nil:
				msg.past = shown.NewHistory(*found)
				msg.log = msg.past.Log
				return msg
			case !errors.Is(err, client.ErrNotFound):
				msg.err = err
				return msg
			}
		}
		if !log {
			return msg
		}
		mention := "@" + nick
		page, err := c.Admin.Log.List(api.LogQuery{Search: mention, PageSize: newest}).Page(ctx)
		if err != nil {
			msg.err = err
			return msg
		}
		for _, e := range page.Items {
			if entry := shown.NewEntry(e); slices.Contains(entry.Users, nick) || action.Mentions(e.Message, mention) {
				msg.log = append(msg.log, entry)
			}
		}
		return msg
	})
}

// found is the account that another object led to.
type found struct {
	queue  *Reports
	person shown.Person
	err    error
}

func (msg found) Deliver(m *desk.Env) tea.Cmd {
	if msg.err != nil {
		m.Say(draw.InkBad, shown.Wording(msg.err).String())
		return nil
	}
	return msg.queue.openPerson(m, msg.person)
}

// aboutReport opens the account that a report is about.
func (r *Reports) aboutReport(m *desk.Env, id string) tea.Cmd {
	if row, known := r.Row(id); known {
		return r.openPerson(m, r.about(row))
	}
	c := m.Load.C
	return m.Load.Run(func(ctx context.Context) tea.Msg {
		report, err := c.Admin.Reports.Get(ctx, id)
		if err != nil {
			return found{err: err}
		}
		return found{queue: r, person: shown.NewReport(*report).About}
	})
}

// byStatus opens the author of a status.
func (r *Reports) byStatus(m *desk.Env, id string) tea.Cmd {
	c := m.Load.C
	return m.Load.Run(func(ctx context.Context) tea.Msg {
		s, err := c.Admin.Statuses.Get(ctx, id)
		if err != nil {
			return found{err: err}
		}
		return found{queue: r, person: shown.NewPerson(s.Account)}
	})
}

// personRead takes the account of a page.
func (r *Reports) personRead(m *desk.Env, msg userLoaded) tea.Cmd {
	page := r.pages[msg.nick]
	if page == nil {
		return nil
	}
	if msg.err != nil {
		page.failed = shown.Wording(msg.err)
		m.Say(draw.InkBad, page.failed.String())
		if msg.user == nil {
			return m.Trouble(msg.err)
		}
	}
	if before := page.user; before != nil && msg.user != nil && msg.user.Listed {
		// The list of users lacks what a report knows.
		msg.user.Joined, msg.user.Followers, msg.user.Posts, msg.user.Bio = before.Joined, before.Followers, before.Posts, before.Bio
	}
	page.posts = msg.posts
	if msg.user == nil {
		if page.user == nil && msg.err == nil {
			page.failed = safe.Own("accounts are not among your privileges, and there are no posts by this one")
		}
		return nil
	}
	page.user = msg.user
	return nil
}

func (r *Reports) recordRead(m *desk.Env, d record) tea.Cmd {
	if page := r.pages[d.nick]; page != nil {
		page.record = d
	}
	if d.err != nil {
		m.Say(draw.InkBad, "history of "+shown.Acct(d.nick).String()+": "+shown.Wording(d.err).String())
	}
	return nil
}

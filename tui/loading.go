package tui

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client"
	"svc/client/action"
	"svc/client/api"
	"svc/client/journal"
	"svc/client/safe"
	"svc/tui/list"
	"svc/tui/shown"
)

// The messages with loaded objects. gen is the number of their query: an answer
// to an earlier one is dropped.

type reportsLoaded struct {
	gen     int
	page    int
	total   int
	rows    []list.Row
	reports []*shown.Report
	err     error
}

type reportLoaded struct {
	id     string
	report *shown.Report
	err    error
}

type usersLoaded struct {
	gen   int
	page  int
	total int
	rows  []list.Row
	users []*shown.Person
	err   error
}

type userLoaded struct {
	nick  string
	user  *shown.Person
	posts []shown.Post
	err   error
}

type logLoaded struct {
	gen     int
	page    int
	rows    []list.Row
	entries []shown.Entry
	err     error
}

// polled is the answer of one poll.
type polled struct {
	gen     int
	newest  []*shown.Report
	rows    []list.Row
	total   int
	all     int // reports in any state, -1 when not asked
	entries []shown.Entry
	err     error
}

// introduced is the answer to the questions of the start: our account, and the staff.
type introduced struct {
	me     safe.Safe
	nick   string
	rights rights
	staff  []string
	err    error
}

const (
	pageSize     = 100
	pollSize     = 20
	requestLimit = 40 * time.Second
)

// loader makes the commands that read from the server.
type loader struct {
	ctx   context.Context
	c     *client.Client
	trace *trace
}

func (l loader) run(load func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(l.ctx, requestLimit)
		defer cancel()
		from := l.trace.loading()
		msg := load(ctx)
		l.trace.loaded(msg, from)
		return msg
	}
}

func (l loader) reports(gen int, state string, page int) tea.Cmd {
	return l.run(func(ctx context.Context) tea.Msg {
		msg := reportsLoaded{gen: gen, page: page}
		found, err := l.c.Admin.Reports.List(api.ReportQuery{State: state, Page: page, PageSize: pageSize}).Page(ctx)
		if err != nil {
			msg.err = err
			return msg
		}
		msg.total = found.Total
		msg.rows, msg.reports = reportRows(found.Items)
		return msg
	})
}

func reportRows(found []api.AdminReport) (rows []list.Row, reports []*shown.Report) {
	for _, r := range found {
		reports = append(reports, shown.NewReport(r))
		rows = append(rows, reportRow(reports[len(reports)-1]))
	}
	return rows, reports
}

func (l loader) report(id string) tea.Cmd {
	return l.run(func(ctx context.Context) tea.Msg {
		found, err := l.c.Admin.Reports.Get(ctx, id)
		if err != nil {
			return reportLoaded{id: id, err: err}
		}
		return reportLoaded{id: id, report: shown.NewReport(*found)}
	})
}

func (l loader) users(gen int, f list.Filter, page int) tea.Cmd {
	return l.run(func(ctx context.Context) tea.Msg {
		msg := usersLoaded{gen: gen, page: page}
		query := api.UserQuery{Filters: f.State, Page: page, PageSize: pageSize}
		if f.Domain != "" {
			query.Query = f.Domain
		}
		if len(f.Words) > 0 {
			query.Query = f.Words[0] // the server takes one; the rest is filtered here
		}
		found, err := l.c.Admin.Users.List(query).Page(ctx)
		if err != nil {
			msg.err = err
			return msg
		}
		msg.total = found.Total
		for _, u := range found.Items {
			p := shown.NewUser(u)
			msg.users = append(msg.users, p)
			msg.rows = append(msg.rows, userRow(p))
		}
		return msg
	})
}

// user reads an account, and with posts its latest statuses. Without account it is
// known as far as its posts tell.
func (l loader) user(nick string, account, posts bool) tea.Cmd {
	return l.run(func(ctx context.Context) tea.Msg {
		msg := userLoaded{nick: nick}
		if account {
			found, err := l.c.Admin.Users.Get(ctx, nick)
			if err != nil {
				return userLoaded{nick: nick, err: err}
			}
			msg.user = shown.NewUser(*found)
		}
		if !posts {
			return msg
		}
		statuses, err := l.c.Admin.Statuses.OfUser(nick, api.StatusQuery{Godmode: true, PageSize: 40}).Page(ctx)
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
				msg.user.Joined, msg.user.Followers, msg.user.Posts, msg.user.Bio = seen.Joined, seen.Followers, seen.Posts, seen.Bio
			}
			msg.posts = append(msg.posts, shown.NewPost(s.Status))
		}
		return msg
	})
}

// dossier reads what is known of an account beside its profile; its lines of the log
// where that is allowed.
func (l loader) dossier(nick string, book *journal.Journal, log bool) tea.Cmd {
	const newest = 40
	return l.run(func(ctx context.Context) tea.Msg {
		d := dossier{nick: nick}
		if d.own, _, d.err = book.Entries(); !log {
			return d
		}
		mention := "@" + nick
		page, err := l.c.Admin.Log.List(api.LogQuery{Search: mention, PageSize: newest}).Page(ctx)
		if err != nil {
			d.err = err
			return d
		}
		for _, e := range page.Items {
			if entry := shown.NewEntry(e); slices.Contains(entry.Users, nick) || action.Mentions(e.Message, mention) {
				d.log = append(d.log, entry)
			}
		}
		return d
	})
}

// aboutReport finds the account that a report is about.
func (l loader) aboutReport(id string) tea.Cmd {
	return l.run(func(ctx context.Context) tea.Msg {
		r, err := l.c.Admin.Reports.Get(ctx, id)
		if err != nil {
			return found{err: err}
		}
		return found{person: shown.NewReport(*r).About}
	})
}

// byStatus finds the author of a status.
func (l loader) byStatus(id string) tea.Cmd {
	return l.run(func(ctx context.Context) tea.Msg {
		s, err := l.c.Admin.Statuses.Get(ctx, id)
		if err != nil {
			return found{err: err}
		}
		return found{person: shown.NewPerson(s.Account)}
	})
}

// waitingCounted is how many accounts await approval.
type waitingCounted struct{ n int }

// waiting counts who awaits approval. A failure leaves the count as it was.
func (l loader) waiting() tea.Cmd {
	return l.run(func(ctx context.Context) tea.Msg {
		n := 0
		// Who was rejected is deactivated, and still counts as unapproved.
		for filter, sign := range map[string]int{"local,need_approval": 1, "local,need_approval,deactivated": -1} {
			found, err := l.c.Admin.Users.List(api.UserQuery{Filters: filter, PageSize: 1}).Page(ctx)
			if err != nil {
				return nil
			}
			n += sign * found.Total
		}
		return waitingCounted{max(0, n)}
	})
}

// resetLink makes a link with which a user chooses a new password.
func (l loader) resetLink(ctx context.Context, nick string) (safe.Safe, error) {
	link, err := l.c.Admin.Users.PasswordReset(ctx, nick)
	if err != nil {
		return safe.Safe{}, err
	}
	return safe.Clean(safe.Raw(link.Link)).OneLine(), nil
}

func (l loader) log(gen int, f list.Filter, page int) tea.Cmd {
	return l.run(func(ctx context.Context) tea.Msg {
		msg := logLoaded{gen: gen, page: page}
		query := api.LogQuery{Page: page, PageSize: pageSize, Search: strings.Join(f.Words, " ")}
		if f.Domain != "" {
			query.UserID = f.Domain // in the log, @ names the actor
		}
		found, err := l.c.Admin.Log.List(query).Page(ctx)
		if errors.Is(err, client.ErrNotFound) && query.UserID != "" {
			return msg
		}
		if err != nil {
			msg.err = err
			return msg
		}
		for _, e := range found.Items {
			msg.entries = append(msg.entries, shown.NewEntry(e))
			msg.rows = append(msg.rows, entryRow(&msg.entries[len(msg.entries)-1]))
		}
		return msg
	})
}

// poll reads the newest reports, and the newest entries of the log where that
// is allowed.
func (l loader) poll(gen int, state string, countAll, log bool) tea.Cmd {
	return l.run(func(ctx context.Context) tea.Msg {
		msg := polled{gen: gen, all: -1}
		found, err := l.c.Admin.Reports.List(api.ReportQuery{State: state, PageSize: pollSize}).Page(ctx)
		if err != nil {
			msg.err = err
			return msg
		}
		msg.total = found.Total
		msg.rows, msg.newest = reportRows(found.Items)
		if log {
			entries, err := l.c.Admin.Log.List(api.LogQuery{PageSize: pollSize}).Page(ctx)
			if err != nil && !errors.Is(err, client.ErrForbidden) { // as a moderator hears at the start
				msg.err = err
				return msg
			}
			if err == nil {
				for _, e := range entries.Items {
					msg.entries = append(msg.entries, shown.NewEntry(e))
				}
			}
		}
		if countAll {
			count, err := l.c.Admin.Reports.List(api.ReportQuery{PageSize: 1}).Page(ctx)
			if err != nil {
				msg.err = err
				return msg
			}
			msg.all = count.Total
		}
		return msg
	})
}

// follow listens to the stream of moderation until ctx ends. Polls then read
// the changes at once: only they keep the position of the person.
func (l loader) follow(ctx context.Context) <-chan heard {
	news := make(chan heard)
	tell := func(h heard) {
		select {
		case news <- h:
		case <-ctx.Done():
		}
	}
	go func() {
		connected := func(up bool) { tell(heard{live: up}) }
		for e, err := range l.c.Streams.Follow(ctx, api.StreamQuery{Stream: api.StreamModeration}, "", connected) {
			tell(heard{live: err == nil, over: err != nil, people: e.Name == api.EventRegistration})
		}
	}()
	return news
}

// touch asks for no more than an answer.
func (l loader) touch() tea.Cmd {
	return l.run(func(ctx context.Context) tea.Msg {
		_, err := l.c.Accounts.Verify(ctx)
		return polled{gen: -1, all: -1, err: err}
	})
}

func (l loader) introduce() tea.Cmd {
	return l.run(func(ctx context.Context) tea.Msg {
		me, err := l.c.Accounts.Verify(ctx)
		if err != nil {
			return introduced{err: err}
		}
		msg := introduced{me: shown.Acct(me.Acct), nick: me.Acct}
		if len(me.Svc.Privileges) > 0 { // else an account with no rights at all: the server says why
			msg.rights.may = me.May
		}
		if !me.May(api.PrivilegeUsersRead) {
			return msg
		}
		for _, role := range []string{"is_admin", "is_moderator"} {
			found, err := l.c.Admin.Users.List(api.UserQuery{Filters: "local," + role, PageSize: pageSize}).Page(ctx)
			if err != nil {
				msg.err = err
				return msg
			}
			for _, u := range found.Items {
				msg.staff = append(msg.staff, u.Nickname)
			}
		}
		return msg
	})
}

// wording is an error for people: the server's message, or that it does not
// answer.
func wording(err error) safe.Safe {
	var refusal *client.Error
	var failure *client.TransportError
	switch {
	case errors.As(err, &refusal):
		return safe.Clean(safe.Raw(fmt.Sprintf("%s (%d)", refusal.Message, refusal.Status))).OneLine()
	case errors.As(err, &failure):
		return safe.Clean(safe.Raw("no answer: " + failure.Err.Error())).OneLine()
	}
	return safe.Clean(safe.Raw(err.Error())).OneLine()
}

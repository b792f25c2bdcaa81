package tui

import (
	"context"
	"errors"
	"strings"
	"svc/client"
	"svc/client/api"
	"svc/tui/list"
	"svc/tui/shown"

	tea "github.com/charmbracelet/bubbletea"
)

type usersLoaded struct {
	users *users
	gen   int
	page  int
	total int
	rows  []list.Row
	err   error
}

func (msg usersLoaded) deliver(m *model) tea.Cmd { return msg.users.loaded(m, msg) }

func (u *users) read(m *model) tea.Cmd {
	c, f, msg := m.load.c, u.filter, usersLoaded{users: u, gen: u.gen, page: u.page}
	return m.load.run(func(ctx context.Context) tea.Msg {
		query := api.UserQuery{Filters: f.State, Page: msg.page, PageSize: pageSize}
		if f.Domain != "" {
			query.Query = f.Domain
		}
		if len(f.Words) > 0 {
			query.Query = f.Words[0] // the server takes one; the rest is filtered here
		}
		found, err := c.Admin.Users.List(query).Page(ctx)
		if err != nil {
			msg.err = err
			return msg
		}
		msg.total = found.Total
		for _, found := range found.Items {
			msg.rows = append(msg.rows, userRow(shown.NewUser(found)))
		}
		return msg
	})
}

type logLoaded struct {
	log  *logs
	gen  int
	page int
	rows []list.Row
	err  error
}

func (msg logLoaded) deliver(m *model) tea.Cmd { return msg.log.loaded(m, msg) }

func (l *logs) read(m *model) tea.Cmd {
	c, f, msg := m.load.c, l.filter, logLoaded{log: l, gen: l.gen, page: l.page}
	return m.load.run(func(ctx context.Context) tea.Msg {
		query := api.LogQuery{Page: msg.page, PageSize: pageSize, Search: strings.Join(f.Words, " ")}
		if f.Domain != "" {
			query.UserID = f.Domain // in the log, @ names the actor
		}
		found, err := c.Admin.Log.List(query).Page(ctx)
		if errors.Is(err, client.ErrNotFound) && query.UserID != "" {
			return msg
		}
		if err != nil {
			msg.err = err
			return msg
		}
		for _, e := range found.Items {
			entry := shown.NewEntry(e)
			msg.rows = append(msg.rows, entryRow(&entry))
		}
		return msg
	})
}

package desk

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"svc/client"
	"svc/client/api"
	"svc/client/safe"
	"svc/tui/keys"
	"svc/tui/shown"
	"svc/tui/tables"
)

// The messages with loaded objects. gen is the number of their query: an answer
// to an earlier one is dropped.

// introduced is the answer to the questions of the start: our account, and the staff.
type introduced struct {
	me     safe.Safe
	nick   string
	rights keys.Rights
	staff  []string
	err    error
}

const (
	PageSize     = 100
	PollSize     = 20
	requestLimit = 40 * time.Second
)

// loader makes the commands that read from the server.
type loader struct {
	Ctx context.Context
	C   *client.Client
	// Watch, when set, hears that a request begins; what it returns takes the answer.
	Watch func() func(answer tea.Msg)
}

func (l loader) Run(load func(context.Context) tea.Msg) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(l.Ctx, requestLimit)
		defer cancel()
		if l.Watch == nil {
			return load(ctx)
		}
		answered := l.Watch()
		msg := load(ctx)
		answered(msg)
		return msg
	}
}

// waitingCounted is how much work waits on a table.
type waitingCounted struct {
	noun string
	n    int
}

// waiting counts the work that waits on a table. A failure leaves the count as it was.
func (l loader) waiting(n *tables.Noun) tea.Cmd {
	return l.Run(func(ctx context.Context) tea.Msg {
		count, err := n.Waiting(ctx, l.C)
		if err != nil {
			return nil
		}
		return waitingCounted{n.Name, count}
	})
}

// follow listens to the stream of moderation until ctx ends. Polls then read
// the changes at once: only they keep the position of the person.
func (l loader) follow(ctx context.Context) <-chan Heard {
	news := make(chan Heard)
	tell := func(h Heard) {
		select {
		case news <- h:
		case <-ctx.Done():
		}
	}
	go func() {
		connected := func(up bool) { tell(Heard{live: up}) }
		for e, err := range l.C.Streams.Follow(ctx, api.StreamQuery{Stream: api.StreamModeration}, "", connected) {
			tell(Heard{live: err == nil, Over: err != nil, people: e.Name == api.EventRegistration})
		}
	}()
	return news
}

func (l loader) introduce() tea.Cmd {
	return l.Run(func(ctx context.Context) tea.Msg {
		me, err := l.C.Accounts.Verify(ctx)
		if err != nil {
			return introduced{err: err}
		}
		msg := introduced{me: shown.Acct(me.Acct), nick: me.Acct}
		if len(me.Svc.Privileges) > 0 { // else an account with no rights at all: the server says why
			msg.rights.May = me.May
		}
		if !me.May(api.PrivilegeUsersRead) {
			return msg
		}
		for _, role := range []string{"is_admin", "is_moderator"} {
			found, err := l.C.Admin.Users.List(api.UserQuery{Filters: "local," + role, PageSize: PageSize}).Page(ctx)
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

// polled is the answer of one poll.
type polled struct {
	takes   []func(m *Env) tea.Cmd // of the observers
	counted bool
	entries []shown.Entry
	err     error
}

// poll carries out the requests of observers, and reads the newest entries of the
// log where that is allowed.
func (l loader) poll(looks []Query, count, log bool) tea.Cmd {
	return l.Run(func(ctx context.Context) tea.Msg {
		msg := polled{counted: count}
		for _, look := range looks {
			take, err := look(ctx)
			if err != nil {
				return polled{err: err}
			}
			msg.takes = append(msg.takes, take)
		}
		if !log {
			return msg
		}
		entries, err := l.C.Admin.Log.List(api.LogQuery{PageSize: PollSize}).Page(ctx)
		if err != nil && !errors.Is(err, client.ErrForbidden) { // as a moderator hears at the start
			return polled{err: err}
		}
		if err == nil {
			for _, e := range entries.Items {
				msg.entries = append(msg.entries, shown.NewEntry(e))
			}
		}
		return msg
	})
}

// touch asks for no more than an answer.
func (l loader) touch(count bool) tea.Cmd {
	return l.Run(func(ctx context.Context) tea.Msg {
		_, err := l.C.Accounts.Verify(ctx)
		return polled{counted: count, err: err}
	})
}

// people finds accounts whose names begin with a part, none where the server does not answer.
func (l loader) people(ctx context.Context, part string) (names []string) {
	const most = 20
	found, err := l.C.Admin.Users.List(api.UserQuery{Query: part, PageSize: most}).Page(ctx)
	if err != nil {
		return nil
	}
	for _, u := range found.Items {
		if strings.HasPrefix(u.Nickname, part) {
			names = append(names, u.Nickname)
		}
	}
	return names
}

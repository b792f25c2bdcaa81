package sshd

import (
	"sync"

	"svc/cmd/svcctl/cli"
)

// rooms share out the memory that commands fill with what they read and build. What
// a small command needs is not counted.
type rooms struct {
	limits Limits

	mu     sync.Mutex
	all    int64
	shares map[string]int64 // by account
}

func newRooms(l Limits) *rooms { return &rooms{limits: l, shares: map[string]int64{}} }

// room is the share of one command.
type room struct {
	of      *rooms
	account string
	used    int64
	shared  int64 // of used, what is taken from the others
}

func (r *rooms) enter(account string) *room { return &room{of: r, account: account} }

// freeRoom is how much a command has to itself, in bytes.
const freeRoom = 256 << 10

// take adds to the share, or says why it may not.
func (m *room) take(bytes int) error {
	r := m.of
	r.mu.Lock()
	defer r.mu.Unlock()
	used := m.used + int64(bytes)
	more := max(used-freeRoom, 0) - m.shared
	switch {
	case used > r.limits.Room:
		return &cli.UsageError{Message: "this is too much for a command over SSH", Hint: "ask for less at a time, or use svcctl on a machine of your own"}
	case more > 0 && (r.all+more > r.limits.Rooms || r.shares[m.account]+more > r.limits.Rooms/4*3):
		return errCrowded
	}
	m.used, m.shared = used, m.shared+more
	r.all += more
	r.shares[m.account] += more
	return nil
}

// leave gives all of it back.
func (m *room) leave() {
	r := m.of
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all -= m.shared
	if r.shares[m.account] -= m.shared; r.shares[m.account] == 0 {
		delete(r.shares, m.account)
	}
	m.used, m.shared = 0, 0
}

const errCrowded = notice("Other commands need the memory that is left for those over SSH. Try again in a while.")

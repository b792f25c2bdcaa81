package signup_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/jobs"
	"svc/server/rules/signup"
)

// root is an admin with the right to invite.
var root = &db.Account{IsAdmin: true}

// clock is a clock moved by hand.
type clock struct {
	start time.Time
	moved atomic.Int64
}

func (c *clock) now() time.Time { return c.start.Add(time.Duration(c.moved.Load())) }

func (c *clock) pass(d time.Duration) { c.moved.Add(int64(d)) }

// settings changes the settings of the world.
func (w *world) settings(edit func(*config.Settings)) {
	w.t.Helper()
	s := *w.live.Load()
	edit(&s)
	if err := w.live.Swap(s); err != nil {
		w.t.Fatal(err)
	}
}

// waiting returns the arguments of the queued jobs, by kind.
func (w *world) waiting() map[string][]string {
	w.t.Helper()
	args := "args"
	if w.db.Dialect() == db.SQLite {
		args = "json(args)" // which is kept in binary form
	}
	rows, err := w.db.Writer().QueryContext(w.t.Context(), "SELECT kind, "+args+" FROM river_job ORDER BY id")
	if err != nil {
		w.t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	out := map[string][]string{}
	for rows.Next() {
		var kind string
		var args []byte
		if err := rows.Scan(&kind, &args); err != nil {
			w.t.Fatal(err)
		}
		out[kind] = append(out[kind], string(args))
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return out
}

// work does the jobs in the queue, mail included.
func (w *world) work() {
	w.t.Helper()
	waiting := w.waiting()
	if _, err := w.db.Writer().ExecContext(w.t.Context(), "DELETE FROM river_job"); err != nil {
		w.t.Fatal(err)
	}
	for kind, all := range waiting {
		for i, raw := range all {
			id := fmt.Sprintf("%s.%d", kind, i)
			var err error
			switch kind {
			case "send_mail":
				err = w.mail.Send(w.t.Context(), id, args[jobs.SendMail](w, raw))
			case "send_link":
				err = w.SendLink(w.t.Context(), id, args[jobs.SendLink](w, raw))
			case "welcome":
				err = w.Greet(w.t.Context(), args[jobs.Welcome](w, raw))
			default:
				w.t.Errorf("a job %s", kind)
			}
			if err != nil {
				w.t.Errorf("%s: %v", kind, err)
			}
		}
	}
}

func args[T any](w *world, raw string) T {
	w.t.Helper()
	var a T
	if err := json.Unmarshal([]byte(raw), &a); err != nil {
		w.t.Fatal(err)
	}
	return a
}

// mailed are the mails so far, as recipient and subject, sorted.
func (w *world) mailed() []string {
	out := []string{}
	for _, m := range w.box.All() {
		out = append(out, m.EnvelopeTo+": "+m.Subject)
	}
	slices.Sort(out)
	return out
}

// token returns the last part of the link in the newest mail to an address,
// unescaped.
func (w *world) token(address string) string {
	w.t.Helper()
	mails := w.box.To(address)
	if len(mails) == 0 {
		w.t.Fatalf("no mail to %s", address)
	}
	link := mails[len(mails)-1].Link()
	return strings.ReplaceAll(link[strings.LastIndexByte(link, '/')+1:], "%3D", "=")
}

// user makes a confirmed user.
func (w *world) user(in signup.NewUser) *db.Account {
	w.t.Helper()
	a, err := w.CreateUser(w.t.Context(), in)
	if err != nil {
		w.t.Fatal(err)
	}
	return a
}

// register registers an account, which must succeed.
func (w *world) register(nickname string) *signup.Registered {
	w.t.Helper()
	out, err := w.Register(w.t.Context(), w.app, signup.NewAccount{
		Nickname: nickname, Email: nickname + "@example.org", Password: "correct horse", Reason: "to see",
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

// cheap is a stored password hash that costs little to check.
const cheap = "$argon2id$v=19$m=64,t=1,p=1$c3ZjJ3MgdGVzdCB1c2Vycw$SV2TxZXGtLDw+UDHFZ+siol9ronv+ZvW9oZmas+UaXc"

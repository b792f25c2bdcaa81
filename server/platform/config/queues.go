package config

import (
	"math/bits"
	"strconv"
	"strings"
	"time"

	"svc/client/settings/term"
)

// Queues are those of Oban: the concurrent jobs of each kind in a process.
type Queues struct {
	Background  int // jobs without a queue of their own
	Mailer      int
	Backup      int
	Scheduled   int // scheduled statuses
	Expiration  int // expiring statuses
	Attachments int // orphaned files
	Fetcher     int // pages of other servers
	Push        int // messages to the devices of users
	Outgoing    int // activities that are sent to other servers
	Incoming    int // activities that other servers sent
}

// Retries are the numbers of attempts.
type Retries struct {
	Outgoing int // deliveries; standardTries means the built-in schedule
	Incoming int // inbox items
}

// standardTries is the default known to clients.
const standardTries = 5

// Limit returns the configured number of tries of a delivery, 0 for the
// built-in schedule.
func (r Retries) Limit() int {
	if r.Outgoing == standardTries {
		return 0
	}
	return r.Outgoing
}

// A Cron is a scheduled module: times in UTC, and the module to run.
type Cron struct {
	Schedule Schedule
	Module   string
}

// Timetable returns the readable entries of the crontab.
func (s *Settings) Timetable() []Cron {
	list, _ := s.Crontab.Items()
	var out []Cron
	for _, item := range list {
		if c, ok := cron(item); ok {
			out = append(out, c)
		}
	}
	return out
}

func cron(t term.Term) (Cron, bool) {
	pair, ok := items(t, 2)
	if !ok {
		return Cron{}, false
	}
	when, ok1 := pair[0].Text()
	module, ok2 := pair[1].Text()
	schedule, ok3 := ParseSchedule(when)
	return Cron{schedule, module}, ok1 && ok2 && ok3
}

func queueSettings() []Setting {
	queue := func(name string, standard int, field func(*Queues) *int, description string) Setting {
		return row("Oban", ":queues "+name, Integer, standard, func(s *Settings) any { return field(&s.Queues) }, description).between(1, 1000)
	}
	crontab := row("Oban", ":crontab", Any, term.ListOf(
		term.TupleOf(term.String("0 0 * * 0"), term.Module("Svc.Workers.Cron.DigestEmailsWorker")),
		term.TupleOf(term.String("0 0 * * *"), term.Module("Svc.Workers.Cron.NewUsersDigestWorker")),
	), func(s *Settings) any { return &s.Crontab }, "Jobs by the clock: pairs of a time in UTC, as in crontabs, and a module")
	crontab.takes = "a list of tuples of a time such as 0 0 * * 0 and a module"
	crontab.check = func(value any) bool {
		t, _ := value.(term.Term)
		list, ok := t.Items()
		for _, item := range list {
			_, sound := cron(item)
			ok = ok && sound
		}
		return ok
	}
	return []Setting{
		queue(":background", 5, func(q *Queues) *int { return &q.Background }, "Other jobs that run at once"),
		queue(":mailer", 10, func(q *Queues) *int { return &q.Mailer }, "Jobs at once that send mail"),
		queue(":backup", 1, func(q *Queues) *int { return &q.Backup }, "Jobs at once that make archives"),
		queue(":scheduled_activities", 10, func(q *Queues) *int { return &q.Scheduled }, "Jobs at once that post what was scheduled"),
		queue(":activity_expiration", 10, func(q *Queues) *int { return &q.Expiration }, "Jobs at once that delete posts with an end"),
		queue(":attachments_cleanup", 5, func(q *Queues) *int { return &q.Attachments }, "Jobs at once that delete files"),
		queue(":remote_fetcher", 2, func(q *Queues) *int { return &q.Fetcher }, "Jobs at once that fetch pages of other servers"),
		queue(":web_push", 50, func(q *Queues) *int { return &q.Push }, "Jobs at once that send push messages"),
		queue(":federator_incoming", 50, func(q *Queues) *int { return &q.Incoming }, "Activities of other servers that are processed at once; at most a quarter from one server"),
		row(":workers", ":retries :federator_incoming", Integer, standardTries, func(s *Settings) any { return &s.Retries.Incoming },
			"How often taking an activity is tried").between(1, 1000),
		queue(":federator_outgoing", 50, func(q *Queues) *int { return &q.Outgoing }, "Calls at once that bring activities to other servers; 4 at most to one"),
		row(":workers", ":retries :federator_outgoing", Integer, standardTries, func(s *Settings) any { return &s.Retries.Outgoing },
			"How often sending an activity is tried; 5, the default, stands for a schedule of nine times in three days").between(1, 1000),
		crontab,
	}
}

// A Schedule is the times of a crontab entry: minute, hour, day of the month,
// month and day of the week, each a set of bits.
type Schedule struct {
	minutes, hours, days, months, weekdays uint64
	// If both kinds of days are given, either suffices.
	anyDay, anyWeekday bool
}

// ParseSchedule parses five fields, each *, a number, a range or a list of
// those, with an optional /step, or a word such as @daily.
func ParseSchedule(text string) (Schedule, bool) {
	switch text {
	case "@hourly":
		text = "0 * * * *"
	case "@daily", "@midnight":
		text = "0 0 * * *"
	case "@weekly":
		text = "0 0 * * 0"
	case "@monthly":
		text = "0 0 1 * *"
	case "@yearly", "@annually":
		text = "0 0 1 1 *"
	}
	fields := strings.Fields(text)
	if len(fields) != 5 {
		return Schedule{}, false
	}
	var s Schedule
	ok := true
	read := func(i int, least, most int, names string) uint64 {
		set, sound := cronField(fields[i], least, most, strings.Fields(names))
		ok = ok && sound
		return set
	}
	s.minutes, s.hours = read(0, 0, 59, ""), read(1, 0, 23, "")
	s.days = read(2, 1, 31, "")
	s.months = read(3, 1, 12, "jan feb mar apr may jun jul aug sep oct nov dec")
	s.weekdays = read(4, 0, 7, "sun mon tue wed thu fri sat")
	if s.weekdays&(1<<7) != 0 { // Sunday again
		s.weekdays |= 1
	}
	s.anyDay, s.anyWeekday = fields[2][0] == '*', fields[4][0] == '*'
	if !ok || s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return Schedule{}, false
	}
	return s, true
}

// cronField parses one field as a set of bits. The names are numbers from least
// on.
func cronField(field string, least, most int, names []string) (uint64, bool) {
	number := func(text string) (int, bool) {
		for i, name := range names {
			if strings.EqualFold(text, name) {
				return least + i, true
			}
		}
		n, err := strconv.Atoi(text)
		return n, err == nil && n >= least && n <= most
	}
	var set uint64
	for part := range strings.SplitSeq(field, ",") {
		span, stride, stepped := strings.Cut(part, "/")
		from, to, step := least, most, 1
		if span != "*" {
			first, last, isRange := strings.Cut(span, "-")
			var ok bool
			if from, ok = number(first); !ok {
				return 0, false
			}
			switch {
			case isRange:
				if to, ok = number(last); !ok || to < from {
					return 0, false
				}
			case !stepped:
				to = from
			}
		}
		if stepped {
			var err error
			if step, err = strconv.Atoi(stride); err != nil || step < 1 {
				return 0, false
			}
		}
		for n := from; n <= to; n += step {
			set |= 1 << n
		}
	}
	return set, bits.OnesCount64(set) > 0
}

// Next returns the first time of the schedule after t, in UTC; the zero time if
// there is none within five years.
func (s Schedule) Next(t time.Time) time.Time {
	t = t.UTC().Truncate(time.Minute).Add(time.Minute)
	for end := t.AddDate(5, 0, 0); t.Before(end); {
		year, month, day := t.Date()
		switch {
		case s.months&(1<<month) == 0:
			t = time.Date(year, month+1, 1, 0, 0, 0, 0, time.UTC)
		case !s.onDay(t):
			t = time.Date(year, month, day+1, 0, 0, 0, 0, time.UTC)
		case s.hours&(1<<t.Hour()) == 0:
			t = t.Truncate(time.Hour).Add(time.Hour)
		case s.minutes&(1<<t.Minute()) == 0:
			t = t.Add(time.Minute)
		default:
			return t
		}
	}
	return time.Time{}
}

func (s Schedule) onDay(t time.Time) bool {
	day, weekday := s.days&(1<<t.Day()) != 0, s.weekdays&(1<<t.Weekday()) != 0
	if s.anyDay || s.anyWeekday {
		return day && weekday
	}
	return day || weekday
}

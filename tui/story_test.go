package tui

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"svc/client/api"
	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// mixedQueue is a server with 100 reports of several kinds, in no order: what a person would
// do about each stands in its words.
func mixedQueue(t *testing.T) *servertest.Server {
	t.Helper()
	s := servertest.Start(t)
	ctx := t.Context()
	var reporters []string
	for i := range 6 {
		reporters = append(reporters, fmt.Sprintf("reporter%d", i))
	}
	var file []func()
	report := func(account string, comment string, posts ...string) {
		by := reporters[len(file)%len(reporters)]
		file = append(file, func() {
			if _, err := s.Client(by).Reports.Create(ctx, api.NewReport{AccountID: account, StatusIDs: posts, Comment: comment}); err != nil {
				t.Fatal(err)
			}
		})
	}
	post := func(nick, text string) string {
		t.Helper()
		made, err := s.Client(nick).Statuses.Post(ctx, api.NewStatus{Status: text})
		if err != nil {
			t.Fatal(err)
		}
		return made.ID
	}
	for i := range 12 { // 36
		nick := fmt.Sprintf("spammer%d", i)
		one, two := post(nick, "win big"), post(nick, "win more")
		id := s.User(nick).ID
		report(id, "spam", one)
		report(id, "spam in every reply", one, two)
		report(id, "spam again", two)
	}
	for i := range 2 { // 24
		nick := fmt.Sprintf("loud%d", i)
		opinion := post(nick, "an opinion")
		for n := range 12 {
			report(s.User(nick).ID, fmt.Sprint("harmless ", n), opinion)
		}
	}
	for i := range 12 {
		nick := fmt.Sprintf("angry%d", i)
		report(s.User(nick).ID, "threat", post(nick, "I will find you"))
	}
	for i := range 8 {
		report(s.User(fmt.Sprintf("adm1n%d", i)).ID, "impersonation of staff")
	}
	// Rude for the first time, and rude again after others were decided on.
	for i := range 5 {
		report(s.User(fmt.Sprintf("new%d", i)).ID, "rude to me")
		again := s.User(fmt.Sprintf("again%d", i)).ID
		report(again, "rude to me")
		for _, state := range []string{"resolved", "closed"} {
			earlier, err := s.Client("earlier").Reports.Create(ctx, api.NewReport{AccountID: again, Comment: "rude"})
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Admin("root").Admin.Reports.Update(ctx, api.ReportUpdate{ID: earlier.ID, State: state}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i := range 3 { // two are deleted before anybody looks, one is edited
		nick := fmt.Sprintf("sorry%d", i)
		id := post(nick, "I will find you")
		report(s.User(nick).ID, "vanished", id)
		file = append(file[:len(file)-1], func(file func()) func() {
			return func() {
				file()
				var err error
				if i == 2 {
					_, err = s.Client(nick).Statuses.Edit(ctx, id, api.StatusForm{Status: "I will find you a present"})
				} else {
					_, err = s.Client(nick).Statuses.Delete(ctx, id)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}(file[len(file)-1]))
	}
	// The same words, which the thread alone decides.
	for nick, before := range map[string]string{"stalker": "@victim I know where you live", "player": "@victim another round of chess at my place?"} {
		first, err := s.Client(nick).Statuses.Post(ctx, api.NewStatus{Status: before})
		if err != nil {
			t.Fatal(err)
		}
		last, err := s.Client(nick).Statuses.Post(ctx, api.NewStatus{Status: "see you tonight then", InReplyToID: first.ID})
		if err != nil {
			t.Fatal(err)
		}
		report(s.User(nick).ID, "context needed", last.ID)
	}
	for i := range 5 { // of other servers, which take care themselves
		name := fmt.Sprintf("far%d", i)
		uri := "https://far.example/users/" + name
		a := &db.Account{URI: uri, URL: uri, Nickname: name + "@far.example", Domain: "far.example", ActorType: "Person"}
		if err := s.DB.CreateAccount(ctx, a); err != nil {
			t.Fatal(err)
		}
		report(a.ID, "remote: seen")
	}
	if len(file) != 100 {
		t.Fatalf("%d reports", len(file))
	}
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(file), func(i, j int) { file[i], file[j] = file[j], file[i] })
	for _, f := range file {
		f()
	}
	return s
}

// TestAQueueOfAHundredReportsIsWorkedOff reads each report and gives its keys by what the
// screen shows of it: at most two a clear case, three where a message is read first or an
// account is deactivated, and fewer than 200 in all, with those that take everything back.
func TestAQueueOfAHundredReportsIsWorkedOff(t *testing.T) {
	dbtest.Alone(t)
	t.Parallel()
	s := mixedQueue(t)
	d := beginOn(t, s.Admin("mika"), 80, 24, Options{Playbooks: playbooks(t, nil)})
	keys := 0
	press := func(some string) {
		keys += len(some)
		d.press(some)
	}
	root := s.Admin("root")
	count := func(state string) (total int) {
		t.Helper()
		page, err := root.Admin.Reports.List(api.ReportQuery{State: state, PageSize: 1}).Page(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return page.Total
	}
	d.shows("REPORTS open 100")
	answers := map[string]string{"spam": "ps", "harmless": "pd", "threat": "pay", "impersonation": "pi", "remote": "r"}
	for range 400 {
		e, ok := d.queue().Under()
		if !ok {
			break
		}
		r := d.queue()
		_, ghost := r.Ghost(e.Row)
		state, message := "", ""
		for _, row := range r.Sheet().Rows {
			if row[0] == r.ID(e.Row) {
				state, message = row[1], row[6]
			}
		}
		if ghost || state != "open" || d.m.Wish("report/"+r.ID(e.Row)) != "" {
			before := r.UnderID()
			if press("j"); r.UnderID() == before {
				d.pass(10 * time.Second) // the end: what is staged goes
				if strings.HasPrefix(r.Title(d.m.Env), "REPORTS open 0") {
					break
				}
				press("G")
			}
			continue
		}
		kind := strings.Trim(strings.Fields(message)[0], ":")
		keysOf, known := answers[kind]
		switch kind {
		case "rude": // whoever was reported before does not get away with it again
			keysOf, known = "c", true
			if under := lineWith(d.frame(), ">  "); !strings.Contains(under, " 1/1 ") && strings.Contains(under, " 1/3 ") {
				keysOf = "dr"
			}
		case "vanished":
			frame := d.frame()
			known = strings.Contains(frame, "[deleted: author]") || strings.Contains(frame, "[edited since]") && strings.Contains(frame, "when it was reported:")
			if keysOf = "c"; strings.Contains(frame, "I will find you\n") {
				keysOf = "pay"
			}
		case "context":
			press("T")
			frame := d.frame()
			known = strings.Contains(frame, "THREAD") && strings.Contains(frame, "see you tonight then")
			if keysOf = "c"; strings.Contains(frame, "I know where you live") {
				keysOf = "pay"
			}
			press("h")
		}
		if !known {
			t.Fatalf("no answer to %q in\n%s", message, d.frame())
		}
		if len(keysOf) > 2 && !strings.HasSuffix(keysOf, "y") { // its message is read first
			t.Errorf("%s takes %d keys", kind, len(keysOf))
		}
		press(keysOf)
	}
	d.pass(20 * time.Second)
	if open, resolved, closed := count("open"), count("resolved"), count("closed"); open != 0 || resolved != 70+5 || closed != 30+5 {
		t.Fatalf("%d open, %d resolved, %d closed after %d keys\n%s", open, resolved, closed, keys, d.frame())
	}
	users := func(filter string) int {
		t.Helper()
		page, err := root.Admin.Users.List(api.UserQuery{Filters: filter, PageSize: 1}).Page(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return page.Total
	}
	if off := users("deactivated"); off != 12+8+5 {
		t.Errorf("%d accounts are deactivated, want the spammers, impersonators and who was rude before", off)
	}
	for report, err := range root.Admin.Reports.List(api.ReportQuery{}).All(t.Context()) {
		nick := report.Account.Nickname
		for some, want := range map[string]string{"again": "resolved", "new": "closed", "sorry": "resolved", "stalker": "resolved", "player": "closed"} {
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(nick, some) && report.Actor.Nickname != "earlier" && report.State != want {
				t.Errorf("the report about %s is %s, want %s", nick, report.State, want)
			}
		}
	}
	worked := keys

	for range 200 {
		if strings.Contains(d.frame(), "nothing to undo") {
			break
		}
		press("u")
	}
	d.shows("nothing to undo")
	if open := count("open"); open != 100 {
		t.Errorf("%d are open after all is taken back\n%s", open, d.frame())
	}
	if off := users("deactivated"); off != 0 {
		t.Errorf("%d accounts are still deactivated", off)
	}
	notes := 0
	for r, err := range root.Admin.Reports.List(api.ReportQuery{}).All(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		notes += len(r.Notes)
	}
	if notes != 0 {
		t.Errorf("%d notes are left", notes)
	}

	t.Logf("%d keys, %d of them for the queue", keys, worked)
	if keys >= 200 {
		t.Errorf("%d keys, %d of them for the queue", keys, worked)
	}
}

package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/client"
	"svc/client/api"
	"svc/client/journal"
	"svc/tui"
)

// desk is a moderator at the terminal UI, in plain mode, who works by a script.
type desk struct {
	t     *testing.T
	name  string
	state string // folder of outbox and journal
	token string
	lines *io.PipeWriter
	done  chan error
	next  http.RoundTripper

	mu  sync.Mutex
	out strings.Builder

	// looked has the states of a report as they were read. saw has the last two before
	// each write of it: one may be of a note that is sent beside it.
	looked map[string][]string
	saw    map[string][]string

	wished map[string]string // reports that keys were for, with the last wish
	notes  map[string]string // texts of notes, with their reports
	// written is how many notes were typed.
	written int
}

func (d *desk) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.out.Write(p)
}

// RoundTrip records the states of reports that are read before a write.
func (d *desk) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPatch {
		body, err := r.GetBody()
		must(d.t, err)
		var patch api.ReportsPatch
		must(d.t, json.NewDecoder(body).Decode(&patch))
		d.mu.Lock()
		for _, one := range patch.Reports {
			read := d.looked[one.ID]
			d.saw[one.ID] = append(d.saw[one.ID], read[max(0, len(read)-2):]...)
		}
		d.mu.Unlock()
	}
	resp, err := d.next.RoundTrip(r)
	if err != nil || r.Method != http.MethodGet || !strings.HasPrefix(r.URL.Path, "/api/svc/admin/reports/") {
		return resp, err
	}
	text, err := io.ReadAll(resp.Body)
	resp.Body = io.NopCloser(bytes.NewReader(text))
	var report api.AdminReport
	if err == nil && json.Unmarshal(text, &report) == nil {
		d.mu.Lock()
		d.looked[report.ID] = append(d.looked[report.ID], report.State)
		d.mu.Unlock()
	}
	return resp, err
}

func (d *desk) heard(from int) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.out.String()[from:]
}

func sitDown(t *testing.T, p *process, name string) *desk {
	t.Helper()
	d := &desk{t: t, name: name, state: t.TempDir(), token: p.logIn(name), done: make(chan error, 1), looked: map[string][]string{}, saw: map[string][]string{}, wished: map[string]string{}, notes: map[string]string{}}
	d.next = eitherHTTP(p).Transport
	c := good(client.New(base, client.WithToken(d.token), client.WithHTTPClient(&http.Client{Transport: d})))(t)
	in, lines := io.Pipe()
	d.lines = lines
	go func() {
		err := tui.Run(t.Context(), tui.Options{Client: c, Context: "social", StateDir: d.state, In: in, Out: d, Plain: true, Getenv: func(string) string { return "" }})
		_ = in.Close()
		d.done <- err
	}()
	t.Cleanup(func() {
		_ = lines.Close()
		if t.Failed() {
			heard := d.heard(0)
			t.Logf("the last that %s heard:\n%s", name, heard[max(0, len(heard)-2000):])
		}
	})
	d.waits(0, "Command?")
	return d
}

// waits returns the text from an offset on once it has one of the words.
func (d *desk) waits(from int, words ...string) (text string) {
	d.t.Helper()
	eventually(d.t, time.Minute, fmt.Sprintf("%s hears one of %q", d.name, words), func() bool {
		text = d.heard(from)
		return slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
	})
	return text
}

// says types a line, and waits until the program takes the next one. Whatever meets
// the change of somebody else is left to them.
func (d *desk) says(line string) string {
	d.t.Helper()
	for {
		from := len(d.heard(0))
		if _, err := io.WriteString(d.lines, line+"\n"); err != nil {
			d.t.Fatal(err)
		}
		text := d.waits(from, "Command?\n", "keep theirs")
		if !strings.Contains(text, "keep theirs") {
			return text
		}
		line = "keep theirs"
	}
}

var whichReport = regexp.MustCompile(`(?m)^(?:Resolve|Close|Note) (\S+): sent in`)

// fresh is how many reports come at once.
const fresh = 10

// works goes through the open reports from the top: some get a note, all a state.
func (d *desk) works(key, state string, n int) {
	d.t.Helper()
	d.says("go 1")
	for i := range n {
		if i%4 == 1 {
			d.written++
			note := fmt.Sprintf("%s saw this, %d", d.name, d.written)
			if found := whichReport.FindStringSubmatch(d.says("note " + note)); found != nil {
				d.notes[note] = found[1]
			}
		}
		gone := true
		for range fresh { // past those that somebody else was quicker with
			if gone = strings.Contains(d.says("read"), ": gone"); !gone {
				break
			}
			d.says("")
		}
		if gone {
			return
		}
		if found := whichReport.FindStringSubmatch(d.says(key)); found != nil {
			d.wished[found[1]] = state
		}
	}
}

// leaves sends all, and quits.
func (d *desk) leaves() {
	d.t.Helper()
	for {
		from := len(d.heard(0))
		if _, err := io.WriteString(d.lines, "quit\n"); err != nil {
			break
		}
		select {
		case err := <-d.done:
			must(d.t, err)
			return
		case <-time.After(200 * time.Millisecond):
		}
		answer := ""
		switch text := d.heard(from); {
		case strings.Contains(text, "keep theirs"):
			answer = "keep theirs\n"
		case strings.Contains(text, "send and quit"):
			answer = "send\n"
		}
		if answer != "" {
			_, _ = io.WriteString(d.lines, answer)
		}
	}
	must(d.t, <-d.done)
}

// overTCP lets programs reach the socket of p by an address, also after it was
// started again.
func overTCP(t *testing.T, p *process) (address string) {
	t.Helper()
	l := good(net.Listen("tcp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			from, err := l.Accept()
			if err != nil {
				return
			}
			to, err := p.dial(context.Background(), "", "")
			if err != nil {
				_ = from.Close()
				continue
			}
			for _, pair := range [][2]net.Conn{{from, to}, {to, from}} {
				go func() {
					_, _ = io.Copy(pair[0], pair[1])
					_ = pair[0].Close()
				}()
			}
		}
	}()
	return "http://" + l.Addr().String()
}

// cron closes the oldest open reports by the command line, as a cron job would: its
// list goes through a pipe.
type cron struct {
	t      *testing.T
	env    []string
	closed map[string]bool // reports of which the command said that it closed them
	runs   int
}

func (c *cron) closes(n int) {
	c.t.Helper()
	c.runs++
	svcctl := func(in io.Reader, args ...string) string {
		cmd := exec.Command(filepath.Join(filepath.Dir(svcd(c.t)), "svcctl"), args...)
		cmd.Env, cmd.Stdin = c.env, in
		out, _ := cmd.Output() // a job fails while the server is gone, and runs again
		return string(out)
	}
	names := strings.Fields(svcctl(nil, "report", "list", "--state", "open", "--all", "-o", "name"))
	slices.Reverse(names)
	if len(names) == 0 {
		return
	}
	in := strings.NewReader(strings.Join(names[:min(n, len(names))], "\n"))
	out := svcctl(in, "report", "close", "-", "--yes", "--max", "50", "--note", fmt.Sprintf("cron job %d", c.runs), "-o", "jsonl")
	for line := range strings.Lines(out) {
		var result struct{ Target, Action, Result string }
		if err := json.Unmarshal([]byte(line), &result); err != nil {
			c.t.Errorf("%q: %v", line, err)
		}
		if result.Result == "changed" && strings.Contains(result.Action, "close") {
			c.closed[strings.TrimPrefix(result.Target, "report/")] = true
		}
	}
}

// verdict is a line of the log about the state of a report.
type verdict struct {
	By, State string
}

// TestModeratorsAndACronJobWorkOneQueueOfAKilledServer has two terminal UIs and the
// command line judge the same reports, differently, while the server is killed twice,
// amid their requests. Nothing is done twice, nothing is lost, and no choice goes over
// that of somebody else. SVC_TEST_QUEUE is how long they work, at least two kills.
func TestModeratorsAndACronJobWorkOneQueueOfAKilledServer(t *testing.T) {
	t.Parallel()
	long := time.Duration(0)
	if s := os.Getenv("SVC_TEST_QUEUE"); s != "" {
		long = good(time.ParseDuration(s))(t)
	}
	p := newProcess(t, shortDir(t), "")
	for _, admin := range []string{"mika", "tess", "robot"} {
		p.user(admin, "--admin")
	}
	p.user("ann")
	p.user("spam")
	p.start()
	ann := good(client.New(base, client.WithToken(p.logIn("ann")), client.WithHTTPClient(eitherHTTP(p))))(t)
	admin := good(client.New(base, client.WithToken(p.logIn("robot")), client.WithHTTPClient(eitherHTTP(p)), client.WithRetries(5)))(t)
	spam := mustGet(t, ann, "spam").ID
	home := t.TempDir()
	job := &cron{t: t, closed: map[string]bool{}, env: []string{
		"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_STATE_HOME=" + home, "XDG_CACHE_HOME=" + home,
		"SVCCTL_NO_KEYRING=1", "SVCCTL_URL=" + overTCP(t, p), "SVCCTL_TOKEN=" + p.logIn("robot"),
	}}
	mika, tess := sitDown(t, p, "mika"), sitDown(t, p, "tess")

	open := func() int {
		found, err := admin.Admin.Reports.List(api.ReportQuery{State: api.ReportOpen, PageSize: 1}).Page(t.Context())
		must(t, err)
		return found.Total
	}
	judged := func() (newest int64) { // by people: the number of the log's entry
		for _, who := range []string{"mika", "tess"} {
			found, err := admin.Admin.Log.List(api.LogQuery{UserID: who, PageSize: 1}).Page(t.Context())
			must(t, err)
			for _, e := range found.Items {
				newest = max(newest, e.ID)
			}
		}
		return newest
	}
	begin, kills, rounds := time.Now(), 0, 0
	for ; kills < 2 || time.Since(begin) < long; rounds++ {
		for i := range fresh {
			must(t, err1(ann.Reports.Create(t.Context(), api.NewReport{AccountID: spam, Comment: fmt.Sprintf("round %d, report %d", rounds, i)})))
		}
		for _, d := range []*desk{mika, tess} {
			eventually(t, time.Minute, d.name+" sees the new reports", func() bool {
				d.says(".")
				d.says("go 1")
				return strings.Count(d.says("list"), fmt.Sprintf("round %d, report", rounds)) >= fresh-1
			})
		}
		before := judged()
		var work sync.WaitGroup
		work.Go(func() { mika.works("r", "resolved", fresh-2) })
		work.Go(func() { tess.works("c", "closed", fresh-4) })
		work.Go(func() { job.closes(4) })
		if rounds%2 == 0 {
			eventually(t, time.Minute, "a moderator's choice arrives", func() bool { return judged() > before })
			p.kill()
			kills++
			p.start()
		}
		work.Wait()
		eventually(t, time.Minute, "no report is open", func() bool {
			job.closes(fresh)
			return open() == 0
		})
	}
	mika.leaves()
	tess.leaves()

	// What the server has.
	states, notes := map[string]string{}, map[string][]string{}
	for r, err := range admin.Admin.Reports.List(api.ReportQuery{}).All(t.Context()) {
		must(t, err)
		states[r.ID] = r.State
		for _, n := range r.Notes {
			notes[n.Content] = append(notes[n.Content], r.ID)
		}
	}
	changes := map[string][]verdict{}
	for e, err := range admin.Admin.Log.List(api.LogQuery{}).All(t.Context()) {
		must(t, err)
		var subject api.LogSubject
		if e.Data.Action == "report_update" {
			must(t, json.Unmarshal(e.Data.Subject, &subject))
			changes[subject.ID] = append(changes[subject.ID], verdict{e.Data.Actor.Nickname, subject.State})
		}
	}
	if len(states) != rounds*fresh {
		t.Errorf("%d reports, want %d", len(states), rounds*fresh)
	}
	desks := map[string]*desk{"mika": mika, "tess": tess}
	before := map[string]string{} // states of reports that people saw when they judged them
	for who, d := range desks {
		entries, _, err := journal.Open(d.state, base, time.Now).Entries()
		must(t, err)
		for _, e := range entries {
			if e.Action.Kind.State() != "" {
				before[who+" "+strings.TrimPrefix(e.Action.Target, "report/")] = e.Action.Before["state"]
			}
		}
	}
	// Between the last look at a report and the request there is a round trip, in which
	// somebody else may be quicker. A cron job's list has no states.
	races, knowing, blind := 0, 0, 0
	for id, all := range changes { // newest first
		for i, c := range all[:len(all)-1] {
			switch was := all[i+1]; {
			case was.By == c.By:
				t.Errorf("report %s was judged twice: %+v", id, all)
			case c.By == "robot" && was.State == c.State:
				races++
			case c.By == "robot":
				blind++
			case before[c.By+" "+id] == was.State:
				knowing++
			case slices.Contains(desks[c.By].saw[id], api.ReportOpen):
				races++
			default:
				t.Errorf("report %s: %s went over %s unasked, who saw %q and read %q", id, c.By, was.By, before[c.By+" "+id], desks[c.By].saw[id])
			}
		}
		if all[0].State != states[id] {
			t.Errorf("report %s is %s after %+v", id, states[id], all)
		}
	}
	by := func(id, who string) bool {
		return slices.ContainsFunc(changes[id], func(c verdict) bool { return c.By == who })
	}
	conflicts := 0
	for _, d := range []*desk{mika, tess} {
		entries, _, err := journal.Open(d.state, base, time.Now).Entries()
		must(t, err)
		for _, e := range entries {
			_, id, _ := strings.Cut(e.Action.Target, "/")
			if e.Action.Kind.State() != "" && !by(id, d.name) {
				t.Errorf("%s has %s %s in the journal, and the log has not", d.name, e.Action.Kind, id)
			}
		}
		for id := range d.wished {
			if full := whole(states, id); states[full] == api.ReportOpen || states[full] == "" {
				t.Errorf("%s judged %s, which is %q", d.name, id, states[full])
			}
		}
		for text, id := range d.notes {
			if len(notes[text]) != 1 || whole(states, id) != notes[text][0] {
				t.Errorf("%q is on %q, want it on %s once", text, notes[text], id)
			}
		}
		conflicts += strings.Count(d.heard(0), "met a change by somebody else")
	}
	for id := range job.closed {
		if !by(id, "robot") {
			t.Errorf("the cron job closed %s, and the log has %+v", id, changes[id])
		}
	}
	for text, ids := range notes {
		slices.Sort(ids)
		if strings.HasPrefix(text, "cron job") && len(slices.Compact(slices.Clone(ids))) != len(ids) {
			t.Errorf("%q is on %q", text, ids)
		}
	}
	if len(mika.wished) == 0 || len(tess.wished) == 0 || len(job.closed) == 0 {
		t.Errorf("mika judged %d, tess %d, the cron job %d", len(mika.wished), len(tess.wished), len(job.closed))
	}
	t.Logf("%d rounds, %d kills, %d reports: mika judged %d, tess %d, the cron job %d; %d conflicts asked, %d knowingly judged again, %d lost races of one round trip, %d closed by the job after its list",
		rounds, kills, len(states), len(mika.wished), len(tess.wished), len(job.closed), conflicts, knowing, races, blind)
}

// whole is the id that ends with a short one.
func whole(states map[string]string, short string) string {
	for id := range states {
		if strings.HasSuffix(id, strings.TrimLeft(short, ".~")) {
			return id
		}
	}
	return ""
}

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/server/servertest"
	"svc/server/servertest/peer"
)

// TestCases runs the scripts below testdata/cases. Each is a public bug report
// of software like this one: the requests of people and other servers, and the
// right answers.
func TestCases(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/cases/*/case.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var script struct{ Steps, After []caseStep }
		if err := strictJSON(text, &script); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		t.Run(filepath.Base(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			servertest.Each(t, func(t *testing.T, s *servertest.Server) {
				c := &caseRun{t: t, s: s, values: map[string]string{"base": s.Base()}, actors: map[string]*peer.Actor{}}
				for i, step := range slices.Concat(script.Steps, script.After) {
					if !c.step(step) {
						t.Fatalf("step %d is wrong", i+1)
					}
				}
			})
		})
	}
}

// caseStep is one step of a script: a request of a person, something that
// another server does, a command, a pause, or a look at a file of the project.
// Name is a person, "root1" the admin, "nobody" a stranger.
type caseStep struct {
	As        string
	Call      string // "POST /path"
	JSON      any
	Form      map[string]any
	Query     map[string]any
	Multipart map[string]any

	Peer     string
	Note     map[string]any // fields of a new note, which is sent in a Create
	To       string         // the person whom the note mentions
	Activity map[string]any
	Actor    map[string]any // changed fields of the actor's document
	Handle   string         // a new actor of the peer with this nickname
	Got      string         // the type of activities that its inboxes received

	Svcctl []string
	Exit   int

	Sleep float64
	Text  string // a file of the project

	Save   map[string]string // names of values, by their path in the answer
	Wait   float64           // seconds to try again
	Expect []caseWant
}

// caseWant is a condition on the value at a path of the answer, such as
// body.tags.0.name. The empty path is the whole answer.
type caseWant struct {
	At      string
	Is      any
	Has     *string
	Hasnt   *string
	Matches *string
	Count   *int
}

type caseRun struct {
	t      *testing.T
	s      *servertest.Server
	values map[string]string
	actors map[string]*peer.Actor // by the name of their peer
}

func strictJSON(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// patience is by how much longer a step is waited for than it takes on a machine that
// does nothing else: other packages are tested beside, with the race detector.
const patience = 4

// step carries out a step until its conditions hold or its time is over, and
// reports whether they hold.
func (c *caseRun) step(step caseStep) bool {
	c.t.Helper()
	for end := time.Now().Add(time.Duration(patience * step.Wait * float64(time.Second))); ; time.Sleep(50 * time.Millisecond) {
		answer := c.answer(step)
		var wrong []string
		for _, want := range step.Expect {
			if problem := c.compare(want, at(answer, want.At)); problem != "" {
				wrong = append(wrong, problem)
			}
		}
		for name, path := range step.Save {
			value := at(answer, path)
			if value == nil {
				wrong = append(wrong, "nothing at "+path)
				continue
			}
			c.values[name] = fmt.Sprint(value)
		}
		if len(wrong) == 0 {
			return true
		}
		if time.Now().After(end) {
			for _, problem := range wrong {
				c.t.Error(problem)
			}
			c.t.Logf("the answer: %.4000s", text(answer))
			return false
		}
	}
}

func (c *caseRun) answer(step caseStep) any {
	c.t.Helper()
	switch {
	case step.Call != "":
		return c.call(step)
	case step.Handle != "":
		from := c.actor(step.Peer)
		c.actors[step.Peer] = from.Peer.Actor(c.fill(step.Handle))
	case step.Note != nil:
		return c.note(step)
	case step.Activity != nil:
		a := c.actor(step.Peer)
		activity := a.Activity("", nil).To([]string{peer.Public}, nil)
		maps.Copy(activity, c.filled(step.Activity).(map[string]any))
		c.send(a, step.To, activity)
		return map[string]any(activity)
	case step.Actor != nil:
		c.actor(step.Peer).Edit(func(d peer.Doc) { maps.Copy(d, c.filled(step.Actor).(map[string]any)) })
	case step.Got != "":
		got := []any{}
		for _, d := range c.actor(step.Peer).Peer.Received(step.Got) {
			got = append(got, map[string]any(d))
		}
		return got
	case step.Svcctl != nil:
		return c.command(step)
	case step.Sleep != 0:
		time.Sleep(time.Duration(step.Sleep * float64(time.Second)))
	case step.Text != "":
		content, err := os.ReadFile(filepath.Join("../..", step.Text))
		if err != nil {
			c.t.Fatal(err)
		}
		return map[string]any{"text": string(content)}
	default:
		c.t.Fatalf("an empty step: %+v", step)
	}
	return nil
}

// actor is the actor that a peer speaks with. Peers have addresses of their own.
func (c *caseRun) actor(name string) *peer.Actor {
	c.t.Helper()
	if c.actors[name] == nil {
		c.actors[name] = peer.Start(c.t, "127.0.0."+strconv.Itoa(len(c.actors)+2)).Actor(name)
	}
	return c.actors[name]
}

func (c *caseRun) note(step caseStep) any {
	a := c.actor(step.Peer)
	note := a.Note("")
	maps.Copy(note, c.filled(step.Note).(map[string]any))
	if step.To != "" {
		to := c.uri(step.To)
		note = note.Mentioning(to, step.To+"@"+strings.TrimPrefix(c.s.Base(), "http://"))
		note["cc"] = append(note.Texts("cc"), to)
	}
	a.Peer.Publish(note)
	c.values["note"] = note.Text("id")
	c.send(a, step.To, a.Create(note))
	return map[string]any(note)
}

func (c *caseRun) send(a *peer.Actor, to string, activity peer.Doc) {
	c.t.Helper()
	inbox := c.s.Base() + "/inbox"
	if to != "" {
		inbox = c.uri(to) + "/inbox"
	}
	if answer := a.Send(inbox, activity); answer.Status != http.StatusAccepted {
		c.t.Fatalf("the inbox answered %d %s", answer.Status, answer.Body)
	}
}

func (c *caseRun) call(step caseStep) any {
	c.t.Helper()
	method, path, _ := strings.Cut(c.fill(step.Call), " ")
	if step.Query != nil {
		path += "?" + fields(c.filled(step.Query)).Encode()
	}
	var (
		body io.Reader
		kind string
	)
	switch {
	case step.JSON != nil:
		body, kind = strings.NewReader(text(c.filled(step.JSON))), "application/json"
	case step.Form != nil:
		body, kind = strings.NewReader(fields(c.filled(step.Form)).Encode()), "application/x-www-form-urlencoded"
	case step.Multipart != nil:
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		for name, values := range fields(c.filled(step.Multipart)) {
			for _, value := range values {
				_ = w.WriteField(name, value)
			}
		}
		_ = w.Close()
		body, kind = &form, w.FormDataContentType()
	}
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.s.URL+path, body)
	if err != nil {
		c.t.Fatal(err)
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	if step.As != "nobody" {
		req.Header.Set("Authorization", "Bearer "+c.token(step.As))
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	got, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	var parsed any
	if json.Unmarshal(got, &parsed) != nil {
		parsed = string(got)
	}
	return map[string]any{"status": resp.StatusCode, "body": parsed}
}

func (c *caseRun) token(name string) string {
	if name == "root1" {
		return c.s.Token(name, servertest.AdminScopes)
	}
	return c.s.Token(name, servertest.AllScopes)
}

// command runs svcctl as the admin.
func (c *caseRun) command(step caseStep) any {
	c.t.Helper()
	args := slices.Clone(step.Svcctl)
	for i, arg := range args {
		args[i] = c.fill(arg)
	}
	cmd := exec.CommandContext(c.t.Context(), filepath.Join(servertest.Programs(c.t), "svcctl"), args...)
	cmd.Env = []string{"HOME=" + c.t.TempDir(), "PATH=" + os.Getenv("PATH"), "SVCCTL_NO_KEYRING=1", "SVCCTL_URL=" + c.s.URL, "SVCCTL_TOKEN=" + c.token("root1")}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	code := cmd.ProcessState.ExitCode()
	if code != step.Exit {
		c.t.Errorf("svcctl %s exits with %d, want %d: %s", strings.Join(args, " "), code, step.Exit, &errs)
	}
	return map[string]any{"exit": code, "out": out.String(), "err": errs.String()}
}

var placeholder = regexp.MustCompile(`\{[a-z0-9_]+(\.[a-z]+)?\}`)

// fill replaces {name} by a saved value, {ann.id} by a part of a person or peer.
func (c *caseRun) fill(in string) string {
	return placeholder.ReplaceAllStringFunc(in, func(found string) string {
		name, part, of := strings.Cut(strings.Trim(found, "{}"), ".")
		if !of {
			if value, ok := c.values[name]; ok {
				return value
			}
			return found
		}
		if a := c.actors[name]; a != nil {
			return map[string]string{"id": a.ID, "uri": a.ID, "name": a.Nickname, "acct": a.Handle(), "base": a.Peer.Base()}[part]
		}
		person := c.s.User(name)
		return map[string]string{"id": person.ID, "uri": c.uri(name), "name": person.Nickname, "acct": person.Nickname, "base": c.s.Base()}[part]
	})
}

// uri is the actor id of a person.
func (c *caseRun) uri(name string) string {
	return c.s.Base() + "/users/" + c.s.User(name).Nickname
}

// filled fills all texts of a value.
func (c *caseRun) filled(in any) any {
	switch in := in.(type) {
	case string:
		return c.fill(in)
	case []any:
		out := make([]any, len(in))
		for i, v := range in {
			out[i] = c.filled(v)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(in))
		for k, v := range in {
			out[k] = c.filled(v)
		}
		return out
	}
	return in
}

func fields(in any) url.Values {
	out := url.Values{}
	for name, value := range in.(map[string]any) {
		list, ok := value.([]any)
		if !ok {
			list = []any{value}
		}
		for _, v := range list {
			out.Add(name, fmt.Sprint(v))
		}
	}
	return out
}

// at is the value at a path of keys and indexes; nil where there is none.
func at(v any, path string) any {
	if path == "" {
		return v
	}
	for _, key := range strings.Split(path, ".") {
		switch in := v.(type) {
		case map[string]any:
			v = in[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			v = in[i]
		default:
			return nil
		}
	}
	return v
}

// text is a text as it is, and any other value in JSON.
func text(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return strings.TrimSuffix(out.String(), "\n")
}

// compare returns the broken part of a condition, in words.
func (c *caseRun) compare(want caseWant, got any) string {
	where := "at " + strconv.Quote(want.At) + ": "
	is, shown := c.filled(want.Is), text(got)
	switch {
	case want.Count != nil:
		if list, ok := got.([]any); !ok || len(list) != *want.Count {
			return fmt.Sprintf("%swant %d items, got %.500s", where, *want.Count, shown)
		}
	case want.Has != nil:
		if !strings.Contains(shown, c.fill(*want.Has)) {
			return fmt.Sprintf("%swant %q within %.500s", where, c.fill(*want.Has), shown)
		}
	case want.Hasnt != nil:
		if strings.Contains(shown, c.fill(*want.Hasnt)) {
			return fmt.Sprintf("%swant no %q within %.500s", where, c.fill(*want.Hasnt), shown)
		}
	case want.Matches != nil:
		if !regexp.MustCompile(*want.Matches).MatchString(shown) {
			return fmt.Sprintf("%swant a match of %s, got %.500s", where, *want.Matches, shown)
		}
	default:
		if number, ok := got.(int); ok {
			got = float64(number)
		}
		if !reflect.DeepEqual(got, is) {
			return fmt.Sprintf("%swant %s, got %.500s", where, text(is), shown)
		}
	}
	return ""
}

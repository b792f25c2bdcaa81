package web

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/go-cmp/cmp"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
)

type sample struct {
	Name   string   `json:"name" binding:"required"`
	Flag   bool     `json:"flag"`
	Maybe  *bool    `json:"maybe"`
	Count  int      `json:"count"`
	IDs    []string `json:"ids"`
	Source struct {
		Privacy *string `json:"privacy"`
	} `json:"source"`
	Fields []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"fields"`
}

func request(method, target, kind, body string) *gin.Context {
	gin.SetMode(gin.ReleaseMode)
	c, _ := gin.CreateTestContext(httptest.NewRecorder())
	c.Request = httptest.NewRequest(method, target, strings.NewReader(body))
	if kind != "" {
		c.Request.Header.Set("Content-Type", kind)
	}
	return c
}

const (
	form = "application/x-www-form-urlencoded"
	jsn  = "application/json"
)

func TestBindReadsEveryEncodingAlike(t *testing.T) {
	yes, private := true, "private"
	want := sample{Name: "ann", Flag: true, Maybe: &yes, Count: 7, IDs: []string{"1", "2"}}
	want.Source.Privacy = &private
	want.Fields = append(want.Fields, struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}{"a", "b"}, struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}{"c", "d"})
	multipart := "--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nann\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"flag\"\r\n\r\ntrue\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"maybe\"\r\n\r\n1\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"count\"\r\n\r\n7\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"ids[]\"\r\n\r\n1\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"ids[]\"\r\n\r\n2\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"source[privacy]\"\r\n\r\nprivate\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"fields[0][name]\"\r\n\r\na\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"fields[0][value]\"\r\n\r\nb\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"fields[1][name]\"\r\n\r\nc\r\n" +
		"--x\r\nContent-Disposition: form-data; name=\"fields[1][value]\"\r\n\r\nd\r\n--x--\r\n"
	for name, c := range map[string]*gin.Context{
		"json": request("POST", "/", jsn, `{"name":"ann","flag":true,"maybe":true,"count":7,"ids":["1","2"],
			"source":{"privacy":"private"},"fields":[{"name":"a","value":"b"},{"name":"c","value":"d"}],"unknown":{}}`),
		"json without a type": request("POST", "/", "", `{"name":"ann","flag":"True","maybe":"on","count":"7","ids":["1","2"],
			"source":{"privacy":"private"},"fields":{"0":{"name":"a","value":"b"},"1":{"name":"c","value":"d"}}}`),
		"form": request("POST", "/", form, "name=ann&flag=True&maybe=1&count=7&ids[]=1&ids[]=2&source[privacy]=private"+
			"&fields[0][name]=a&fields[0][value]=b&fields[1][name]=c&fields[1][value]=d"),
		"form of lists": request("POST", "/", form, "name=x&name=ann&flag=t&maybe=1&count=7&ids%5B%5D=1&ids%5B%5D=2&source%5Bprivacy%5D=private"+
			"&fields[][value]=b&fields[][name]=a&fields%5B%5D%5Bname%5D=c&fields%5b%5d%5bvalue%5d=d"),
		"multipart of lists": request("POST", "/", "multipart/form-data; boundary=x", objectsAt.ReplaceAllString(multipart, "fields[]")),
		"multipart":          request("POST", "/", "multipart/form-data; boundary=x", multipart),
		"form of repeated names": request("POST", "/", form, "name=x&name=ann&flag=t&maybe=1&count=1&count=7&ids=1&ids=2&source[privacy]=private"+
			"&fields[0][name]=a&fields[0][value]=b&fields[1][name]=c&fields[1][value]=d"),
		"numbers": request("POST", "/", jsn, `{"name":"ann","flag":true,"maybe":true,"count":7,"ids":[1,2],
			"source":{"privacy":"private"},"fields":[{"name":"a","value":"b"},{"name":"c","value":"d"}]}`),
		"query": request("POST", "/?name=ann&flag=t&maybe=1&count=7&ids=1&ids=2&source[privacy]=private"+
			"&fields[0][name]=a&fields[0][value]=b&fields[1][name]=c&fields[1][value]=d", "", ""),
		"query beside JSON": request("POST", "/?name=other&ids[]=1&ids[]=2&count=&source[privacy]=private", jsn, `{"name":"ann","flag":true,"maybe":true,"count":7,
			"fields":[{"name":"a","value":"b"},{"name":"c","value":"d"}]}`),
		"query beside a form": request("POST", "/?name=other&maybe=1&ids=1&ids=2&source[privacy]=private", form, "name=ann&flag=t&count=7"+
			"&fields[0][name]=a&fields[0][value]=b&fields[1][name]=c&fields[1][value]=d"),
	} {
		t.Run(name, func(t *testing.T) {
			var got sample
			if err := Bind(c, &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// objectsAt are the names of objects in a list by their indexes.
var objectsAt = regexp.MustCompile(`fields\[\d\]`)

// TestAFieldThatComesAgainBeginsTheNextObject: in a form, where the first of two may lack
// what the second has.
func TestAFieldThatComesAgainBeginsTheNextObject(t *testing.T) {
	for raw, want := range map[string]string{
		"f[][id]=1&f[][d]=x&f[][id]=2&f[][d]=y":              `[{"d":"x","id":"1"},{"d":"y","id":"2"}]`,
		"f[][id]=1&f[][id]=2&f[][d]=y":                       `[{"id":"1"},{"d":"y","id":"2"}]`,
		"f[][id]=1&f[][d]=x&f[][id]=2":                       `[{"d":"x","id":"1"},{"id":"2"}]`,
		"f[][d]=x&f[][id]=1&f[][d]=&f[][id]=2":               `[{"d":"x","id":"1"},{"d":"","id":"2"}]`,
		"f%5B%5D%5Bid%5D=1&f%5b%5d%5bd%5d=a%2Bb&f[][id]=2;3": `[{"d":"a+b","id":"1"},{"id":"2;3"}]`,
		"f[][id]=1&g=2&f[][d]=x":                             `[{"d":"x","id":"1"}]`,
		"f[][id]":                                            `[{"id":""}]`,
	} {
		read, err := readForm(raw)
		if err != nil {
			t.Errorf("%s: %v", raw, err)
			continue
		}
		if got, err := json.Marshal(read["f"]); err != nil || string(got) != want {
			t.Errorf("%s: %s, want %s", raw, got, want)
		}
	}
}

// TestListsOfOneAreReadByTheirNameAlone, and pages and the admin API read no query
// of a POST.
func TestListsOfOneAreReadByTheirNameAlone(t *testing.T) {
	for _, c := range []*gin.Context{
		request("POST", "/", form, "name=a&ids=1"), request("POST", "/?name=a&ids=1", "", ""), request("POST", "/?ids=1", jsn, `{"name":"a"}`),
		request("POST", "/?name=&ids=1", form, "name=a"),
	} {
		var got sample
		if err := Bind(c, &got); err != nil || got.Name != "a" || !slices.Equal(got.IDs, []string{"1"}) {
			t.Errorf("%s: %v, %v", c.Request.URL, got, err)
		}
	}
	for _, family := range []Family{AdminAPI, Pages} {
		c := request("POST", "/?name=a", form, "")
		As(c, family)
		if err := Read(c, &sample{}); err == nil {
			t.Errorf("family %d reads the query", family)
		}
	}
	c := request("POST", "/", jsn, `{"name":"a","ids":[1]}`)
	As(c, AdminAPI)
	if err := Read(c, &sample{}); err == nil {
		t.Error("the admin API takes numbers for texts")
	}
}

func TestWrongShapesAreNamedTogether(t *testing.T) {
	for _, tt := range []struct{ kind, body, want string }{
		{jsn, `{}`, "Missing field: name."},
		{jsn, `{"name":null}`, "Missing field: name."},
		{jsn, `{"name":7}`, "name - Invalid string. Got: integer."},
		{jsn, `{"name":"a","count":"x"}`, "count - Invalid integer. Got: string."},
		{jsn, `{"name":"a","count":1.5}`, "count - Invalid integer. Got: number."},
		{jsn, `{"name":"a","count":99999999999999999999}`, "count - Invalid integer. Got: integer."},
		{jsn, `{"name":"a","flag":[]}`, "flag - Invalid boolean. Got: array."},
		{jsn, `{"name":"a","ids":"1"}`, "ids - Invalid array. Got: string."},
		{jsn, `{"name":"a","ids":[{}]}`, "0 - Invalid string. Got: object."},
		{jsn, `{"name":"a","ids":[null]}`, "ids - null value where string expected."},
		{jsn, `{"name":"a","source":"x"}`, "source - Invalid object. Got: string."},
		{jsn, `{"name":{},"count":true}`, "name - Invalid string. Got: object. count - Invalid integer. Got: boolean."},
		{jsn, `{"name":"a\u0000b"}`, "name - Invalid string. Got: binary."},
		{form, "name=%ff%fe", "name - Invalid string. Got: binary."},
		{"text/plain", "name=a", "Invalid value for header: content-type."},
	} {
		var got sample
		err := Bind(request("POST", "/", tt.kind, tt.body), &got)
		shape, ok := err.(*ShapeError)
		if !ok || shape.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.body, err, tt.want)
		}
	}
}

// TestAnEmptyValueOfAFormIsAbsent: clients send every field of a form, also
// empty ones.
func TestAnEmptyValueOfAFormIsAbsent(t *testing.T) {
	type poll struct {
		Options   []string `json:"options"`
		ExpiresIn *int     `json:"expires_in"`
	}
	type filled struct {
		Text  string     `json:"text"`
		Maybe *string    `json:"maybe"`
		Yes   *bool      `json:"yes"`
		Count *int       `json:"count"`
		IDs   []string   `json:"ids"`
		At    *time.Time `json:"at"`
		Poll  *poll      `json:"poll"`
	}
	nothing, no := "", false
	for _, tt := range []struct {
		kind, body string
		want       filled
	}{
		{form, "text=&maybe=&yes=&count=&ids=&at=&poll=", filled{Maybe: &nothing, Yes: &no}},
		{form, "poll[options][]=&poll[options][]=&poll[expires_in]=&ids[]=", filled{IDs: []string{}}},
		{form, "poll[options][]=a&poll[options][]=&poll[expires_in]=", filled{Poll: &poll{Options: []string{"a", ""}}}},
		{form, "ids[]=&ids[]=", filled{IDs: []string{"", ""}}},
		{"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"count\"\r\n\r\n\r\n--x--\r\n", filled{}},
		{jsn, `{"text":"","maybe":"","yes":"","poll":{"options":[""]},"ids":[""]}`, filled{Maybe: &nothing, Yes: &no, IDs: []string{""}, Poll: &poll{Options: []string{""}}}},
	} {
		var got filled
		if err := Bind(request("POST", "/", tt.kind, tt.body), &got); err != nil {
			t.Errorf("%s: %v", tt.body, err)
		} else if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: %s", tt.body, diff)
		}
	}
	for _, body := range []string{`{"count":""}`, `{"ids":""}`, `{"at":""}`, `{"poll":""}`} {
		if err := Bind(request("POST", "/", jsn, body), &filled{}); err == nil {
			t.Errorf("%s was taken", body)
		}
	}
	var in struct {
		Count int `json:"count" binding:"required"`
	}
	if err := Bind(request("POST", "/", form, "count="), &in); err == nil || err.Error() != "Missing field: count." {
		t.Errorf("a required one: %v", err)
	}
}

func TestUnreadableBodiesAreRefused(t *testing.T) {
	for _, tt := range []struct{ kind, body string }{
		{jsn, `{"name":`}, {jsn, `[]`}, {jsn, `{"name":"a"} {}`}, {jsn, `{"name":"a"}}`}, {jsn, "\x00"}, {jsn, "{\"name\":\"\xff\"}"},
		{form, "name=%zz"}, {form, "a[b][c][d][e][f][g][h][i]=1"}, {form, strings.Repeat("a=1&", 3000)},
		{"multipart/form-data; boundary=x", "--y\r\n"}, {"multipart/form-data", "--x--\r\n"},
		{"multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\nann\r\n"},
	} {
		err := Bind(request("POST", "/", tt.kind, tt.body), &sample{})
		if !fault.Is(err, fault.KindMalformed) {
			t.Errorf("%.40q: %v", tt.body, err)
		}
	}
}

func TestBodiesAreBounded(t *testing.T) {
	for _, kind := range []string{jsn, form, "multipart/form-data; boundary=x"} {
		body := strings.Repeat(" ", 10<<20)
		switch kind {
		case form:
			body = "name=" + strings.Repeat("a", 10<<20)
		case jsn:
		default:
			body = "--x\r\nContent-Disposition: form-data; name=\"name\"\r\n\r\n" + strings.Repeat("a", 10<<20)
		}
		e := gin.New()
		e.POST("/", Handle(ClientAPI, func(c *gin.Context) error { return Bind(c, &sample{}) }))
		r := httptest.NewRequest("POST", "/", strings.NewReader(body))
		r.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		Bodies(e).ServeHTTP(w, r)
		if w.Code != http.StatusRequestEntityTooLarge || !strings.Contains(w.Body.String(), `"error"`) {
			t.Errorf("%s: %d %s", kind, w.Code, w.Body)
		}
	}
}

func TestRefusalsBecomeStatuses(t *testing.T) {
	for _, tt := range []struct {
		err    error
		family Family
		status int
		body   string
	}{
		{fault.Forbidden("no").With("why"), ClientAPI, 403, `{"error":"no","identifier":"why"}`},
		{fault.Unauthenticated("who"), ClientAPI, 401, `{"error":"who"}`},
		{fault.Invalid("bad"), ClientAPI, 422, `{"error":"bad"}`},
		{db.ErrNotFound, ClientAPI, 404, `{"error":"Record not found"}`},
		{db.ErrNotFound, AdminAPI, 404, `{"error":"Not found"}`},
		{Missing("x"), AdminAPI, 400, `{"error":"Missing field: x.","errors":[{"message":"Missing field: x","source":{"pointer":"/x"},"title":"Invalid value"}]}`},
		{&Answer{Status: 400, Body: "Invalid parameters"}, AdminAPI, 400, `"Invalid parameters"`},
		{fmt.Errorf("open file: %w: %w", fault.Unavailable("The media store is away"), io.ErrUnexpectedEOF), ClientAPI, 503, `{"error":"The media store is away"}`},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.EMFILE}, ClientAPI, 503, `{"error":"The server has too much to do at the moment"}`},
		{&os.PathError{Op: "open", Path: "x", Err: syscall.ENFILE}, AdminAPI, 503, `{"error":"The server has too much to do at the moment"}`},
		{io.ErrUnexpectedEOF, ClientAPI, 500, `{"error":"Something went wrong"}`},
		{io.ErrUnexpectedEOF, AdminAPI, 500, `{"errors":{"detail":"Internal server error"}}`},
	} {
		w := httptest.NewRecorder()
		c, _ := gin.CreateTestContext(w)
		c.Request = httptest.NewRequest("GET", "/", nil)
		Handle(tt.family, func(*gin.Context) error { return tt.err })(c)
		if w.Code != tt.status || w.Body.String() != tt.body {
			t.Errorf("%v: %d %s, want %d %s", tt.err, w.Code, w.Body, tt.status, tt.body)
		}
		if after := w.Header().Get("Retry-After"); (after != "") != (tt.status == http.StatusServiceUnavailable) {
			t.Errorf("%v: Retry-After is %q", tt.err, after)
		}
	}
}

// TestAClientThatLeavesIsNoFaultOfTheServer: when a client leaves, queries fail
// and answers break off. These errors are no faults of the server.
func TestAClientThatLeavesIsNoFaultOfTheServer(t *testing.T) {
	gin.SetMode(gin.ReleaseMode)
	for name, h := range map[string]Handler{
		"before the answer": func(c *gin.Context) error {
			<-c.Request.Context().Done()
			return errors.New("interrupted")
		},
		"within the answer": func(c *gin.Context) error {
			c.String(http.StatusOK, "the beginning")
			c.Writer.Flush()
			<-c.Request.Context().Done()
			return errors.New("interrupted")
		},
		"within a stream": func(c *gin.Context) error {
			n := 0
			return Stream(c, "[", "]", func() ([]byte, error) {
				if n++; n == 1 {
					return []byte("1"), nil
				}
				c.Writer.Flush()
				<-c.Request.Context().Done()
				return nil, errors.New("interrupted")
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			var lines bytes.Buffer
			engine := gin.New()
			engine.Use(Front(slog.New(slog.NewTextHandler(&lines, nil)), time.Now, NewRemote(nil, nil, slog.New(slog.DiscardHandler)), config.AccessOn))
			engine.GET("/", Handle(ClientAPI, h))
			begun, ended := make(chan struct{}), make(chan struct{})
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				defer close(ended)
				close(begun)
				engine.ServeHTTP(w, r)
			}))
			defer s.Close()
			ctx, leave := context.WithCancel(t.Context())
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				<-begun
				leave()
			}()
			if resp, err := http.DefaultTransport.RoundTrip(req); err == nil {
				_ = resp.Body.Close()
			}
			<-ended
			if got := lines.String(); strings.Contains(got, "level=ERROR") || strings.Contains(got, "level=WARN") {
				t.Errorf("the log has %s", got)
			}
		})
	}
}

func TestLinksNameTheNeighbours(t *testing.T) {
	c := request("GET", "/api/v1/timelines/home?limit=2&max_id=9&with_muted=true&access_token=secret", "", "")
	Links(c, "https://svc.example", "8", "5")
	want := `<https://svc.example/api/v1/timelines/home?limit=2&max_id=5&with_muted=true>; rel="next", ` +
		`<https://svc.example/api/v1/timelines/home?limit=2&min_id=8&with_muted=true>; rel="prev"`
	if got := c.Writer.Header().Get("Link"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestPageLimitsAreClamped(t *testing.T) {
	for query, want := range map[string]int{"": 20, "limit=5": 5, "limit=0": 1, "limit=-3": 1, "limit=999": 40, "limit=x": 20, "limit=3&limit=4": 4} {
		if got := Page(request("GET", "/?"+query, "", ""), 20, 40).Limit; got != want {
			t.Errorf("%q: %d, want %d", query, got, want)
		}
	}
}

func TestATrailingSlashIsTolerated(t *testing.T) {
	for path, want := range map[string]string{
		"/": "/ /", "/a": "/a /a", "/a/": "/a /a", "/a//": "/a /a", "//": "/ /", "/a/%2F": "/a// /a/%2F", "/a/%2F/": "/a// /a/%2F", "/%C3%A9/": "/é /%C3%A9",
	} {
		var got string
		TolerateSlash(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got = r.URL.Path + " " + r.URL.EscapedPath()
		})).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", path, nil))
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func FuzzBodies(f *testing.F) {
	f.Add(jsn, []byte(`{"name":"a","fields":{"0":{"name":"b"}}}`))
	f.Add(form, []byte("name=a&fields[][name]=b&fields[1][value]=c&source[privacy]=d&ids[]=1&a[=1&]=2&a[b]c]=3"))
	f.Add("multipart/form-data; boundary=x", []byte("--x\r\nContent-Disposition: form-data; name=\"a[]\"\r\n\r\n1\r\n--x--\r\n"))
	f.Fuzz(func(t *testing.T, kind string, body []byte) {
		c := request("POST", "/", "", string(body))
		c.Request.Header.Set("Content-Type", kind)
		var in sample
		if err := Bind(c, &in); err == nil {
			if _, err := json.Marshal(in); err != nil {
				t.Fatal(err)
			}
		}
	})
}

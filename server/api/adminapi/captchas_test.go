package adminapi_test

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"svc/client"
	"svc/client/api"
	"svc/server/platform/config"
)

// gif is a picture of one point.
const gif = "GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"

// kocaptcha starts a captcha service whose captchas show aB3x, until fail is
// set.
func kocaptcha(t *testing.T) (endpoint string, fail *atomic.Bool) {
	t.Helper()
	var drawn atomic.Int64
	fail = &atomic.Bool{}
	sum := md5.Sum([]byte("aB3x"))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case fail.Load():
			w.WriteHeader(http.StatusBadGateway)
		case r.URL.Path == "/ko/new":
			n := drawn.Add(1)
			_, _ = fmt.Fprintf(w, `{"md5":"%s","token":"token%d","url":"/captchas/%d.gif"}`, hex.EncodeToString(sum[:]), n, n)
		case strings.HasPrefix(r.URL.Path, "/ko/captchas/"):
			_, _ = w.Write([]byte(gif))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL + "/ko", fail
}

// TestAnotherServiceDrawsCaptchasWhereTheSettingsSay: a solution of its
// captchas can be used once, like one of our own.
func TestAnotherServiceDrawsCaptchasWhereTheSettingsSay(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		endpoint, fail := kocaptcha(t)
		anybody := w.Anonymous()
		c, err := anybody.Accounts.Captcha(ctx)
		if err != nil || c.Type != "native" {
			t.Fatalf("%+v %v", c, err)
		}
		w.set("Svc.Captcha", ":method", "Svc.Captcha.Kocaptcha")
		w.set("Svc.Captcha.Kocaptcha", ":endpoint", endpoint)
		c, err = anybody.Accounts.Captcha(ctx)
		if err != nil || c.Type != "kocaptcha" || c.Token != "token1" || c.URL != endpoint+"/captchas/1.gif" || c.SecondsValid != 300 || c.AnswerData == "" {
			t.Fatalf("%+v %v", c, err)
		}
		yes := api.Bool(true)
		register := func(name string, c *api.Captcha, solution string) string {
			_, err := w.With(w.AppToken()).Accounts.Register(ctx, api.NewAccount{
				Username: name, Email: name + "@example.net", Password: "long enough", Agreement: &yes,
				CaptchaSolution: solution, CaptchaToken: c.Token, CaptchaAnswerData: c.AnswerData,
			})
			if err == nil {
				return ""
			}
			return err.Error()
		}
		if got := register("new", c, "aB3x"); got != "" {
			t.Errorf("solved: %s", got)
		}
		if got := register("again", c, "aB3x"); !strings.Contains(got, "CAPTCHA already used") {
			t.Errorf("again: %s", got)
		}
		c, err = anybody.Accounts.Captcha(ctx)
		w.must(err)
		if got := register("wrong", c, "ab3x"); !strings.Contains(got, "Invalid CAPTCHA") {
			t.Errorf("wrong: %s", got)
		}
		if status, _, page := w.browse("/registration"); status != 200 || !strings.Contains(page, "data:image/gif;base64,") || !strings.Contains(page, "Characters in the picture") {
			t.Errorf("the page: %d %s", status, page)
		}
		fail.Store(true)
		if _, err := anybody.Accounts.Captcha(ctx); client.Status(err) != http.StatusServiceUnavailable || !strings.Contains(err.Error(), "Kocaptcha service unavailable") {
			t.Errorf("when it fails: %v", err)
		}
		w.set("Svc.Captcha", ":enabled", false)
		if c, err := anybody.Accounts.Captcha(ctx); err != nil || c.Type != "none" {
			t.Errorf("off: %+v %v", c, err)
		}
	}, func(s *config.Settings) { s.Captcha.Enabled = true })
}

// browse requests a path like a browser and returns the answer.
func (w *world) browse(path string) (int, http.Header, string) {
	w.t.Helper()
	resp, err := http.Get(w.URL + path)
	w.must(err)
	defer func() { _ = resp.Body.Close() }()
	raw, err := io.ReadAll(resp.Body)
	w.must(err)
	return resp.StatusCode, resp.Header, string(raw)
}

package signup_test

import (
	"bytes"
	"image/png"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/platform/captcha"
	"svc/server/platform/config"
	"svc/server/rules/auth"
	"svc/server/rules/signup"
)

func asking(s *config.Settings) { s.Captcha.Enabled, s.Captcha.SecondsValid = true, 300 }

// solution gets a captcha and reads it, as only a test can.
func (w *world) solution() signup.Solution {
	w.t.Helper()
	c, valid, err := w.NewCaptcha(w.t.Context())
	if err != nil || valid != 5*time.Minute {
		w.t.Fatalf("captcha valid for %v: %v", valid, err)
	}
	if _, err := png.Decode(bytes.NewReader(c.Picture)); err != nil {
		w.t.Errorf("picture: %v", err)
	}
	secret, err := w.db.Secret(w.t.Context(), "captcha", auth.Secret)
	if err != nil {
		w.t.Fatal(err)
	}
	a, err := captcha.Open(secret, c.Token, c.Sealed)
	if err != nil {
		w.t.Fatal(err)
	}
	return signup.Solution{Digits: a.Digits, Token: c.Token, Sealed: c.Sealed}
}

func TestCaptchaMustBeSolvedOnce(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, asking)
		other := newWorld(t, d, asking) // another process accepts its captchas too
		try := func(at *world, s signup.Solution, edit func(*signup.NewAccount)) string {
			in := signup.NewAccount{Nickname: "alice", Password: "long enough", Captcha: s}
			if edit != nil {
				edit(&in)
			}
			_, err := at.Register(t.Context(), at.app, in)
			return words(err)
		}
		refused := func(name, got, want string) {
			t.Helper()
			if got != `{"captcha":"`+want+`"}` {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
		s := w.solution()
		refused("none", try(w, signup.Solution{}, nil), "Invalid CAPTCHA (Missing parameter: captcha_solution)")
		refused("no token", try(w, signup.Solution{Digits: "1"}, nil), "Invalid CAPTCHA (Missing parameter: captcha_token)")
		refused("no data", try(w, signup.Solution{Digits: "1", Token: "x"}, nil), "Invalid CAPTCHA (Missing parameter: captcha_answer_data)")
		refused("made up", try(w, signup.Solution{Digits: "1", Token: "x", Sealed: "y"}, nil), "Invalid answer data")
		refused("another's data", try(w, signup.Solution{Digits: s.Digits, Token: s.Token, Sealed: w.solution().Sealed}, nil), "Invalid answer data")

		wrong := w.solution()
		right := wrong.Digits
		wrong.Digits += "0"
		refused("wrong", try(w, wrong, nil), "Invalid CAPTCHA")
		wrong.Digits = right
		refused("right after wrong", try(w, wrong, nil), "CAPTCHA already used")

		// Any refused registration uses the captcha up, except one for a
		// missing address.
		w.settings(func(s *config.Settings) { s.Instance.AccountActivationRequired = true })
		if got := try(w, s, nil); got != "Missing parameter: email" {
			t.Errorf("no address: %s", got)
		}
		w.settings(func(s *config.Settings) { s.Instance.AccountActivationRequired = false })
		if got := try(other, s, nil); got != "" {
			t.Errorf("solved: %s", got)
		}
		refused("again", try(w, s, func(in *signup.NewAccount) { in.Nickname = "bob" }), "CAPTCHA already used")

		late := w.solution()
		w.pass(5*time.Minute + time.Second)
		refused("late", try(w, late, nil), "CAPTCHA expired")

		trusted := *w.app
		trusted.App.Trusted = true
		if _, err := w.Register(t.Context(), &trusted, signup.NewAccount{Nickname: "carol", Password: "long enough"}); err != nil {
			t.Errorf("through a trusted app: %v", err)
		}
		if err := w.Sweep(t.Context()); err != nil {
			t.Error(err)
		}
		w.settings(func(s *config.Settings) { s.Captcha.Enabled = false })
		if c, _, err := w.NewCaptcha(t.Context()); c != nil || err != nil {
			t.Errorf("when off: %v, %v", c, err)
		}
		if got := try(w, signup.Solution{}, func(in *signup.NewAccount) { in.Nickname = "dave" }); got != "" {
			t.Errorf("when off: %s", got)
		}
	})
}

func TestOneCaptchaLetsOneOfManyIn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		w := newWorld(t, d, asking)
		s := w.solution()
		var in atomic.Int64
		var all sync.WaitGroup
		for i := range 6 {
			all.Go(func() {
				_, err := w.Register(t.Context(), w.app, signup.NewAccount{Nickname: "user" + string(rune('a'+i)), Password: "long enough", Captcha: s})
				switch words(err) {
				case "":
					in.Add(1)
				case `{"captcha":"CAPTCHA already used"}`:
				default:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if in.Load() != 1 {
			t.Errorf("%d came in", in.Load())
		}
	})
}

package signup

import (
	"context"
	"errors"
	"time"

	"svc/db"
	"svc/server/platform/captcha"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

// captchaSecret names the secret that seals captchas in all processes.
const captchaSecret = "captcha"

// Solution is a solved captcha, with the token and sealed answer that came with
// it.
type Solution struct {
	Digits string
	Token  string
	Sealed string
}

// NewCaptcha returns a captcha and its life; nil if captchas are off. If a
// remote service draws them and fails, it is ErrCaptchaService.
func (s *Service) NewCaptcha(ctx context.Context) (*captcha.Challenge, time.Duration, error) {
	settings := s.settings.Load().Captcha
	if !settings.Enabled {
		return nil, 0, nil
	}
	secret, err := s.db.Secret(ctx, captchaSecret, auth.Secret)
	if err != nil {
		return nil, 0, err
	}
	valid := time.Duration(settings.SecondsValid) * time.Second
	if settings.Method != config.Kocaptcha {
		c, err := captcha.New(secret, s.now().Add(valid))
		return c, valid, err
	}
	drawn, err := s.kocaptcha(ctx, settings.Endpoint)
	if err != nil {
		return nil, 0, err
	}
	c, err := captcha.Seal(secret, *drawn, s.now().Add(valid))
	return c, valid, err
}

// solve refuses a wrong solution. A captcha can be answered once, right or
// wrong: otherwise one picture could be guessed repeatedly.
func (s *Service) solve(ctx context.Context, in Solution) error {
	for _, p := range []struct{ name, value string }{
		{"captcha_solution", in.Digits}, {"captcha_token", in.Token}, {"captcha_answer_data", in.Sealed},
	} {
		if p.value == "" {
			return badCaptcha("Invalid CAPTCHA (Missing parameter: " + p.name + ")")
		}
	}
	secret, err := s.db.Secret(ctx, captchaSecret, auth.Secret)
	if err != nil {
		return err
	}
	answer, err := captcha.Open(secret, in.Token, in.Sealed)
	switch {
	case errors.Is(err, captcha.ErrForged):
		return badCaptcha("Invalid answer data")
	case err != nil:
		return err
	case !s.now().Before(answer.Expires):
		return badCaptcha("CAPTCHA expired")
	}
	first, err := s.db.SpendCaptcha(ctx, in.Token, db.At(answer.Expires))
	switch {
	case err != nil:
		return err
	case !first:
		return badCaptcha("CAPTCHA already used")
	case !answer.Is(in.Digits):
		return badCaptcha("Invalid CAPTCHA")
	}
	return nil
}

func badCaptcha(message string) error {
	return fault.Invalid("", fault.Field{Name: "captcha", Message: message})
}

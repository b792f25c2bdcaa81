package signup

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"svc/server/platform/captcha"
	"svc/server/platform/outgoing"
)

// The bounds of a captcha service's answers, in bytes.
const (
	maxAnswer  = 16 << 10
	maxPicture = 512 << 10
)

// ErrCaptchaService means that the captcha service failed.
var ErrCaptchaService = errors.New("the service that draws captchas cannot be had")

// kocaptcha gets a captcha from the service at endpoint and fetches its
// picture, since our own pages show no foreign pictures.
func (s *Service) kocaptcha(ctx context.Context, endpoint string) (*captcha.Foreign, error) {
	f, err := s.askKocaptcha(ctx, endpoint)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCaptchaService, err)
	}
	return f, nil
}

func (s *Service) askKocaptcha(ctx context.Context, endpoint string) (*captcha.Foreign, error) {
	base, err := url.Parse(strings.TrimSuffix(endpoint, "/"))
	if err != nil || base.Host == "" {
		return nil, errors.New("its endpoint is no URL")
	}
	raw, err := s.fetch(ctx, base.JoinPath("new").String(), "application/json", maxAnswer)
	if err != nil {
		return nil, err
	}
	var drawn struct {
		Sum   string `json:"md5"`
		Token string `json:"token"`
		URL   string `json:"url"`
	}
	if err := json.Unmarshal(raw, &drawn); err != nil {
		return nil, fmt.Errorf("its answer: %w", err)
	}
	if sum, err := hex.DecodeString(drawn.Sum); err != nil || len(sum) != md5.Size || drawn.Token == "" || drawn.URL == "" {
		return nil, errors.New("its answer lacks md5, token or url")
	}
	at, err := base.Parse(base.Path + "/" + strings.TrimPrefix(drawn.URL, "/"))
	if err != nil || at.Host != base.Host {
		return nil, errors.New("its picture is elsewhere")
	}
	f := &captcha.Foreign{Token: drawn.Token, URL: at.String(), Sum: strings.ToLower(drawn.Sum)}
	f.Picture, err = s.fetch(ctx, f.URL, "image/*", maxPicture)
	return f, err
}

func (s *Service) fetch(ctx context.Context, address, accept string, limit int64) ([]byte, error) {
	resp, err := s.outgoing.Get(ctx, address, accept)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %d", address, resp.StatusCode)
	}
	return outgoing.Read(resp.Body, limit)
}

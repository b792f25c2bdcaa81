package server

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"path/filepath"

	"svc/server/platform/config"
	"svc/server/platform/media"
	"svc/server/platform/outgoing"
)

// openMedia opens the media store and the media proxy.
func (s *Server) openMedia(ctx context.Context) error {
	secret, err := s.DB.Secret(ctx, "media_proxy_secret", rand.Text)
	if err != nil {
		return err
	}
	s.urls = media.NewURLs(s.cfg.BaseURL, s.Settings, secret)
	s.stores = media.NewStores(s.DB, s.cfg.DataDir, s.cfg.Media.Prefix, s.Settings)
	if s.Media, err = media.New(s.DB, s.stores, s.Settings, s.stores.Scratch(), s.now); err != nil {
		return err
	}
	s.Proxy, err = media.NewProxy(media.ProxyParts{
		URLs: s.urls, DB: s.DB, Settings: s.Settings, Rights: s.rights, Client: s.Outgoing.For(outgoing.Media), Files: s.Media, Folder: filepath.Join(s.cfg.DataDir, "proxied"), Log: s.log, Now: s.now,
	})
	if err != nil {
		return err
	}
	return s.Proxy.RenameBans(ctx)
}

// probeMedia tries the media store at the start. A fault in the operator's own
// settings ends the start. Any other failure may pass, and only files wait for
// it; an admin can correct saved settings meanwhile.
func (s *Server) probeMedia(ctx context.Context) error {
	err := s.Media.Probe(ctx)
	now, own := &s.Settings.Load().Upload, &s.Settings.Base().Upload
	switch {
	case err == nil:
		return nil
	case errors.Is(err, media.ErrMisset) && now.Uploader == own.Uploader && now.Bucket == own.Bucket:
		return config.Problems{{Setting: "SVC_MEDIA", Value: "s3://" + own.Bucket.Name, Accepted: fmt.Sprintf(
			"a bucket that is there, and in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY keys that may read and write in it (%s)", err)}}
	}
	s.log.ErrorContext(ctx, "the media store fails; files are neither taken nor shown until it answers", "err", err)
	return nil
}

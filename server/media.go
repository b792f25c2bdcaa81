package server

import (
	"context"
	"crypto/rand"
	"path/filepath"

	"svc/server/media"
	"svc/server/outgoing"
)

// openMedia opens where files are kept, and the media proxy.
func (s *Server) openMedia(ctx context.Context) error {
	secret, err := s.DB.Secret(ctx, "media_proxy_secret", rand.Text)
	if err != nil {
		return err
	}
	s.urls = media.NewURLs(s.cfg.BaseURL, s.Settings, secret)
	if s.Media, err = s.openStore(); err != nil {
		return err
	}
	s.Proxy, err = media.NewProxy(media.ProxyParts{
		URLs: s.urls, DB: s.DB, Settings: s.Settings, Client: s.Outgoing.For(outgoing.Media), Files: s.Media, Folder: filepath.Join(s.cfg.DataDir, "proxied"), Log: s.log, Now: s.now,
	})
	return err
}

func (s *Server) openStore() (*media.Service, error) {
	stores := media.NewStores(s.cfg.DataDir, s.cfg.Media.Prefix, s.Settings)
	return media.New(s.DB, stores, s.Settings, stores.Scratch(), s.now)
}

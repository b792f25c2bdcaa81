package server

import (
	"context"
	"crypto/rand"
	"path/filepath"

	"svc/server/media"
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
		URLs: s.urls, DB: s.DB, Settings: s.Settings, Client: s.Outgoing, Files: s.Media, Folder: filepath.Join(s.cfg.DataDir, "proxied"), Log: s.log, Now: s.now,
	})
	return err
}

func (s *Server) openStore() (*media.Service, error) {
	cfg, d, live := s.cfg, s.DB, s.Settings
	if cfg.Media.Bucket != "" {
		store, err := media.NewS3(cfg.Media)
		if err != nil {
			return nil, err
		}
		return media.New(d, store, live, filepath.Join(cfg.DataDir, "incoming"), s.now)
	}
	folder := cfg.Media.Path
	if folder == "" {
		folder = filepath.Join(cfg.DataDir, "uploads")
	}
	store, err := media.NewDisk(folder)
	if err != nil {
		return nil, err
	}
	// Beside the files, so that a finished one need only be renamed.
	return media.New(d, store, live, filepath.Join(folder, "incoming"), s.now)
}

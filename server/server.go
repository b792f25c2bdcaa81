// Package server joins all parts into one process and runs it: HTTP, jobs, and
// messages of other processes. Paths and handlers stand in routes.go, jobs in
// workers.go.
package server

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/api/adminapi"
	"svc/server/api/clientapi"
	"svc/server/api/documents"
	"svc/server/api/inbox"
	"svc/server/api/pages"
	"svc/server/api/streaming"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/federation/delivery"
	"svc/server/federation/outbox"
	"svc/server/federation/remote"
	"svc/server/platform/alive"
	"svc/server/platform/backlinks"
	"svc/server/platform/cards"
	"svc/server/platform/config"
	"svc/server/platform/emoji"
	"svc/server/platform/mail"
	"svc/server/platform/media"
	"svc/server/platform/naming"
	"svc/server/platform/outgoing"
	"svc/server/platform/rights"
	"svc/server/platform/static"
	"svc/server/platform/tracing"
	"svc/server/rules/archive"
	"svc/server/rules/auth"
	"svc/server/rules/chats"
	"svc/server/rules/ingest"
	"svc/server/rules/login"
	"svc/server/rules/moderation"
	"svc/server/rules/push"
	"svc/server/rules/relays"
	"svc/server/rules/settings"
	"svc/server/rules/signup"
	"svc/server/rules/social"
)

// grace is how long running requests and jobs may take after the server is
// stopped.
const grace = 20 * time.Second

// Server is the whole service.
type Server struct {
	DB         *db.DB
	Settings   *config.Live
	Saved      *settings.Store
	Auth       *auth.Service
	Signup     *signup.Service
	Social     *social.Service
	Moderation *moderation.Service
	Mail       *mail.Service
	Emojis     *emoji.Live
	Chats      *chats.Service
	Outgoing   *outgoing.Client
	Outbox     *outbox.Service
	Delivery   *delivery.Service
	Relays     *relays.Service
	Ingest     *ingest.Service
	Remote     *remote.Service
	Media      *media.Service
	Archive    *archive.Service
	Push       *push.Service
	Proxy      *media.Proxy
	Static     *static.Folder

	process   *alive.Process
	rights    *rights.Service
	inbox     *inbox.API
	streaming *streaming.API
	documents *documents.Service
	urls      *media.URLs
	stores    *media.Stores
	cards     *cards.Service
	backlinks *backlinks.Service
	cfg       config.Config
	site      config.Site
	runners   runners
	limiter   *web.Limiter
	log       *slog.Logger
	now       func() time.Time
	onReady   func()
	engine    *gin.Engine
	handler   http.Handler
	routes    []Route
	traffic   traffic
	writes    writes
	visitors  visitors
	metrics   *metrics
	traces    *tracing.Traces // nil if they are off
	fronts    frontScripts
	described func() (description, error)
}

// Options are the dependencies of New beside the settings.
type Options struct {
	Log     *slog.Logger
	Now     func() time.Time                // nil is time.Now
	NewKey  func() (*rsa.PrivateKey, error) // see remote.Parts
	Version string
	Traces  *tracing.Traces // nil for none; the caller closes it
	Ready   func()          // called once requests are answered; may be nil
	// Each comes before every route, in this order; tests look at answers with it.
	Each []gin.HandlerFunc
}

// New joins the parts over an open, migrated database.
func New(ctx context.Context, cfg config.Config, d *db.DB, o Options) (*Server, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if err := KeepBaseURL(ctx, d, cfg.BaseURL); err != nil {
		return nil, err
	}
	live, err := config.NewLive(cfg.Settings)
	if err != nil {
		return nil, err
	}
	o.Log = slog.New(leveled{o.Log.Handler(), live})
	saved, err := settings.Open(ctx, d, live, settings.Options{FromDatabase: cfg.FromDatabase, Whitelist: cfg.Whitelist, Unlocked: cfg.Unlocked, Log: o.Log})
	if err != nil {
		return nil, err
	}
	site := config.NewSite(cfg.BaseURL, cfg.FederationInsecure)
	site.Words = naming.New(cfg.Name)
	s := &Server{DB: d, Settings: live, Saved: saved, cfg: cfg, site: site, log: o.Log, now: o.Now, onReady: o.Ready, traces: o.Traces, process: alive.New(d, o.Log), rights: rights.New(live, cfg.FromDatabase), fronts: newFrontScripts()}
	if site.Insecure {
		o.Log.WarnContext(ctx, "insecure federation: this server calls any address, over plain HTTP too; never use this but in tests",
			"setting", "SVC_FEDERATION_INSECURE")
	}
	s.Outgoing = outgoing.New(outgoing.Options{
		Agent:    func() string { return live.Load().Agent(o.Version, site.Base) },
		Proxy:    func() *url.URL { return live.Load().HTTP.Proxy.URL() },
		Bounds:   func() outgoing.Bounds { return bounds(live.Load()) },
		Insecure: site.Insecure,
	})
	if err := s.openMedia(ctx); err != nil {
		return nil, err
	}
	if s.Mail, err = mail.New(live, site.Base, o.Now); err != nil {
		return nil, err
	}
	if s.Emojis, err = emoji.New(cfg.DataDir, site.Base, live, d, o.Log); err != nil {
		return nil, err
	}
	s.Static = static.New(d, cfg.DataDir, live)
	s.cards = cards.New(d, live, s.Outgoing, o.Now)
	s.backlinks = backlinks.New(d, s.Outgoing, site.Base, o.Now)

	s.Remote = remote.New(remote.Parts{DB: d, Settings: live, Site: site, Outgoing: s.Outgoing, Traces: o.Traces, Log: o.Log, Now: o.Now, NewKey: o.NewKey})
	s.Outbox = outbox.New(live, site.Base)
	s.Delivery = delivery.New(delivery.Parts{
		DB: d, Process: s.process, Settings: live, Send: s.Remote, Relays: d.RelayInboxes, Visits: s.visitors.visits, Site: site, Traces: o.Traces, Now: o.Now, Log: o.Log,
	})

	s.Auth = auth.New(auth.Parts{DB: d, Settings: live, Log: o.Log, Now: o.Now})
	s.Relays = relays.New(relays.Parts{DB: d, Settings: live, Site: site, Remote: s.Remote, Outbox: s.Outbox})
	s.Social = social.New(social.Parts{
		DB: d, Settings: live, Site: site, Emojis: s.Emojis, Cards: s.cards, Outbox: s.Outbox, Remote: s.Remote, Now: o.Now,
	})
	s.Chats = chats.New(chats.Parts{DB: d, Settings: live, Site: site, Emojis: s.Emojis, Outbox: s.Outbox, Now: o.Now})
	s.Signup = signup.New(signup.Parts{
		DB: d, Settings: live, Rights: s.rights, Site: site, Auth: s.Auth, Social: s.Social, Chats: s.Chats, Mail: s.Mail, Outgoing: s.Outgoing, Now: o.Now,
	})
	logins := login.New(s.Auth, s.Signup, o.Log)
	s.Archive = archive.New(archive.Parts{DB: d, Settings: live, Site: site, Media: s.Media, Data: cfg.DataDir, Now: o.Now})
	s.Moderation = moderation.New(moderation.Parts{
		DB: d, Settings: live, Saved: saved, Rights: s.rights, Social: s.Social, Signup: s.Signup, Auth: s.Auth, Archive: s.Archive, Chats: s.Chats,
		Outbox: s.Outbox, Remote: s.Remote, Relays: s.Relays, Proxy: s.Proxy, Now: o.Now,
	})
	s.Ingest = ingest.New(ingest.Parts{
		DB: d, Process: s.process, Settings: live, Site: site, Social: s.Social, Moderation: s.Moderation, Outbox: s.Outbox, Relays: s.Relays,
		Remote: s.Remote, Chats: s.Chats, Traces: o.Traces, Log: o.Log, Now: o.Now,
	})

	v, err := view.New(view.Parts{DB: d, Settings: live, Rights: s.rights, Site: site, URLs: s.urls, Remote: s.Remote})
	if err != nil {
		return nil, err
	}
	identities, err := auth.NewIdentities(d, live, o.Now)
	if err != nil {
		return nil, err
	}
	standings, err := auth.NewStandings(d, o.Now)
	if err != nil {
		return nil, err
	}
	s.Push = push.New(push.Parts{
		DB: d, Settings: live, Rights: s.rights, Site: site, Auth: s.Auth, Identities: identities, Outgoing: s.Outgoing, URLs: s.urls, Traces: o.Traces, Now: o.Now, Log: o.Log,
	})
	client := clientapi.New(clientapi.Parts{
		DB: d, View: v, Social: s.Social, Auth: s.Auth, Standings: standings, Login: logins, Signup: s.Signup,
		Moderation: s.Moderation, Emojis: s.Emojis, Chats: s.Chats, Media: s.Media, Proxy: s.Proxy, Archive: s.Archive, Push: s.Push, Static: s.Static,
		Remote: s.Remote, Ingest: s.Ingest, Settings: live, Rights: s.rights, Site: site, Version: o.Version, Now: o.Now,
	})
	admin := &adminapi.Parts{
		DB: d, View: v, Moderation: s.Moderation, Signup: s.Signup, Auth: s.Auth, Emojis: s.Emojis, Outgoing: s.Outgoing, Media: s.Media, Proxy: s.Proxy,
		Push: s.Push, Static: s.Static, Delivery: s.Delivery, Settings: live, Saved: saved, Remote: s.Remote, Rights: s.rights, Site: site,
	}
	html, err := pages.New(pages.Parts{
		DB: d, View: v, Auth: s.Auth, Login: logins, Signup: s.Signup, Settings: live, Site: site, Version: o.Version, Stats: client.Instance.Stats, Static: s.Static,
	})
	if err != nil {
		return nil, err
	}
	s.documents = documents.New(documents.Parts{DB: d, Settings: live, Site: site, Remote: s.Remote, Now: o.Now})
	s.inbox = &inbox.API{DB: d, Remote: s.Remote, Ingest: s.Ingest, Settings: live, Log: o.Log}
	s.limiter = web.NewLimiter(live, o.Now)
	guard := &web.Guard{
		Identities: identities, Login: logins, Rights: s.rights, AdminScopesOnly: func() bool { return live.Load().Auth.EnforceOAuthAdminScopeUsage },
		AdminToken: func() string { return live.Load().Auth.AdminToken }, Guesses: s.limiter,
	}
	s.streaming = streaming.New(streaming.Parts{DB: d, View: v, Identities: identities, Auth: s.Auth, Guard: guard, Limits: s.limiter, Settings: live, Log: o.Log})
	s.metrics = newMetrics(s, o.Version)
	s.described = describe(o.Version)
	s.route(client, admin, html, guard, o.Each)
	return s, nil
}

// BaseURL is the public base of every URL and id, without a slash.
func (s *Server) BaseURL() string { return s.cfg.BaseURL }

// Handler serves the whole API, for tests and for Serve.
func (s *Server) Handler() http.Handler { return s.handler }

// HTTP serves the whole API, on listeners that the caller opens.
func (s *Server) HTTP() *http.Server {
	// Bodies have a clock of their own (web.Bodies): a deadline for reading that
	// passes while a request is answered would cancel it.
	return &http.Server{
		Handler: s.handler, ReadHeaderTimeout: 10 * time.Second,
		WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		ErrorLog: slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
}

// Serve answers requests on l and runs jobs until ctx ends. Then probes report
// that it drains, and it serves on for the time in the settings, takes no more
// requests, lets running work end, and returns.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	ear, deafen := context.WithCancel(context.WithoutCancel(ctx))
	defer deafen()
	defer s.Remote.Stop()
	present, err := s.attend(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	defer s.leave(present)
	if err := s.probeMedia(ctx); err != nil {
		return err
	}
	if err := s.DB.StartEvents(context.WithoutCancel(ctx)); err != nil { // before a stream can open
		return err
	}
	go s.DB.Listen(ear)
	if s.cfg.Roles.Stream {
		go s.streaming.Run(ear)
	}
	if err := s.startWork(context.WithoutCancel(ctx)); err != nil {
		s.endWork(context.Background())
		return err
	}
	go s.Saved.Watch(ear, s.restart)
	var metered <-chan error
	if s.cfg.MetricsListen != "" {
		at, done, err := s.metrics.exportAt(ear, s.cfg.MetricsListen)
		if err != nil {
			s.endWork(context.Background())
			return err
		}
		metered = done
		s.log.InfoContext(ctx, "metrics", "address", at.String())
	}
	srv := s.HTTP()
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()
	if s.onReady != nil {
		s.onReady()
	}
	s.log.InfoContext(ctx, "serving", "address", l.Addr().String(), "base_url", s.cfg.BaseURL, "database", string(s.DB.Dialect()))
	select {
	case err := <-failed:
		s.endWork(context.Background())
		return err
	case err := <-metered:
		err = errors.Join(fmt.Errorf("metrics: %w", err), srv.Close())
		s.endWork(context.Background())
		return err
	case <-ctx.Done():
	}
	s.log.Info("stopping", "serves_on", s.cfg.Drain)
	s.traffic.leave()
	select {
	case <-time.After(s.cfg.Drain):
	case err := <-failed:
		s.endWork(context.Background())
		return err
	}
	grace, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	s.streaming.Stop(grace)
	select {
	case <-s.traffic.drain():
	case <-grace.Done():
	}
	err = srv.Shutdown(grace)
	if errors.Is(err, context.DeadlineExceeded) {
		err = srv.Close()
	}
	s.endWork(grace)
	return err
}

// startWork begins the work that this process has among its roles.
func (s *Server) startWork(ctx context.Context) error {
	if err := s.startJobs(ctx); err != nil {
		return err
	}
	if s.cfg.Roles.Work {
		if err := s.Ingest.Start(ctx); err != nil {
			return err
		}
	}
	if s.cfg.Roles.Deliver {
		return s.Delivery.Start(ctx)
	}
	return nil
}

// endWork lets jobs and calls to other servers end until ctx does. Other
// processes, or the next start, take over the rest.
func (s *Server) endWork(ctx context.Context) {
	if err := errors.Join(s.Ingest.Stop(ctx), s.Delivery.Stop(ctx), s.runners.stop(ctx)); err != nil {
		s.log.WarnContext(ctx, "work stopped with an error", "err", err)
	}
}

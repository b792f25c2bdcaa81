package config

import (
	"log/slog"
	"net/netip"
	"regexp"
	"strings"
	"time"

	"svc/client/settings/term"
)

// CORS is the group :cors_plug: access by pages of other sites.
type CORS struct {
	MaxAge      int      // seconds for which browsers remember it
	Methods     []string // that they may use
	Expose      []string // headers that they may read
	Headers     []string // headers that they may send
	Credentials bool
}

// RemoteIP is Svc.Web.Plugs.RemoteIp: trusted proxies and their headers.
// Proxies are trusted in addition to those of the operator.
type RemoteIP struct {
	Enabled  bool     // otherwise the address of the connection counts
	Headers  []string // in lower case; the first one present counts
	Proxies  []string // networks, as address/bits
	Reserved []string // networks that no caller is in
}

// Networks parses networks; invalid ones are left out.
func Networks(texts []string) []netip.Prefix {
	var out []netip.Prefix
	for _, text := range texts {
		if prefix, ok := network(text); ok {
			out = append(out, prefix)
		}
	}
	return out
}

func network(text string) (netip.Prefix, bool) {
	if addr, err := netip.ParseAddr(text); err == nil {
		addr = addr.Unmap().WithZone("")
		return netip.PrefixFrom(addr, addr.BitLen()), true
	}
	prefix, err := netip.ParsePrefix(text)
	return prefix.Masked(), err == nil
}

// Metrics is the exporter of the group :prometheus: metrics of the running
// service.
type Metrics struct {
	Enabled   bool
	Auth      term.Term // false, or a tuple of :basic, user and password
	Whitelist []string  // networks with access; empty is all
	Path      string
}

// Login returns the name and password for the metrics; ok is false if none are
// needed.
func (m *Metrics) Login() (user, password string, ok bool) {
	parts, isTuple := items(m.Auth, 3)
	if !isTuple {
		return "", "", false
	}
	user, ok1 := parts[1].Text()
	password, ok2 := parts[2].Text()
	return user, password, ok1 && ok2
}

// levels are the names of log levels.
var levels = map[string]slog.Level{
	":debug": slog.LevelDebug, ":info": slog.LevelInfo, ":notice": slog.LevelInfo + 1, ":warn": slog.LevelWarn, ":warning": slog.LevelWarn,
	":error": slog.LevelError, ":critical": slog.LevelError + 1, ":alert": slog.LevelError + 2, ":emergency": slog.LevelError + 3,
	":none": slog.LevelError + 100,
}

// LeastLogged returns the log level.
func (s *Settings) LeastLogged() slog.Level { return levels[s.LogLevel] }

// levelName returns the name of a log level.
func levelName(l slog.Level) string {
	switch {
	case l <= slog.LevelDebug:
		return ":debug"
	case l <= slog.LevelInfo:
		return ":info"
	case l <= slog.LevelWarn:
		return ":warn"
	}
	return ":error"
}

func serviceSettings() []Setting {
	const remote, exporter = "Svc.Web.Plugs.RemoteIp", "Svc.Web.Endpoint.MetricsExporter"
	cors := func(key string, kind Kind, value any, field func(*CORS) any, description string) Setting {
		return row(key, "", kind, value, func(s *Settings) any { return field(&s.CORS) }, description).in(":cors_plug")
	}
	measured := func(path string, kind Kind, value any, field func(*Metrics) any, description string) Setting {
		return row(exporter, path, kind, value, func(s *Settings) any { return field(&s.Metrics) }, description).in(":prometheus")
	}
	level := row(":console", ":level", Word, ":info", func(s *Settings) any { return &s.LogLevel }, "Least level of the lines that are logged: debug, info, warn or error").in(":logger").
		oneOf(":debug", ":info", ":notice", ":warn", ":warning", ":error", ":critical", ":alert", ":emergency", ":none")
	pools := append(
		poolSettings(":media", Pool{50, 20, 15 * time.Second}, "files", func(s *Settings) *Pool { return &s.Connections.Media }),
		poolSettings(":default", Pool{10, 2, 5 * time.Second}, "all else", func(s *Settings) *Pool { return &s.Connections.Default })...,
	)
	pools = append(pools, poolSettings(":federation", Pool{50, 10, 10 * time.Second}, "federation", func(s *Settings) *Pool { return &s.Connections.Federation })...)
	return append(pools, []Setting{
		cors(":max_age", Integer, 86400, func(c *CORS) any { return &c.MaxAge }, "How long browsers remember what other sites may ask, in seconds"),
		cors(":methods", Strings, []string{"POST", "PUT", "DELETE", "GET", "PATCH", "OPTIONS"}, func(c *CORS) any { return &c.Methods }, "Methods that other sites may use").headers(),
		cors(":expose", Strings, []string{"Link", "X-RateLimit-Reset", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-Request-Id", "Idempotency-Key"},
			func(c *CORS) any { return &c.Expose }, "Headers that other sites may read").headers(),
		cors(":headers", Strings, []string{"Authorization", "Content-Type", "Idempotency-Key"}, func(c *CORS) any { return &c.Headers }, "Headers that other sites may send").headers(),
		cors(":credentials", Boolean, true, func(c *CORS) any { return &c.Credentials }, "Whether other sites are told that they may send credentials"),
		row(remote, ":enabled", Boolean, true, func(s *Settings) any { return &s.RemoteIP.Enabled }, "Whether the addresses of callers are taken from proxies' headers"),
		row(remote, ":headers", Strings, []string{"x-forwarded-for"}, func(s *Settings) any { return &s.RemoteIP.Headers }, "Headers in which proxies tell the caller's address; the first that is there counts").headers(),
		row(remote, ":proxies", Strings, []string{}, func(s *Settings) any { return &s.RemoteIP.Proxies }, "Proxies that are believed, besides those that the operator trusts").networks(),
		row(remote, ":reserved", Strings, []string{"127.0.0.0/8", "::1/128", "fc00::/7", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"},
			func(s *Settings) any { return &s.RemoteIP.Reserved }, "Networks of proxies: addresses in them are passed over").networks(),
		level,
		measured(":enabled", Boolean, false, func(m *Metrics) any { return &m.Enabled }, "Whether metrics of the running service are served for Prometheus"),
		measured(":auth", Any, term.Bool(false), func(m *Metrics) any { return &m.Auth }, "Name and password that read the metrics; false for none").secret().login(),
		measured(":ip_whitelist", Strings, []string{}, func(m *Metrics) any { return &m.Whitelist }, "Networks whose callers may read the metrics; an empty list is all").networks(),
		measured(":path", String, "/api/svc/app_metrics", func(m *Metrics) any { return &m.Path }, "Path under which the metrics are served").path(),
		row(":connections_pool", ":max_connections", Integer, 250, func(s *Settings) any { return &s.Connections.Most }, "Most calls to other servers at once").between(1, 100000),
		row(":connections_pool", ":connect_timeout", Millis, 5*time.Second, func(s *Settings) any { return &s.Connections.Connect }, "How long connecting may take, in milliseconds").between(1, 600000),
		row(":connections_pool", ":max_idle_time", Millis, 30*time.Second, func(s *Settings) any { return &s.Connections.Idle }, "How long an idle connection is kept, in milliseconds").between(1, 3600000),
	}...)
}

// Connections is the groups :connections_pool and :pools: bounds of calls to
// other servers.
type Connections struct {
	Most    int // calls at once
	Connect time.Duration
	Idle    time.Duration
	Media   Pool // calls for files
	Default Pool // all others
	// Federation bounds the calls for documents and activities.
	Federation Pool
}

// Pool bounds the calls for one purpose.
type Pool struct {
	Size       int // calls at once
	MaxWaiting int // calls that wait for others to end
	Receive    time.Duration
}

// poolSettings are the rows of a pool.
func poolSettings(name string, standard Pool, of string, field func(*Settings) *Pool) []Setting {
	return []Setting{
		row(":pools", name+" :size", Integer, standard.Size, func(s *Settings) any { return &field(s).Size }, "Calls at once, for "+of).between(1, 100000),
		row(":pools", name+" :max_waiting", Integer, standard.MaxWaiting, func(s *Settings) any { return &field(s).MaxWaiting }, "Calls that may wait, for "+of),
		row(":pools", name+" :recv_timeout", Millis, standard.Receive, func(s *Settings) any { return &field(s).Receive },
			"How long a server may say nothing, for "+of+", in milliseconds").between(1, 600000),
	}
}

var headerName = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_|~-]+$")

// headers requires each text to be the name of a header or method.
func (s Setting) headers() Setting {
	s.takes = "a list of names such as " + strings.Join(s.Default.([]string)[:1], "")
	s.check = each(headerName.MatchString)
	return s
}

// networks requires each text to be an address, or a network.
func (s Setting) networks() Setting {
	s.takes = "a list of addresses or networks such as 10.0.0.0/8"
	s.check = each(func(text string) bool { _, ok := network(text); return ok })
	return s
}

func (s Setting) path() Setting {
	s.takes = "a path such as " + textOf(s.Default)
	s.check = func(value any) bool {
		text := textOf(value)
		return len(text) > 1 && text[0] == '/' && !strings.ContainsAny(text, "?#%\\ ")
	}
	return s
}

func (s Setting) login() Setting {
	s.takes = "false, or a tuple of :basic, a name and a password"
	s.check = func(value any) bool {
		t, _ := value.(term.Term)
		if on, ok := t.Boolean(); ok {
			return !on
		}
		parts, _ := items(t, 3)
		_, _, ok := (&Metrics{Auth: t}).Login()
		if !ok {
			return false
		}
		kind, ok := parts[0].Text()
		return ok && kind == ":basic"
	}
	return s
}

func each(is func(string) bool) func(any) bool {
	return func(value any) bool {
		texts, ok := value.([]string)
		for _, text := range texts {
			ok = ok && is(text)
		}
		return ok
	}
}

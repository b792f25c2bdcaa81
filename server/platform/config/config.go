// Package config holds what an operator decides.
//
// Config is the boot settings: where to listen, which database, how to log.
// Load reads them once, from defaults, a YAML file, the environment and flags,
// and reports everything that is wrong with them together.
//
// Settings is the runtime settings: an immutable, typed snapshot that readers
// take from a Live at each use. One table, Registry, gives each of them its
// name on the wire, type, default and bounds.
//
// The package opens no database and starts nothing.
package config

import (
	"io"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"path/filepath"
	"strings"
	"time"
)

// Config is the boot settings of one process. It does not change while the
// process runs.
type Config struct {
	// Listen is host:port, or unix:/path for a socket.
	Listen string
	// BaseURL is the public base of every URL and id: scheme and host, no
	// trailing slash.
	BaseURL string
	// BaseURLGiven tells that someone chose BaseURL; else it follows from
	// Listen.
	BaseURLGiven bool
	// Database is sqlite:PATH, or a postgres:// URL (a secret: it may hold a
	// password).
	Database string
	// DataDir is the folder for what is kept outside a database server.
	DataDir string
	// Media is where files are kept.
	Media MediaStore
	// TrustedProxies are the peers whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// FederationInsecure allows calls to servers over plain HTTP and at
	// addresses that are not public: for tests alone.
	FederationInsecure bool
	// FromDatabase tells that runtime settings may be saved in the database and
	// act from there. Else they are the operator's alone.
	FromDatabase bool
	// Whitelist is which of them may be saved.
	Whitelist Whitelist
	// Unlocked is which of those that name programs and folders act when saved.
	Unlocked Unlocked
	// MetricsListen is host:port of numbers about the process, "" for nowhere.
	MetricsListen string
	// Drain is how long a server that was told to stop serves on, once /readyz
	// says so.
	Drain time.Duration
	// AccessLog is what is logged of each request: AccessOn, AccessOff, or with
	// AccessAddress the caller's address too.
	AccessLog string
	LogLevel  slog.Level
	// LogFormat is "text", "json", or empty for text on a terminal and JSON
	// elsewhere.
	LogFormat string
	// Settings is the runtime settings before anything saved in the database:
	// built-in values with the file's over them.
	Settings Settings
}

// Defaults is a Config with nothing set by anyone. BaseURL and Database are
// empty: they follow from Listen and DataDir once those are known.
func Defaults() Config {
	return Config{
		Listen:       "127.0.0.1:8080",
		DataDir:      "./svc-data",
		FromDatabase: true,
		Drain:        5 * time.Second,
		AccessLog:    AccessOn,
		LogLevel:     slog.LevelInfo,
		Settings:     DefaultSettings(),
	}
}

// Domain is the host, and port if not the scheme's own, of BaseURL: what
// follows the @ in the full name of a local account.
func (c Config) Domain() string {
	_, host, _ := strings.Cut(c.BaseURL, "://")
	return host
}

// Network gives the arguments of net.Listen for Listen.
func (c Config) Network() (network, address string) {
	if path, ok := strings.CutPrefix(c.Listen, "unix:"); ok {
		return "unix", path
	}
	return "tcp", c.Listen
}

// Logger makes the process's logger. Terminal says whether w is one.
func (c Config) Logger(w io.Writer, terminal bool) *slog.Logger {
	options := &slog.HandlerOptions{Level: c.LogLevel}
	if c.LogFormat == "text" || c.LogFormat == "" && terminal {
		return slog.New(slog.NewTextHandler(w, options))
	}
	return slog.New(slog.NewJSONHandler(w, options))
}

// complete fills in what follows from other settings.
func (c *Config) complete() {
	if c.Database == "" {
		c.Database = "sqlite:" + filepath.Join(c.DataDir, "svc.db")
	}
	if c.Media.Bucket == "" && c.Media.Path == "" {
		c.Media.Path = filepath.Join(c.DataDir, "uploads")
	}
	if c.BaseURL == "" {
		c.BaseURL = baseOf(c.Listen)
	}
}

// baseOf is the URL at which a browser on this machine reaches listen, or ""
// when that cannot be known before listening.
func baseOf(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil || port == "0" || strings.HasPrefix(listen, "unix:") {
		return ""
	}
	if ip, err := netip.ParseAddr(host); host == "" || err == nil && ip.IsUnspecified() {
		host = "localhost"
	}
	if port == "80" {
		if strings.Contains(host, ":") {
			return "http://[" + host + "]"
		}
		return "http://" + host
	}
	return (&url.URL{Scheme: "http", Host: net.JoinHostPort(host, port)}).String()
}

// What is logged of each request.
const (
	AccessOn      = "on" // no address
	AccessOff     = "off"
	AccessAddress = "address"
)

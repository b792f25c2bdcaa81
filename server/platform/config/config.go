// Package config holds the operator's settings.
//
// Config is the boot settings: listen address, database, logging. Load reads
// them once, from defaults, a YAML file, the environment and flags, and reports
// all faults together.
//
// Settings is the runtime settings: an immutable, typed snapshot that readers
// take from a Live at each use. One table, Registry, gives each its name on the
// wire, type, default and bounds.
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
	// Name is the service's name at the edges, see naming.
	Name string
	// Listen is host:port, or unix:/path for a socket.
	Listen string
	// BaseURL is the public base of every URL and id: scheme and host, no
	// trailing slash.
	BaseURL string
	// BaseURLGiven reports whether BaseURL was set; else it follows from Listen.
	BaseURLGiven bool
	// Database is sqlite:PATH, or a postgres:// URL (a secret: it may hold a
	// password).
	Database string
	// DatabaseConnections is the size of the pool for PostgreSQL; 0 is 12.
	DatabaseConnections int
	// DataDir is the folder of everything kept outside a database server.
	DataDir string
	// Media is where files are kept.
	Media MediaStore
	// TrustedProxies are the peers whose X-Forwarded-For is believed.
	TrustedProxies []netip.Prefix
	// FederationInsecure allows calls to servers over plain HTTP and at
	// addresses that are not public: for tests alone.
	FederationInsecure bool
	// FromDatabase allows runtime settings to be saved in the database. Otherwise
	// only the operator sets them.
	FromDatabase bool
	// Whitelist selects the settings that may be saved.
	Whitelist Whitelist
	// Unlocked names the locked settings that act when saved, see Unlocked.
	Unlocked Unlocked
	// MetricsListen is host:port of the metrics, "" for none.
	MetricsListen string
	// SSHListen is host:port of the TUI over SSH, "" for none.
	SSHListen string
	// Drain is how long a stopping server goes on serving once /readyz reports it.
	Drain time.Duration
	// Roles is what this process does.
	Roles Roles
	// Memory is how many bytes the process tries to stay below; 0 leaves it to the
	// container and the machine.
	Memory uint64
	// AccessLog is the log of requests: AccessOn, AccessOff, or AccessAddress with
	// the caller's address.
	AccessLog string
	LogLevel  slog.Level
	// LogFormat is "text", "json", or empty for text on a terminal and JSON
	// elsewhere.
	LogFormat string
	// Settings is the runtime settings below those saved in the database: built-in
	// values with the file's over them.
	Settings Settings
}

// Defaults is a Config with nothing set by anyone. BaseURL and Database are
// empty: they follow from Listen and DataDir once those are known.
func Defaults() Config {
	return Config{
		Name:         "svc",
		Listen:       "127.0.0.1:8080",
		DataDir:      "./svc-data",
		FromDatabase: true,
		Drain:        5 * time.Second,
		Roles:        AllRoles,
		AccessLog:    AccessOn,
		LogLevel:     slog.LevelInfo,
		Settings:     DefaultSettings(),
	}
}

// Domain returns the host of BaseURL, with a port other than the scheme's own:
// the part after @ in the full name of a local account.
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

// complete fills in settings that follow from others.
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

// baseOf returns the URL at which a browser on this machine reaches listen, or
// "" if that is unknown before listening.
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

// Values of the setting of the access log.
const (
	AccessOn      = "on" // no address
	AccessOff     = "off"
	AccessAddress = "address"
)

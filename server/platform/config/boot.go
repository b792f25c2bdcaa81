package config

import (
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/idna"

	"svc/server/platform/naming"
)

// A bootSetting is a boot setting with its names.
type bootSetting struct {
	name     string // in a file
	inFile   bool
	env      string // "" if it has no variable
	flag     string // "" if it has no flag
	usage    string
	shown    string // the default, for help
	accepted string // completes "give …"
	secret   bool
	set      func(c *Config, value string) bool
}

func bootSettings() []bootSetting {
	d := Defaults()
	return append([]bootSetting{
		{
			name: "listen", inFile: true, env: "SVC_LISTEN", flag: "listen", shown: d.Listen,
			usage:    "address to serve on; unix:/path for a socket",
			accepted: "host:port, or unix:/path for a socket",
			set:      setListen,
		},
		{
			name: "base_url", inFile: true, env: "SVC_BASE_URL", flag: "base-url", shown: "http:// and the address",
			usage:    "public base of every URL; fixed once the first account exists",
			accepted: "http:// or https:// and a host, without path, query or user; letters beyond ASCII are taken as the xn-- form of the name, a dot at its end is left out",
			set:      setBaseURL,
		},
		{
			name: "database", inFile: true, env: "SVC_DATABASE", flag: "database", shown: "sqlite:svc.db in the data folder",
			usage:    "sqlite:PATH or postgres://…",
			accepted: "sqlite:PATH or postgres://USER:PASSWORD@HOST/NAME",
			secret:   true,
			set:      setDatabase,
		},
		{
			name: "database_connections", inFile: true, env: "SVC_DATABASE_CONNECTIONS", shown: "12",
			accepted: "how many connections to PostgreSQL svcd opens at most, 4 to 500",
			set: func(c *Config, value string) (ok bool) {
				var err error
				c.DatabaseConnections, err = strconv.Atoi(value)
				return err == nil && c.DatabaseConnections >= 4 && c.DatabaseConnections <= 500
			},
		},
		{
			name: "data_dir", inFile: true, env: "SVC_DATA_DIR", flag: "data-dir", shown: d.DataDir,
			usage:    "folder for the SQLite database and other files",
			accepted: "the path of a folder",
			set: func(c *Config, value string) bool {
				c.DataDir = value
				return value != "" && !strings.ContainsRune(value, 0)
			},
		},
		{
			name: "media", inFile: true, env: "SVC_MEDIA", shown: "file:uploads in the data folder",
			accepted: "file:PATH, or s3://BUCKET?endpoint=URL with region and prefix if wanted",
			set:      setMedia,
		},
		{
			name: "aws_access_key_id", inFile: true, env: "AWS_ACCESS_KEY_ID", accepted: "the name of a key for the bucket of SVC_MEDIA",
			set: func(c *Config, value string) bool { c.Media.Key = value; return true },
		},
		{
			name: "aws_secret_access_key", inFile: true, env: "AWS_SECRET_ACCESS_KEY", accepted: "the key for the bucket of SVC_MEDIA", secret: true,
			set: func(c *Config, value string) bool { c.Media.Secret = value; return true },
		},
		{
			name: "trusted_proxies", inFile: true, env: "SVC_TRUSTED_PROXIES",
			accepted: "addresses or CIDRs such as 10.0.0.0/8, separated by spaces or commas",
			set:      setTrustedProxies,
		},
		{
			name: "metrics_listen", inFile: true, env: "SVC_METRICS_LISTEN", shown: "none",
			accepted: "host:port of an address for Prometheus, whose /metrics anybody who reaches it may read",
			set: func(c *Config, value string) bool {
				var at Config
				c.MetricsListen = value
				return setListen(&at, value) && !strings.HasPrefix(value, "unix:")
			},
		},
		{
			name: "ssh_listen", inFile: true, env: "SVC_SSH_LISTEN", shown: "none",
			accepted: "host:port of an address where admins and moderators reach svcctl and its TUI over SSH",
			set: func(c *Config, value string) bool {
				var at Config
				c.SSHListen = value
				return setListen(&at, value) && !strings.HasPrefix(value, "unix:")
			},
		},
		{
			name: "name", inFile: true, env: "SVC_NAME", shown: d.Name,
			accepted: "the service's name in paths and JSON: 1 to " + strconv.Itoa(naming.Longest) + " lower-case letters and digits, a letter first, and no word that paths have already, such as v1 or users",
			set: func(c *Config, value string) bool {
				c.Name = value
				return naming.Valid(value)
			},
		},
		{
			name: "drain", inFile: true, env: "SVC_DRAIN", shown: d.Drain.String(),
			accepted: "a time of up to 10m such as 15s, in which a server that stops serves on while /readyz tells balancers to go elsewhere",
			set: func(c *Config, value string) (ok bool) {
				var err error
				c.Drain, err = time.ParseDuration(value)
				return err == nil && c.Drain >= 0 && c.Drain <= 10*time.Minute
			},
		},
		{
			name: "roles", inFile: true, env: "SVC_ROLES", shown: "all",
			accepted: "what this process does, of " + roleNames + ", separated by spaces or commas; all processes of a database together must do all of it",
			set:      setRoles,
		},
		{
			name: "memory", inFile: true, env: "SVC_MEMORY", shown: "nine tenths of the container's, or half of the machine's",
			accepted: "how much memory svcd tries to stay below, as 512MiB or 2GiB, at least 64MiB",
			set:      setMemory,
		},
		{
			name: "federation_insecure", inFile: true, env: "SVC_FEDERATION_INSECURE",
			accepted: "true or false",
			set:      setFederationInsecure,
		},
		{
			name: "config_from_database", inFile: true, env: "SVC_CONFIG_FROM_DATABASE", flag: "config-from-database", shown: "true",
			usage:    "whether settings saved through the admin API act",
			accepted: "true or false",
			set:      setFromDatabase,
		},
		{
			name: "config_whitelist", inFile: true, env: "SVC_CONFIG_WHITELIST", shown: "all",
			accepted: "groups such as :svc, or group and key such as :svc/:instance, separated by spaces or commas",
			set:      setWhitelist,
		},
		{
			name: "config_unlock", inFile: true, env: "SVC_CONFIG_UNLOCK", shown: "none",
			accepted: "settings of programs and folders that admins may save, separated by spaces or commas, of " + strings.Join(LockedNames(), " "),
			set:      setUnlocked,
		},
		{
			name: "log", inFile: true, env: "SVC_LOG",
			accepted: "a level (debug, info, warn, error), a format (text, json), or both separated by a comma",
			set:      setLog,
		},
		{
			name: "access_log", inFile: true, env: "SVC_ACCESS_LOG", shown: d.AccessLog,
			accepted: "on for a line of each request, address to have the caller's address in it, or off",
			set: func(c *Config, value string) bool {
				c.AccessLog = value
				return value == AccessOn || value == AccessOff || value == AccessAddress
			},
		},
		{
			name: "log_level", flag: "log-level", shown: "info",
			usage:    "debug, info, warn or error (SVC_LOG)",
			accepted: "debug, info, warn or error",
			set:      setLogLevel,
		},
		{
			name: "log_format", flag: "log-format", shown: "text on a terminal, else json",
			usage:    "text or json (SVC_LOG)",
			accepted: "text or json",
			set:      setLogFormat,
		},
	}, smtpSettings()...)
}

func setListen(c *Config, value string) bool {
	c.Listen = value
	if path, ok := strings.CutPrefix(value, "unix:"); ok {
		return path != ""
	}
	host, port, err := net.SplitHostPort(value)
	if err != nil {
		return false
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return false
	}
	return host == "" || isHost(host)
}

func setBaseURL(c *Config, value string) bool {
	u, err := url.Parse(strings.TrimRight(value, "/"))
	if err != nil || u.Scheme != "http" && u.Scheme != "https" ||
		u.User != nil || u.Path != "" || u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return false
	}
	host, ok := publicName(u.Hostname())
	if !ok || strings.HasSuffix(u.Host, ":") {
		return false
	}
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	if port := u.Port(); port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return false
		}
		if (u.Scheme != "http" || port != "80") && (u.Scheme != "https" || port != "443") {
			host += ":" + port
		}
	}
	c.BaseURL = u.Scheme + "://" + host
	return true
}

// publicName is a host as other servers know it: in lower case and ASCII, without a dot at
// its end. It is part of every handle, and they find none that is written otherwise.
func publicName(host string) (string, bool) {
	if at, err := netip.ParseAddr(host); err == nil {
		return strings.ToLower(host), at.Zone() == ""
	}
	host = strings.TrimSuffix(host, ".")
	if strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }) {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", false
		}
		host = strings.TrimSuffix(ascii, ".")
	}
	return strings.ToLower(host), isHost(host) && !strings.HasSuffix(host, ".")
}

var hostname = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*\.?$`)

func isHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	return len(host) <= 253 && hostname.MatchString(host)
}

func setDatabase(c *Config, value string) bool {
	c.Database = value
	if path, ok := strings.CutPrefix(value, "sqlite:"); ok {
		// An in-memory database is lost with its connection.
		return path != "" && !strings.Contains(path, ":memory:") && !strings.ContainsRune(path, 0)
	}
	if !strings.HasPrefix(value, "postgres://") && !strings.HasPrefix(value, "postgresql://") {
		return false
	}
	_, err := url.Parse(value)
	return err == nil
}

func setTrustedProxies(c *Config, value string) bool {
	c.TrustedProxies = nil
	for _, word := range words(value) {
		prefix, err := netip.ParsePrefix(word)
		if err != nil {
			ip, err := netip.ParseAddr(word)
			if err != nil {
				return false
			}
			prefix = netip.PrefixFrom(ip.WithZone("").Unmap(), ip.Unmap().BitLen())
		}
		c.TrustedProxies = append(c.TrustedProxies, prefix.Masked())
	}
	return true
}

var amount = regexp.MustCompile(`^([1-9][0-9]{0,6}) ?(MiB|GiB)$`)

func setMemory(c *Config, value string) bool {
	m := amount.FindStringSubmatch(value)
	if m == nil {
		return false
	}
	n, err := strconv.ParseUint(m[1], 10, 64)
	if err != nil {
		return false
	}
	c.Memory = n << 20
	if m[2] == "GiB" {
		c.Memory = n << 30
	}
	return c.Memory >= 64<<20
}

func setFederationInsecure(c *Config, value string) bool {
	on, err := strconv.ParseBool(value)
	c.FederationInsecure = on
	return err == nil
}

func setLog(c *Config, value string) bool {
	for _, word := range strings.Split(value, ",") {
		word = strings.TrimSpace(word)
		if !setLogLevel(c, word) && !setLogFormat(c, word) {
			return false
		}
	}
	return true
}

func setLogLevel(c *Config, value string) bool {
	switch value {
	case "debug":
		c.LogLevel = slog.LevelDebug
	case "info":
		c.LogLevel = slog.LevelInfo
	case "warn":
		c.LogLevel = slog.LevelWarn
	case "error":
		c.LogLevel = slog.LevelError
	default:
		return false
	}
	return true
}

func setLogFormat(c *Config, value string) bool {
	if value != "text" && value != "json" {
		return false
	}
	c.LogFormat = value
	return true
}

// BootOnly reports whether a setting is only read from the file or the
// environment, and never saved.
func BootOnly(group, key string) bool {
	if group != ":svc" {
		return false
	}
	switch key {
	case "Svc.Repo", "Svc.Web.Endpoint", ":env", ":configurable_from_database", ":database", ":swarm", ":database_config_whitelist":
		return true
	}
	return false
}

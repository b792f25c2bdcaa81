package config

import (
	"net"
	"net/url"
	"strconv"
)

// HTTP is the group :http: how the service calls other servers.
type HTTP struct {
	Proxy         Proxy
	SendUserAgent bool
	UserAgent     string // ":default" for the service's own
}

// RichMedia is the group :rich_media: cards of the pages that statuses link to.
type RichMedia struct {
	Enabled        bool
	IgnoreHosts    []string // in lower case
	IgnoreTLD      []string // last parts of a host's name, in lower case
	FailureBackoff int      // milliseconds
}

// Proxy is what calls to other servers go through; the zero Proxy is none.
type Proxy struct {
	Type string // http, socks4 or socks5
	Host string
	Port int
}

// URL is p as an address, nil for none.
func (p Proxy) URL() *url.URL {
	if p.Type == "" {
		return nil
	}
	return &url.URL{Scheme: p.Type, Host: net.JoinHostPort(p.Host, strconv.Itoa(p.Port))}
}

func (p Proxy) sound() bool {
	switch p.Type {
	case "":
		return p == Proxy{}
	case "http", "socks4", "socks5":
		return isHost(p.Host) && p.Port > 0 && p.Port < 1<<16
	}
	return false
}

// Agent is the User-Agent of calls to other servers: NAME VERSION; BASEURL
// <EMAIL> unless another was chosen, and "" for none.
func (s *Settings) Agent(version, base string) string {
	switch {
	case !s.HTTP.SendUserAgent:
		return ""
	case s.HTTP.UserAgent != ":default":
		return s.HTTP.UserAgent
	}
	return "svc " + version + "; " + base + " <" + s.Instance.Email + ">"
}

func outgoingSettings() []Setting {
	return []Setting{
		{
			Group: ":svc", Key: ":http", Path: []string{":proxy_url"}, Kind: ProxyKind, Default: Proxy{},
			Description: "Proxy that calls to other servers go through",
			field:       func(s *Settings) any { return &s.HTTP.Proxy },
		},
		{
			Group: ":svc", Key: ":http", Path: []string{":send_user_agent"}, Kind: Boolean, Default: true,
			Description: "Whether calls to other servers say what makes them",
			field:       func(s *Settings) any { return &s.HTTP.SendUserAgent },
		},
		{
			Group: ":svc", Key: ":http", Path: []string{":user_agent"}, Kind: String, Default: ":default",
			Description: "What calls to other servers say makes them; :default is name, version and address of the instance",
			field:       func(s *Settings) any { return &s.HTTP.UserAgent },
		},
		{
			Group: ":svc", Key: ":rich_media", Path: []string{":enabled"}, Kind: Boolean, Default: true,
			Description: "Whether pages that statuses link to are fetched to show a preview",
			field:       func(s *Settings) any { return &s.RichMedia.Enabled },
		},
		{
			Group: ":svc", Key: ":rich_media", Path: []string{":ignore_hosts"}, Kind: Strings, Default: []string{},
			Description: "Hosts whose pages are not fetched",
			field:       func(s *Settings) any { return &s.RichMedia.IgnoreHosts },
		},
		{
			Group: ":svc", Key: ":rich_media", Path: []string{":ignore_tld"}, Kind: Strings, Default: []string{"local", "localdomain", "lan"},
			Description: "Ends of host names under which pages are not fetched",
			field:       func(s *Settings) any { return &s.RichMedia.IgnoreTLD },
		},
		{
			Group: ":svc", Key: ":rich_media", Path: []string{":failure_backoff"}, Kind: Integer, Default: 60000, Max: maxInt,
			Description: "How long a page that failed is left alone, in milliseconds",
			field:       func(s *Settings) any { return &s.RichMedia.FailureBackoff },
		},
	}
}

// decodeProxy reads host:port, or a list of type, host and port.
func decodeProxy(value any) (any, bool) {
	switch v := value.(type) {
	case nil:
		return Proxy{}, true
	case string:
		host, service, err := net.SplitHostPort(v)
		if err != nil {
			return nil, false
		}
		port, err := strconv.Atoi(service)
		return Proxy{Type: "http", Host: host, Port: port}, err == nil
	case []any:
		if len(v) != 3 {
			return nil, false
		}
		kind, ok1 := v[0].(string)
		host, ok2 := v[1].(string)
		port, ok3 := v[2].(int)
		if len(kind) > 0 && kind[0] == ':' {
			kind = kind[1:]
		}
		return Proxy{Type: kind, Host: host, Port: port}, ok1 && ok2 && ok3 && kind != ""
	}
	return nil, false
}

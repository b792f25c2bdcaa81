package config

import (
	"net"
	"net/url"
	"strconv"
)

// HTTP is the group :http: calls to other servers.
type HTTP struct {
	Proxy         Proxy
	SendUserAgent bool
	UserAgent     string // ":default" for the service's own
}

// RichMedia is the group :rich_media: previews of linked pages.
type RichMedia struct {
	Enabled        bool
	IgnoreHosts    []string // in lower case
	IgnoreTLD      []string // last parts of a host's name, in lower case
	FailureBackoff int      // milliseconds
}

// Proxy is the proxy for calls to other servers; the zero Proxy is none.
type Proxy struct {
	Type string // http, socks4 or socks5
	Host string
	Port int
}

// URL returns p as an address, nil for none.
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

// Agent returns the User-Agent of calls to other servers: NAME VERSION; BASEURL
// <EMAIL> unless it is configured, and "" for none.
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
		row(":http", ":proxy_url", ProxyKind, Proxy{}, func(s *Settings) any { return &s.HTTP.Proxy }, "Proxy that calls to other servers go through").null(Proxy{}),
		row(":http", ":send_user_agent", Boolean, true, func(s *Settings) any { return &s.HTTP.SendUserAgent }, "Whether calls to other servers carry a User-Agent"),
		row(":http", ":user_agent", Word, ":default", func(s *Settings) any { return &s.HTTP.UserAgent },
			"User-Agent of calls to other servers; :default is name, version and address of the instance"),
		row(":instances_favicons", ":enabled", Boolean, false, func(s *Settings) any { return &s.InstancesFavicons }, "Whether accounts show the icon of their server"),
		row(":rich_media", ":enabled", Boolean, true, func(s *Settings) any { return &s.RichMedia.Enabled },
			"Whether pages that statuses link to are fetched to show a preview"),
		row(":rich_media", ":ignore_hosts", Strings, []string{}, func(s *Settings) any { return &s.RichMedia.IgnoreHosts }, "Hosts whose pages are not fetched").ofHosts(),
		row(":rich_media", ":ignore_tld", Strings, []string{"local", "localdomain", "lan"}, func(s *Settings) any { return &s.RichMedia.IgnoreTLD },
			"Ends of host names under which pages are not fetched"),
		row(":rich_media", ":failure_backoff", Integer, 60000, func(s *Settings) any { return &s.RichMedia.FailureBackoff },
			"How long a page that failed is left alone, in milliseconds"),
	}
}

package config

// What may check names and passwords, as Directory.Authenticator names it.
const (
	OwnAuthenticator  = "Svc.Web.Auth.SvcAuthenticator"
	LDAPAuthenticator = "Svc.Web.Auth.LDAPAuthenticator"
)

// Directory is the group :ldap: a directory that is asked for names and
// passwords.
type Directory struct {
	Authenticator string // OwnAuthenticator or LDAPAuthenticator
	Enabled       bool
	Host          string
	Port          int
	SSL           bool   // encrypted from the first byte
	TLS           bool   // encrypted after the first words
	Base          string // where people stand
	UID           string // the attribute that holds the name
}

// On tells whether the directory is asked.
func (d *Directory) On() bool { return d.Enabled && d.Authenticator == LDAPAuthenticator }

func directorySettings() []Setting {
	ldap := func(path string, kind Kind, value any, field func(*Directory) any, description string) Setting {
		return row(":ldap", path, kind, value, func(s *Settings) any { return field(&s.Directory) }, description)
	}
	return []Setting{
		row("Svc.Web.Auth.Authenticator", "", Word, OwnAuthenticator, func(s *Settings) any { return &s.Directory.Authenticator },
			"What checks names and passwords").oneOf(OwnAuthenticator, LDAPAuthenticator),
		ldap(":enabled", Boolean, false, func(d *Directory) any { return &d.Enabled }, "Whether a directory is asked for names and passwords"),
		ldap(":host", String, "localhost", func(d *Directory) any { return &d.Host }, "Host of the directory"),
		ldap(":port", Integer, 389, func(d *Directory) any { return &d.Port }, "Port of the directory").between(1, 65535),
		ldap(":ssl", Boolean, false, func(d *Directory) any { return &d.SSL }, "Whether the connection is encrypted from its first byte"),
		ldap(":tls", Boolean, false, func(d *Directory) any { return &d.TLS }, "Whether an open connection is turned into an encrypted one"),
		ldap(":base", String, "dc=example,dc=com", func(d *Directory) any { return &d.Base }, "Where people stand in the directory"),
		ldap(":uid", String, "cn", func(d *Directory) any { return &d.UID }, "Attribute that holds the name"),
	}
}

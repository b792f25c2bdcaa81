package config

// The authenticators, as Directory.Authenticator names them.
const (
	OwnAuthenticator  = "Svc.Web.Auth.SvcAuthenticator"
	LDAPAuthenticator = "Svc.Web.Auth.LDAPAuthenticator"
)

// Directory is the group :ldap: a directory for names and passwords.
type Directory struct {
	Authenticator string // OwnAuthenticator or LDAPAuthenticator
	Enabled       bool
	Host          string
	Port          int
	SSL           bool   // encrypted from the first byte
	TLS           bool   // encrypted by STARTTLS
	Base          string // the base of people's entries
	UID           string // the attribute that holds the name
}

// On reports whether the directory is used.
func (d *Directory) On() bool { return d.Enabled && d.Authenticator == LDAPAuthenticator }

// Twice reports whether both kinds of encryption are on, which no directory
// supports.
func (d *Directory) Twice() bool { return d.SSL && d.TLS }

func directorySettings() []Setting {
	ldap := func(path string, kind Kind, value any, field func(*Directory) any, description string) Setting {
		return row(":ldap", path, kind, value, func(s *Settings) any { return field(&s.Directory) }, description)
	}
	return []Setting{
		row("Svc.Web.Auth.Authenticator", "", Word, OwnAuthenticator, func(s *Settings) any { return &s.Directory.Authenticator },
			"Module that checks names and passwords: the database, or a directory").oneOf(OwnAuthenticator, LDAPAuthenticator),
		ldap(":enabled", Boolean, false, func(d *Directory) any { return &d.Enabled }, "Whether a directory is asked for names and passwords"),
		ldap(":host", String, "localhost", func(d *Directory) any { return &d.Host }, "Host of the directory"),
		ldap(":port", Integer, 389, func(d *Directory) any { return &d.Port }, "Port of the directory").between(1, 65535),
		ldap(":ssl", Boolean, false, func(d *Directory) any { return &d.SSL }, "Whether the connection is encrypted from its first byte (TLS)"),
		ldap(":tls", Boolean, false, func(d *Directory) any { return &d.TLS }, "Whether STARTTLS encrypts the connection after its start"),
		ldap(":base", String, "dc=example,dc=com", func(d *Directory) any { return &d.Base }, "Base of the names of people in the directory: dc=example,dc=com"),
		ldap(":uid", String, "cn", func(d *Directory) any { return &d.UID }, "Attribute of the directory that holds the nickname: cn, uid"),
	}
}

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

// On reports whether the directory is asked.
func (d *Directory) On() bool { return d.Enabled && d.Authenticator == LDAPAuthenticator }

// Twice tells that the connection is to be encrypted from its first byte and once
// more after that, which no directory takes.
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

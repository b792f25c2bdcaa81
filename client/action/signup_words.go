package action

import (
	"strconv"

	"svc/client/api"
)

// AddressState is whether somebody confirmed a user's address, as far as that is known.
func AddressState(u api.AdminUser) string {
	switch {
	case u.Email == nil || *u.Email == "":
		return "none"
	case u.ConfirmationPending:
		return "unconfirmed"
	case u.Signup != nil && u.Signup.EmailConfirmedAt != nil:
		return "confirmed"
	case u.Signup != nil:
		return "unchecked" // no link was mailed
	}
	return ""
}

// SameDomain is how many other users have an address of the domain of a pending one.
func SameDomain(u api.AdminUser) string {
	s := u.Signup
	if s == nil || s.MailDomain == "" {
		return ""
	}
	n := strconv.Itoa(s.MailDomainUsers)
	if s.MailDomainUsers >= api.MaxMailDomainUsers {
		n += "+"
	}
	if s.MailDomainBlocked {
		n += ",blocked"
	}
	return n
}

// InviteOf is the number of the invite that a pending user registered with, "" for none.
func InviteOf(u api.AdminUser) string {
	if u.Signup == nil || u.Signup.InviteID == nil {
		return ""
	}
	return strconv.FormatInt(*u.Signup.InviteID, 10)
}

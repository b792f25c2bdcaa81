package signup

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/rules/auth"
)

const (
	blank   = "can't be blank"
	format  = "has invalid format"
	taken   = "has already been taken"
	refused = "Invalid nickname"

	// maxNickname is in characters, which are bytes here.
	maxNickname = 64
	// maxEmail is in bytes (RFC 5321, 4.5.3.1.3, without the brackets).
	maxEmail = 254
)

// check returns all faults of a registration, in the order of the form.
func (s *Service) check(ctx context.Context, settings *config.Settings, row *newRow, in NewAccount) ([]fault.Field, error) {
	var wrong []fault.Field
	add := func(name, message string) {
		if message != "" {
			wrong = append(wrong, fault.Field{Name: name, Message: message})
		}
	}
	message := nicknameFault(settings, in.Nickname)
	if message == "" {
		var err error
		if message, err = inUse(s.db.AccountByNickname(ctx, in.Nickname)); err != nil {
			return nil, err
		}
	}
	add("nickname", message)

	if in.Email != "" {
		if message = emailFault(settings.User.EmailBlacklist, in.Email); message == "" {
			var err error
			if message, err = inUse(s.db.UserByEmail(ctx, in.Email)); err != nil {
				return nil, err
			}
		}
		add("email", message)
	}
	add("password", auth.PasswordFault(in.Password))
	add("name", longerThan(row.account.DisplayName, settings.Instance.UserNameLength))
	add("bio", longerThan(row.account.Note, settings.Instance.UserBioLength))
	add("registration_reason", longerThan(in.Reason, settings.Instance.RegistrationReasonLength))
	return wrong, nil
}

func inUse[T any](_ *T, err error) (string, error) {
	switch {
	case err == nil:
		return taken, nil
	case errors.Is(err, db.ErrNotFound):
		return "", nil
	}
	return "", err
}

// nicknameFault returns the fault of a local nickname. One of digits alone
// could be taken for another account's number.
func nicknameFault(settings *config.Settings, name string) string {
	digits := true
	for _, c := range []byte(name) {
		switch {
		case c >= '0' && c <= '9':
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
			digits = false
		case (c == '_' || c == '-') && settings.Instance.ExtendedNicknameFormat:
			digits = false
		default:
			return format
		}
	}
	switch {
	case name == "":
		return blank
	case len(name) > maxNickname:
		return tooLong(maxNickname)
	case digits:
		return format
	case slices.ContainsFunc(settings.User.RestrictedNicknames, func(r string) bool { return strings.EqualFold(r, name) }):
		return refused
	}
	return ""
}

// emailFault returns the fault of an address: its form, or a blocked domain.
func emailFault(blacklist []string, address string) string {
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Address != address || len(address) > maxEmail || strings.ContainsAny(address, "\"\r\n") || !deliverable(address) {
		return format
	}
	if config.MailDomainBlocked(blacklist, address[strings.LastIndexByte(address, '@')+1:]) {
		return "Invalid email"
	}
	return ""
}

// deliverable reports whether every mail server accepts an address. Letters
// outside of ASCII need RFC 6531, and a refusal would come too late.
func deliverable(address string) bool {
	return strings.IndexFunc(address, func(r rune) bool { return r > unicode.MaxASCII }) < 0
}

func longerThan(s string, most int) string {
	if utf8.RuneCountInString(s) > most {
		return tooLong(most)
	}
	return ""
}

func tooLong(most int) string { return fmt.Sprintf("should be at most %d character(s)", most) }

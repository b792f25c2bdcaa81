package moderation

import (
	"context"
	"slices"
	"strings"

	"svc/client/settings/term"
	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/hosts"
	"svc/server/rules/settings"
)

// maxMailDomains bounds the domains of one request.
const maxMailDomains = 100

// MailDomains returns the mail domains that nobody may sign up with, or change their
// address to.
func (s *Service) MailDomains(ctx context.Context, by *db.Account) ([]string, error) {
	if err := s.rights.Check(by, MailDomainsBlocked.right); err != nil {
		return nil, err
	}
	return s.settings.Load().User.EmailBlacklist, nil
}

// BlockMailDomains blocks mail domains with those below them. Users with an address
// there keep it.
func (s *Service) BlockMailDomains(ctx context.Context, by *db.Account, domains ...string) error {
	return s.changeMailDomains(ctx, by, MailDomainsBlocked, domains)
}

// UnblockMailDomains takes that back, for the domains as they were blocked. One that
// is not blocked stays so.
func (s *Service) UnblockMailDomains(ctx context.Context, by *db.Account, domains ...string) error {
	return s.changeMailDomains(ctx, by, MailDomainsUnblocked, domains)
}

// changeMailDomains changes the setting and logs the domains that changed, all or none.
// When it returns, this process uses the change.
func (s *Service) changeMailDomains(ctx context.Context, by *db.Account, action *Action, domains []string) error {
	if err := s.rights.Check(by, action.right); err != nil {
		return err
	}
	if len(domains) == 0 || len(domains) > maxMailDomains {
		return fault.Malformed("Invalid parameters")
	}
	block, names := action == MailDomainsBlocked, make([]string, len(domains))
	for i, d := range domains {
		name, ok := hosts.Name(strings.TrimSpace(d))
		// A name without a dot would block all domains of a country.
		if ok = ok && !strings.Contains(name, ":"); !ok || !strings.Contains(name, ".") && block {
			return fault.Malformed("Invalid parameters")
		}
		names[i] = name
	}
	const group, key, subkey = ":svc", "Svc.User", ":email_blacklist"
	if !s.saved.Allows(group, key) {
		return fault.Forbidden("The operator does not let " + key + " be changed here.")
	}
	hold := func(ctx context.Context, tx *db.DB) error { return s.rights.Hold(ctx, tx, by, action.right) }
	_, err := s.saved.Edit(ctx, by, hold, func(ctx context.Context, tx *db.DB, now *config.Settings) ([]settings.Change, error) {
		list := slices.Clone(now.User.EmailBlacklist)
		var changed []string
		for _, name := range names {
			same := func(other string) bool { return hosts.Clean(other) == name }
			if slices.ContainsFunc(list, same) == block {
				continue
			}
			changed = append(changed, name)
			if block {
				list = append(list, name)
			} else {
				list = slices.DeleteFunc(list, same)
			}
		}
		if len(changed) == 0 {
			return nil, nil
		}
		value := term.Keyword(term.Entry(subkey, term.Strings(list...)))
		return []settings.Change{{Group: group, Key: key, Value: value.JSON()}}, s.Log(ctx, tx, by, action, Data{Target: strings.Join(changed, ", ")})
	})
	return err
}

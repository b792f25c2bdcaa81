package social

import (
	"context"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/hosts"
)

// BlockDomain hides the accounts of a domain from by, unless by follows them.
// *.example.org includes all subdomains. Follows stay. Repeating it changes
// nothing.
func (s *Service) BlockDomain(ctx context.Context, by *db.Account, domain string) error {
	name, ok := domainName(domain)
	if !ok {
		return fault.Invalid("Domain is not a valid domain name")
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := holdActive(ctx, tx, by); err != nil {
			return err
		}
		all, patterns, err := tx.CountDomainBlocks(ctx, by.ID)
		switch {
		case err != nil:
			return err
		case all >= db.MaxDomainBlocks:
			return fault.Invalidf("You cannot block more than %d domains", db.MaxDomainBlocks)
		case strings.HasPrefix(name, "*.") && patterns >= db.MaxDomainPatterns:
			return fault.Invalidf("You cannot block more than %d domains with their subdomains", db.MaxDomainPatterns)
		}
		return tx.CreateDomainBlock(ctx, by.ID, name)
	})
}

// UnblockDomain ends the block of a domain; none is no error.
func (s *Service) UnblockDomain(ctx context.Context, by *db.Account, domain string) error {
	name, ok := domainName(domain)
	if !ok {
		return nil
	}
	return s.db.Tx(ctx, func(tx *db.DB) error { return tx.DeleteDomainBlock(ctx, by.ID, name) })
}

// domainName returns the stored form of a domain, as in the hosts of accounts.
// A leading *. stays.
func domainName(s string) (string, bool) {
	name, pattern := strings.CutPrefix(strings.TrimSpace(s), "*.")
	name, ok := hosts.Name(name)
	if pattern {
		name = "*." + name
	}
	return name, ok
}

package social

import (
	"context"
	"strings"

	"svc/db"
	"svc/server/platform/fault"
	"svc/server/platform/hosts"
)

// BlockDomain has by not see what comes from a domain, unless he follows its
// author; *.example.org stands for the domain and all below it. It leaves
// follows alone. Repeating changes nothing.
func (s *Service) BlockDomain(ctx context.Context, by *db.Account, domain string) error {
	name, ok := domainName(domain)
	if !ok {
		return fault.Invalid("Domain is not a valid domain name")
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, by.ID); err != nil {
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

// UnblockDomain lifts the block of a domain; without one it changes nothing.
func (s *Service) UnblockDomain(ctx context.Context, by *db.Account, domain string) error {
	name, ok := domainName(domain)
	if !ok {
		return nil
	}
	return s.db.Tx(ctx, func(tx *db.DB) error { return tx.DeleteDomainBlock(ctx, by.ID, name) })
}

// domainName is the stored form of a domain, as the hosts of accounts are kept. A
// leading *. stays.
func domainName(s string) (string, bool) {
	name, pattern := strings.CutPrefix(strings.TrimSpace(s), "*.")
	name, ok := hosts.Name(name)
	if pattern {
		name = "*." + name
	}
	return name, ok
}

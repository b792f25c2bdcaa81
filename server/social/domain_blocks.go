package social

import (
	"context"
	"strings"

	"golang.org/x/net/idna"

	"svc/db"
	"svc/server/fault"
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

// domainName is the stored form of a domain: in lower case, and in ASCII as
// nicknames have it. A leading *. stays, a port does too.
func domainName(s string) (string, bool) {
	s = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(s), "."))
	star := ""
	if rest, ok := strings.CutPrefix(s, "*."); ok {
		star, s = "*.", rest
	}
	host, port, hasPort := strings.Cut(s, ":")
	ascii, err := idna.Lookup.ToASCII(host)
	if err != nil || ascii == "" || len(ascii) > 253 {
		return "", false
	}
	for _, label := range strings.Split(ascii, ".") {
		if label == "" || len(label) > 63 {
			return "", false
		}
	}
	for _, r := range ascii {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '.' {
			return "", false
		}
	}
	if !hasPort {
		return star + ascii, true
	}
	if port == "" || len(port) > 5 || strings.Trim(port, "0123456789") != "" {
		return "", false
	}
	return star + ascii + ":" + port, true
}

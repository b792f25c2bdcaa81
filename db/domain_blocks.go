package db

import (
	"context"
	"fmt"
	"strings"
)

// MaxDomainBlocks bounds the domains that an account may block, and
// MaxDomainPatterns those with their subdomains, as *.example.org: all patterns
// are tried on every remote account.
const (
	MaxDomainBlocks   = 5000
	MaxDomainPatterns = 100
)

// domainBlocked adds the condition that an account blocks the domain of the
// account alias: by name, or by a pattern, which includes the domain itself. It
// is never NULL.
func (q *selection) domainBlocked(alias, accountID string) {
	q.add(strings.ReplaceAll(`COALESCE($.domain, '') <> '' AND (
		EXISTS (SELECT 1 FROM domain_blocks xd WHERE xd.account_id = ? AND xd.domain = $.domain`+existsOnce+`)
		OR EXISTS (SELECT 1 FROM domain_blocks xp WHERE xp.account_id = ? AND xp.domain >= '*.' AND xp.domain < '*/'
			AND ($.domain = SUBSTR(xp.domain, 3) OR $.domain LIKE '%.' || SUBSTR(xp.domain, 3))`+existsOnce+`))`, "$", alias), accountID, accountID)
}

// domainPatterns returns the entries that block a domain: its name, and the
// pattern of itself and of each domain above.
func domainPatterns(domain string) []string {
	out := []string{domain, "*." + domain}
	for {
		_, above, ok := strings.Cut(domain, ".")
		if !ok {
			return out
		}
		out = append(out, "*."+above)
		domain = above
	}
}

// BlocksDomainOf reports whether an account blocks the domain of another
// account that it does not follow.
func (d *DB) BlocksDomainOf(ctx context.Context, accountID string, other *Account) (bool, error) {
	if other.Domain == "" {
		return false, nil
	}
	return value[bool](ctx, d, fmt.Sprintf("whether %s shuts %s out", accountID, other.ID), `SELECT EXISTS (SELECT 1 FROM domain_blocks WHERE account_id = ? AND domain IN ?)
		AND NOT EXISTS (SELECT 1 FROM follows WHERE follower_id = ? AND target_id = ? AND NOT pending)`,
		accountID, domainPatterns(other.Domain), accountID, other.ID)
}

// CreateDomainBlock makes an account block a domain. Repeating it changes
// nothing.
func (d *DB) CreateDomainBlock(ctx context.Context, accountID, domain string) error {
	if _, err := d.exec(ctx, "block domain", "INSERT INTO domain_blocks (account_id, domain, created_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
		accountID, domain, d.Now()); err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, accountID)
}

// DeleteDomainBlock lifts the block of a domain; none is no error.
func (d *DB) DeleteDomainBlock(ctx context.Context, accountID, domain string) error {
	if _, err := d.exec(ctx, "unblock domain", "DELETE FROM domain_blocks WHERE account_id = ? AND domain = ?", accountID, domain); err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, accountID)
}

// CountDomainBlocks counts the domains that an account blocks, and the patterns
// among them.
func (d *DB) CountDomainBlocks(ctx context.Context, accountID string) (all, patterns int, err error) {
	row, err := value[struct{ Domains, Patterns int }](ctx, d, "count blocked domains of "+accountID, `SELECT COUNT(*) AS domains, COUNT(CASE WHEN domain >= '*.' AND domain < '*/' THEN 1 END) AS patterns
		FROM domain_blocks WHERE account_id = ?`, accountID)
	return row.Domains, row.Patterns, err
}

// DomainBlocks returns a page of the domains that an account blocks, which are
// their own keys, in reverse alphabetical order.
func (d *DB) DomainBlocks(ctx context.Context, accountID string, p Page) ([]string, error) {
	cond, order, args := p.where("domain")
	out, err := list[string](ctx, d, "blocked domains of "+accountID, "SELECT domain FROM domain_blocks WHERE account_id = ?"+cond+order, append([]any{accountID}, args...)...)
	return newestFirst(p, out), err
}

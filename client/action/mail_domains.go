package action

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
)

var errNoMailDomain = errors.New("is not a mail domain, like spam.example")

// mailDomain blocks mail domains for sign-ups, or unblocks them.
func (e *Engine) mailDomain(kind Kind) kindRules {
	wished := strconv.FormatBool(kind == MailDomainBlock)
	state := func(it *item, blocked []string) string {
		return strconv.FormatBool(slices.Contains(blocked, HostName(it.target.Name)))
	}
	blocked := once(e.client.Admin.MailDomains.List)
	return kindRules{
		read: func(ctx context.Context, it *item) error {
			if kind == MailDomainBlock && (!strings.Contains(it.target.Name, ".") || strings.ContainsAny(it.target.Name, "@:")) {
				return errNoMailDomain
			}
			all, err := blocked(ctx)
			it.now = map[string]string{"blocked": state(it, all)}
			return err
		},
		wish: func(Action) map[string]string { return map[string]string{"blocked": wished} },
		landed: func(ctx context.Context, it *item) (bool, error) {
			all, err := e.client.Admin.MailDomains.List(ctx)
			return err == nil && state(it, all) == wished, err
		},
		many: true,
		send: func(ctx context.Context, items []*item) (err error) {
			domains := make([]string, len(items))
			for i, it := range items {
				domains[i] = it.target.Name
			}
			if kind == MailDomainBlock {
				_, err = e.client.Admin.MailDomains.Block(ctx, domains...)
			} else {
				_, err = e.client.Admin.MailDomains.Unblock(ctx, domains...)
			}
			return err
		},
		inverse: func(it *item) *Action {
			return &Action{Kind: kind.facts().back, Target: it.target.String(), Before: map[string]string{"blocked": wished}}
		},
	}
}

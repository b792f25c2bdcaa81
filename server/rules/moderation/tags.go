package moderation

import (
	"context"
	"slices"
	"strings"

	"svc/db"
)

// Tag adds tags to accounts, all or none, in lower case and each once. The log
// has the tags as they were sent.
func (s *Service) Tag(ctx context.Context, by *db.Account, nicknames, tags []string) error {
	return s.setTags(ctx, by, Tagged, nicknames, tags, func(has, given []string) []string {
		for _, tag := range given {
			if !slices.Contains(has, tag) {
				has = append(has, tag)
			}
		}
		return has
	})
}

// Untag removes tags from accounts, like Tag; missing ones are no error.
func (s *Service) Untag(ctx context.Context, by *db.Account, nicknames, tags []string) error {
	return s.setTags(ctx, by, Untagged, nicknames, tags, func(has, given []string) []string {
		return slices.DeleteFunc(has, func(tag string) bool { return slices.Contains(given, tag) })
	})
}

func (s *Service) setTags(ctx context.Context, by *db.Account, action *Action, nicknames, tags []string, change func(has, given []string) []string) error {
	if err := s.rights.Check(by, action.right); err != nil || len(nicknames) == 0 || len(tags) == 0 {
		return err
	}
	given := make([]string, len(tags))
	for i, tag := range tags {
		given[i] = strings.ToLower(tag)
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		t, err := s.choose(ctx, tx, by, action.right, nicknames, alone)
		if err != nil {
			return err
		}
		for _, a := range t.inOrder() {
			if err := tx.SetAccountTags(ctx, a, change(slices.Clone([]string(a.Tags)), given)); err != nil {
				return err
			}
		}
		return s.Log(ctx, tx, by, action, Data{Nicknames: nicknames, Tags: tags, About: t.ids})
	})
}

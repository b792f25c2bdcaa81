package view

import (
	"context"
	"encoding/json"

	"svc/client/api"
	"svc/db"
	"svc/server/platform/hosts"
)

// cards reads the cards of rows, if there are any.
func (v *View) cards(ctx context.Context, rows []db.Status) (map[int64]*db.Card, error) {
	var ids []int64
	for i := range rows {
		if id := rows[i].CardID; id != nil {
			ids = append(ids, *id)
		}
	}
	return v.db.Cards(ctx, ids)
}

func (v *View) card(c *db.Card) *api.Card {
	if c == nil {
		return nil
	}
	out := &api.Card{
		Type: "link", URL: hosts.URI(c.URL), Title: c.Title, Description: c.Description, Image: optional(v.url(c.Image)),
		ProviderName: c.ProviderName, ProviderURL: hosts.URI(c.ProviderURL),
	}
	// The card has texts only, so that no part of it looks like a part of the
	// status.
	if raw, err := json.Marshal(c.OpenGraph); err == nil && len(c.OpenGraph) > 0 {
		out.Svc.OpenGraph = raw
	} else {
		out.Svc.OpenGraph = json.RawMessage(`{}`)
	}
	return out
}

// Card renders the card of a status, nil when it has none.
func (v *View) Card(ctx context.Context, s *db.Status) (*api.Card, error) {
	cards, err := v.cards(ctx, []db.Status{*s})
	if err != nil || s.CardID == nil {
		return nil, err
	}
	return v.card(cards[*s.CardID]), nil
}

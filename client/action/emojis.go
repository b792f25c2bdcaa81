package action

import (
	"context"
	"slices"

	"svc/client/api"
)

// emojis reads the custom emoji of the server, by shortcode.
func (e *Engine) emojis(ctx context.Context) (map[string]api.AdminEmoji, error) {
	out := map[string]api.AdminEmoji{}
	for emoji, err := range e.client.Admin.Emojis.List(api.AdminEmojiQuery{PageSize: api.MaxEmojiPage}).All(ctx) {
		if err != nil {
			return nil, err
		}
		out[emoji.Shortcode] = emoji
	}
	return out, nil
}

// changeEmoji enables, disables or removes custom emoji. Of a removed one nothing is
// left, so that it cannot be found again.
func (e *Engine) changeEmoji(kind Kind) kindRules {
	wished := map[Kind]string{EmojiEnable: api.EmojiEnabled, EmojiDisable: api.EmojiDisabled, EmojiRemove: "gone"}[kind]
	known := once(e.emojis)
	rules := kindRules{
		read: func(ctx context.Context, it *item) error {
			all, err := known(ctx)
			if err != nil {
				return err
			}
			emoji, there := all[it.target.Name]
			if !there {
				return notFound(adminPath + "/emoji")
			}
			it.now = map[string]string{"emoji": emoji.State}
			return nil
		},
		wish: func(Action) map[string]string { return map[string]string{"emoji": wished} },
		landed: func(ctx context.Context, it *item) (bool, error) {
			all, err := e.emojis(ctx)
			emoji, there := all[it.target.Name]
			return err == nil && (emoji.State == wished || !there && kind == EmojiRemove), err
		},
	}
	if kind == EmojiRemove {
		rules.send = func(ctx context.Context, items []*item) error {
			all, err := known(ctx)
			if err != nil {
				return err
			}
			name := items[0].target.Name
			return e.client.Admin.Emojis.Remove(ctx, all[name].Pack, name)
		}
		return rules
	}
	rules.many = true
	rules.send = func(ctx context.Context, items []*item) error {
		codes := make([]string, len(items))
		for i, it := range items {
			codes[i] = it.target.Name
		}
		slices.Sort(codes)
		_, err := e.client.Admin.Emojis.SetEnabled(ctx, kind == EmojiEnable, codes...)
		return err
	}
	rules.inverse = func(it *item) *Action {
		return &Action{Kind: kind.facts().back, Target: it.target.String(), Before: map[string]string{"emoji": wished}}
	}
	return rules
}

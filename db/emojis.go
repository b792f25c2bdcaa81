package db

import (
	"context"
	"slices"
	"strings"
)

// remoteEmojiPosts is how many of a server's latest posts are read for its emoji.
const remoteEmojiPosts = 1000

// RemoteEmojis returns the emoji in the latest public posts that are known of a
// server, by shortcode. Of one with several pictures the latest counts.
func (d *DB) RemoteEmojis(ctx context.Context, host string) ([]Emoji, error) {
	type row struct{ Emojis Slice[Emoji] }
	rows, err := list[row](ctx, d, "emoji of "+host, `SELECT p.emojis FROM (
			SELECT id, emojis, visibility FROM statuses WHERE host = ? AND NOT local ORDER BY id DESC LIMIT ?
		) p WHERE p.emojis <> '[]' AND p.visibility IN ('public', 'unlisted') ORDER BY p.id DESC`, host, remoteEmojiPosts)
	if err != nil {
		return nil, err
	}
	var out []Emoji
	seen := map[string]bool{}
	for _, r := range rows {
		for _, e := range r.Emojis {
			if !seen[e.Shortcode] {
				seen[e.Shortcode] = true
				out = append(out, e)
			}
		}
	}
	slices.SortFunc(out, func(a, b Emoji) int { return strings.Compare(a.Shortcode, b.Shortcode) })
	return out, nil
}

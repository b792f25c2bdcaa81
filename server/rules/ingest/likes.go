package ingest

import (
	"context"
	"strings"

	"svc/db"
	"svc/server/federation/activitypub"
	"svc/server/platform/text"
	"svc/server/rules/social"
)

// onLike handles a Like: a favourite or, with an emoji, a reaction.
func (s *Service) onLike(ctx context.Context, in *Incoming) error {
	emoji := emojiOf(in.Activity)
	if emoji == "" {
		return s.withObject(ctx, in, func(tx *db.DB, status *db.Status) error {
			return s.social.In(tx).TakeFavourite(ctx, in.Actor, status.ID, in.ID)
		})
	}
	return s.react(ctx, in, emoji)
}

// onReact handles a reaction.
func (s *Service) onReact(ctx context.Context, in *Incoming) error {
	emoji := emojiOf(in.Activity)
	if emoji == "" {
		return errDrop("a reaction with %.50q, which is no emoji", in.Activity.Text("content"))
	}
	return s.react(ctx, in, emoji)
}

func (s *Service) react(ctx context.Context, in *Incoming, emoji string) error {
	return s.withObject(ctx, in, func(tx *db.DB, status *db.Status) error {
		return s.social.In(tx).TakeReaction(ctx, in.Actor, status.ID, emoji, in.ID)
	})
}

// withObject runs do with the status that an activity is about. An unknown one
// is fetched.
func (s *Service) withObject(ctx context.Context, in *Incoming, do func(tx *db.DB, status *db.Status) error) error {
	if in.Forwarded {
		return errDrop("a %.50s that was passed on", in.Activity.Type())
	}
	status, err := s.object(ctx, in.Activity.IDOf("object"))
	if err != nil {
		return err
	}
	return dropRefused(in.Commit(ctx, func(tx *db.DB) error {
		return do(tx, status)
	}))
}

// object returns the status with an id, or with its page at this address. An unknown
// remote one is fetched.
func (s *Service) object(ctx context.Context, uri string) (*db.Status, error) {
	id, err := s.ids.Check(uri)
	if err != nil {
		return nil, dropRefused(err)
	}
	status, err := s.db.StatusAt(ctx, id)
	switch {
	case err == nil && status.ReblogOfID != nil:
		return nil, errDrop("%.200q is a reblog", id)
	case err == nil || !isNotFound(err):
		return status, err
	case s.ours(id):
		return nil, errDrop("%.200q is not here", id)
	}
	known, err := s.db.KnownObject(ctx, id, "")
	if err != nil {
		return nil, err
	}
	if known.Gone || known.Message {
		return nil, errDrop("%.200q is no post", id)
	}
	return s.ask(ctx, id, social.RemoteStatus{Wanted: true, Fetched: true})
}

// undoInteraction undoes a favourite, a reaction or a reblog. inner is the
// undone activity, or its id alone. It reports whether there was one.
func (s *Service) undoInteraction(ctx context.Context, tx *db.DB, by *db.Account, inner activitypub.Object) (bool, error) {
	act := social.RemoteInteraction{URI: inner.ID(), Type: inner.Type(), Object: inner.IDOf("object"), Emoji: emojiOf(inner)}
	return s.social.In(tx).UndoRemote(ctx, by, act)
}

// emojiOf returns the emoji of a reaction, or the shortcode between colons of a
// custom one that the activity includes; "" for none. Misskey also uses words.
func emojiOf(a activitypub.Object) string {
	for _, key := range []string{"content", "_misskey_reaction"} {
		said := strings.TrimSpace(a.Text(key))
		if said == "" {
			continue
		}
		if emoji := misskeyWord(said); emoji != "" {
			return emoji
		}
		for _, as := range []string{said, said + "\ufe0f", strings.TrimSuffix(said, "\ufe0f")} {
			if text.IsEmoji(as) {
				return as
			}
		}
		if code := custom(a, said); code != "" {
			return code
		}
	}
	return ""
}

// custom returns the shortcode of a custom emoji that the activity includes.
// Misskey marks those of its own server with "@.".
func custom(a activitypub.Object, said string) string {
	code, _, _ := strings.Cut(strings.Trim(said, ":"), "@")
	for _, tag := range a.Objects("tag") {
		if !tag.Is("Emoji") {
			continue
		}
		if e, ok := activitypub.ReadEmoji(tag); ok && e.Shortcode == code {
			return ":" + code + ":"
		}
	}
	return ""
}

// misskeyWord returns the emoji of a word, "" for none.
func misskeyWord(word string) string {
	switch word {
	case "like":
		return "👍"
	case "love":
		return "❤️"
	case "laugh":
		return "😆"
	case "hmm":
		return "🤔"
	case "surprise":
		return "😮"
	case "congrats":
		return "🎉"
	case "angry":
		return "💢"
	case "confused":
		return "😥"
	case "rip":
		return "😇"
	case "pudding":
		return "🍮"
	case "star":
		return "⭐"
	}
	return ""
}

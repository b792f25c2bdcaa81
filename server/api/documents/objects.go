package documents

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"

	"svc/db"
	"svc/server/federation/activitypub"
)

// Object is GET /objects/:uuid: a status, or a message of a chat for its
// recipient.
func (s *Service) Object(c *gin.Context) error {
	return s.read(func(c *gin.Context, r reader) error {
		uri := s.base + "/objects/" + c.Param("uuid")
		status, author, err := s.post(c.Request.Context(), r, uri)
		if errors.Is(err, db.ErrNotFound) && status == nil {
			if done, err := s.message(c, r, uri); done || err != nil {
				return err
			}
			return s.buried(c, uri, uri)
		}
		if err != nil {
			return err
		}
		s.remember(c, r, status)
		return s.answer(c, "object "+status.ID, status.Version, r.signer == nil, func() (activitypub.Object, lifetime, error) {
			in, l, err := s.input(c.Request.Context(), status, author)
			return activitypub.Note(in), l, err
		})
	})(c)
}

// post returns a local status by its id, with its author. If the reader may not
// see it, the error is ErrNotFound, and the status is returned too.
func (s *Service) post(ctx context.Context, r reader, uri string) (*db.Status, *db.Account, error) {
	status, err := s.db.StatusByURI(ctx, uri)
	if err != nil {
		return nil, nil, err
	}
	return s.readable(ctx, r, status)
}

func (s *Service) readable(ctx context.Context, r reader, status *db.Status) (*db.Status, *db.Account, error) {
	author, err := s.db.Account(ctx, status.AccountID)
	if err != nil {
		return status, nil, err
	}
	ok, err := s.mayRead(ctx, r, status, author)
	if err == nil && !ok {
		err = db.ErrNotFound
	}
	return status, author, err
}

// input is a status with its files, poll and other parts.
func (s *Service) input(ctx context.Context, status *db.Status, author *db.Account) (activitypub.NoteInput, lifetime, error) {
	beside, err := s.db.RelatedTo(ctx, []db.Status{*status})
	if err != nil {
		return activitypub.NoteInput{}, lifetime{}, err
	}
	in := activitypub.InputOf(beside, status, author, s.base, s.now())
	l := lifetime{poll: in.Poll != nil}
	if in.Poll != nil {
		l.closes = in.Poll.ExpiresAt.Time
	}
	if n := s.live.Load().ActivityPub.RepliesListed; n > 0 {
		in.Replies = []string{}
		if status.RepliesCount > 0 {
			replies, err := s.db.OwnReplies(ctx, status.ID, n)
			if err != nil {
				return in, l, err
			}
			in.Replies = append(in.Replies, replies...)
		}
	}
	return in, l, nil
}

// message answers with a chat message if the reader is its recipient.
func (s *Service) message(c *gin.Context, r reader, uri string) (done bool, err error) {
	if r.signer == nil {
		return false, nil
	}
	ctx := c.Request.Context()
	m, err := s.db.ChatMessageByURI(ctx, uri)
	if errors.Is(err, db.ErrNotFound) || err == nil && m.RecipientID != r.signer.ID {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	author, err := s.db.Account(ctx, m.AccountID)
	if err != nil {
		return false, err
	}
	blocked, err := s.blocked(ctx, r, author.ID)
	if err != nil || blocked || !author.Local || author.Deactivated {
		return false, err
	}
	var file *db.MediaAttachment
	if m.HasMedia {
		files, err := s.db.Attachments(ctx, []string{m.ID})
		if err != nil {
			return false, err
		}
		if len(files) > 0 {
			file = &files[0]
		}
	}
	return true, send(c, http.StatusOK, activitypub.ChatMessage(m, author, r.signer, file, s.base))
}

// buried answers for a missing object: that it is gone, or never existed. id is
// the requested one, object the status that it belonged to.
func (s *Service) buried(c *gin.Context, id, object string) error {
	t, err := s.db.TombstoneOf(c.Request.Context(), object)
	if err != nil {
		return err
	}
	kind := t.FormerType
	if id != object {
		kind = "Create"
	}
	return gone(c, id, kind, t.DeletedAt)
}

// Replies is GET /objects/:uuid/replies: the answers by its author.
func (s *Service) Replies(c *gin.Context) error {
	return s.read(func(c *gin.Context, r reader) error {
		ctx, uri := c.Request.Context(), s.base+"/objects/"+c.Param("uuid")
		n := s.live.Load().ActivityPub.RepliesListed
		if n == 0 {
			return db.ErrNotFound
		}
		status, _, err := s.post(ctx, r, uri)
		if err != nil {
			return err
		}
		replies, err := s.db.OwnReplies(ctx, status.ID, n)
		if err != nil {
			return err
		}
		return send(c, http.StatusOK, activitypub.Items(activitypub.RepliesURI(uri), anyOf(replies)))
	})(c)
}

// Notice is GET /notice/:id for servers: it redirects to the status's id.
func (s *Service) Notice(c *gin.Context) error {
	return s.read(func(c *gin.Context, r reader) error {
		ctx := c.Request.Context()
		status, err := s.db.StatusByID(ctx, c.Param("id"))
		if err == nil {
			_, _, err = s.readable(ctx, r, status)
		}
		if err != nil {
			return err
		}
		if status.URI == nil {
			return db.ErrNotFound
		}
		c.Redirect(http.StatusFound, *status.URI)
		return nil
	})(c)
}

// Activity is GET /activities/:uuid: the activity that created a status or
// reblog, or another one while its row exists.
func (s *Service) Activity(c *gin.Context) error {
	return s.read(func(c *gin.Context, r reader) error {
		ctx, id := c.Request.Context(), s.base+"/activities/"+c.Param("uuid")
		object := activitypub.ObjectID(id)
		// A reblog has the id of its activity; the id of a status's Create is
		// derived from that of the status.
		status, author, err := s.post(ctx, r, id)
		if errors.Is(err, db.ErrNotFound) && status == nil {
			status, author, err = s.post(ctx, r, object)
		}
		if errors.Is(err, db.ErrNotFound) && status == nil {
			doc, err := s.act(ctx, r, id)
			if errors.Is(err, db.ErrNotFound) {
				return s.buried(c, id, object)
			}
			if err != nil {
				return err
			}
			return send(c, http.StatusOK, doc)
		}
		if err != nil {
			return err
		}
		s.remember(c, r, status)
		return s.answer(c, "activity "+status.ID, status.Version, r.signer == nil, func() (activitypub.Object, lifetime, error) {
			if status.ReblogOfID == nil {
				in, l, err := s.input(ctx, status, author)
				return activitypub.Create(in), l, err
			}
			beside, err := s.db.RelatedTo(ctx, []db.Status{*status})
			if err != nil {
				return nil, lifetime{}, err
			}
			return activitypub.ActivityOf(beside, status, author, s.base, s.now()), lifetime{}, nil
		})
	})(c)
}

// told are the activities that are served as they were sent. They hold no
// content, and claim nothing that was undone since.
var told = []string{"Accept", "Reject", "Undo", "Delete", "Add", "Remove", "Move"}

// act returns an activity by its id, if the reader may see it.
func (s *Service) act(ctx context.Context, r reader, id string) (activitypub.Object, error) {
	row, err := s.db.ActivityByURI(ctx, id)
	if errors.Is(err, db.ErrNotFound) {
		return s.standing(ctx, r, id)
	}
	if err != nil {
		return nil, err
	}
	if !slices.Contains(told, row.Type) {
		return s.standing(ctx, r, id)
	}
	doc, err := activitypub.Decode([]byte(row.Body))
	if err != nil {
		return nil, err
	}
	actor, err := s.db.Account(ctx, row.AccountID)
	if err != nil {
		return nil, err
	}
	return s.forReader(ctx, r, doc, actor)
}

// standing returns a favourite, reaction or follow that still exists.
func (s *Service) standing(ctx context.Context, r reader, id string) (activitypub.Object, error) {
	if r.signer == nil {
		return nil, db.ErrNotFound // each is for one account
	}
	follow, err := s.db.FollowByURI(ctx, id)
	if err == nil {
		actor, err := s.db.Account(ctx, follow.FollowerID)
		if err != nil || follow.TargetID != r.signer.ID {
			return nil, orNotFound(err)
		}
		return s.forReader(ctx, r, s.toOne("Follow", id, actor, r.signer.URI, r.signer.URI, follow.CreatedAt), actor)
	}
	if !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	kind, emoji := "Like", ""
	like, err := s.db.FavouriteByURI(ctx, id)
	if errors.Is(err, db.ErrNotFound) {
		var reaction *db.EmojiReaction
		if reaction, err = s.db.ReactionByURI(ctx, id); err == nil {
			kind, emoji = "EmojiReact", reaction.Emoji
			like = &db.Favourite{StatusID: reaction.StatusID, AccountID: reaction.AccountID, CreatedAt: reaction.CreatedAt}
		}
	}
	if err != nil {
		return nil, err
	}
	status, err := s.db.StatusByID(ctx, like.StatusID)
	if err != nil || status.AccountID != r.signer.ID || status.URI == nil {
		return nil, orNotFound(err)
	}
	actor, err := s.db.Account(ctx, like.AccountID)
	if err != nil {
		return nil, err
	}
	doc := s.toOne(kind, id, actor, *status.URI, r.signer.URI, like.CreatedAt)
	if emoji != "" {
		doc["content"] = emoji
	}
	return s.forReader(ctx, r, doc, actor)
}

func (s *Service) toOne(kind, id string, actor *db.Account, object, to string, at db.Time) activitypub.Object {
	return activitypub.Activity(kind, id, actor.URI, object, []string{to}, nil, at.Time)
}

// forReader answers with an activity of a local account if the reader is among
// its recipients.
func (s *Service) forReader(ctx context.Context, r reader, doc activitypub.Object, actor *db.Account) (activitypub.Object, error) {
	if !actor.Local || actor.Deactivated {
		return nil, db.ErrNotFound
	}
	ok, err := s.named(ctx, r, doc, actor)
	if err != nil || !ok {
		return nil, orNotFound(err)
	}
	return doc, nil
}

func orNotFound(err error) error {
	if err == nil {
		return db.ErrNotFound
	}
	return err
}

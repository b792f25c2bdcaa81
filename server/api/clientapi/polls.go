package clientapi

import (
	"fmt"
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
)

// Get is GET /api/v1/polls/:id.
func (a *Polls) Get(c *gin.Context) error {
	id, err := pollID(c)
	if err != nil {
		return err
	}
	p, status, err := a.Social.Poll(c.Request.Context(), a.View.Viewer(web.Caller(c)), id)
	if err == nil && !status.Local && web.Caller(c) != nil {
		p, err = a.Ingest.RefreshPoll(c.Request.Context(), status, p)
	}
	if err != nil {
		return err
	}
	return a.poll(c, status, p)
}

// Vote is POST /api/v1/polls/:id/votes.
func (a *Polls) Vote(c *gin.Context) error {
	var in api.Votes
	if err := web.Bind(c, &in); err != nil {
		return err
	}
	id, err := pollID(c)
	if err != nil {
		return err
	}
	choices := make([]int, len(in.Choices))
	for i, choice := range in.Choices {
		choices[i] = int(choice)
	}
	p, status, err := a.Social.Vote(c.Request.Context(), web.Caller(c).Account, id, choices)
	if err != nil {
		return err
	}
	return a.poll(c, status, p)
}

func (a *Polls) poll(c *gin.Context, status *db.Status, p *db.Poll) error {
	out, err := a.View.Poll(c.Request.Context(), web.Caller(c), status, p)
	if err != nil {
		return err
	}
	return web.OK(c, out)
}

func pollID(c *gin.Context) (int64, error) {
	id, err := strconv.ParseInt(c.Param("id"), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("poll %q: %w", c.Param("id"), db.ErrNotFound)
	}
	return id, nil
}

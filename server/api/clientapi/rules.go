package clientapi

import (
	"context"
	"strconv"
	"time"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/web"
)

// houseRules are the rules of the house as they were read.
type houseRules struct {
	at    time.Time
	epoch int64
	list  api.List[api.Rule]
}

// heard forgets the rules after a change in any process.
func (a *Instance) heard(topic string) {
	if topic == db.RulesChanged || topic == db.AnythingMissed {
		a.rulesEpoch.Add(1)
	}
}

// rules returns the rules of the house, a minute old at most.
func (a *Instance) rules(ctx context.Context) (*houseRules, error) {
	epoch := a.rulesEpoch.Load() // read first: a change meanwhile makes what is read here old
	if known := a.house.Load(); known != nil && known.epoch == epoch && a.Now().Sub(known.at) < factsLife {
		return known, nil
	}
	rows, err := a.DB.Rules(ctx)
	if err != nil {
		return nil, err
	}
	house := &houseRules{at: a.Now(), epoch: epoch, list: make(api.List[api.Rule], len(rows))}
	for i := range rows {
		r := &rows[i]
		house.list[i] = api.Rule{ID: strconv.FormatInt(r.ID, 10), Text: r.Text, Hint: r.Hint}
	}
	a.house.Store(house)
	return house, nil
}

// Rules is GET /api/v1/instance/rules.
func (a *Instance) Rules(c *gin.Context) error {
	house, err := a.rules(c.Request.Context())
	if err != nil {
		return err
	}
	return web.OK(c, house.list)
}

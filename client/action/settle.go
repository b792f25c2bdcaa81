package action

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"time"

	"svc/client"
)

// settleLimit bounds the reading of an object after its write was cut off, also
// when the caller's own time is over: the true result is worth a moment.
const settleLimit = 5 * time.Second

// settle reads every item again after a request with an unclear outcome. It returns
// those of which the request was lost on its way, and that are as they were.
func (r *run) settle(ctx context.Context, rules kindRules, items []*item, cause error) (again []*item) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleLimit)
	defer cancel()
	parallel(items, func(it *item) {
		landed, now, err := r.landed(ctx, rules, it)
		switch {
		case errors.Is(err, client.ErrNotFound):
			it.end(Failed, err)
		case err != nil:
			it.end(Unknown, cause)
		case refusal(it, cause) == "state_changed":
			it.now = now
			r.overtaken(ctx, rules, it)
		case landed:
			r.succeed(rules, it)
		case now != nil && maps.Equal(now, it.now) && client.MayHaveHappened(cause):
			it.lost = cause
		default:
			it.end(Failed, causeFor(it, cause))
		}
	})
	return pending(items)
}

// landed reports whether a write took effect, and how the object is now, nil where
// that does not tell whether it may be written again.
func (r *run) landed(ctx context.Context, rules kindRules, it *item) (yes bool, now map[string]string, err error) {
	if rules.landed != nil {
		yes, err = rules.landed(ctx, it)
		return yes, nil, err
	}
	again := &item{action: it.action, target: it.target}
	if err := rules.read(ctx, again); err != nil {
		return false, nil, err
	}
	return holds(rules.wish(it.action), again.now), again.now, nil
}

// resend drops missing objects from a list that was refused because of them,
// and sends the rest.
func (r *run) resend(ctx context.Context, rules kindRules, items []*item, cause error) {
	parallel(items, func(it *item) {
		if err := rules.read(ctx, it); err != nil {
			it.end(Failed, err)
		}
	})
	left := pending(items)
	if len(left) < len(items) {
		r.write(ctx, rules, left)
		return
	}
	for _, it := range items {
		it.end(Failed, cause)
	}
}

// note remembers an error after which nothing more may be sent.
func (r *run) note(err error) {
	if !errors.Is(err, client.ErrForbidden) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stop == nil {
		r.stop = err
	}
}

func (r *run) stopped(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stop
}

func (r *run) advance(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += n
	if report := r.engine.opts.Progress; report != nil {
		report(r.done, r.total)
	}
}

// causeFor is the reason why one item of a refused list is not as requested:
// the server's error for it, or for the whole.
func causeFor(it *item, cause error) error {
	switch why := refusal(it, cause); why {
	case "":
		return cause
	case "not_found":
		return &client.Error{Status: http.StatusNotFound, Message: "Not found", Method: http.MethodGet, Path: pathReports + "/" + it.id}
	default:
		return &client.Error{Status: http.StatusBadRequest, Message: why, Method: http.MethodPatch, Path: pathReports}
	}
}

// refusal is the server's error for one item of a list, "" for none.
func refusal(it *item, cause error) string {
	for _, refused := range client.ItemErrors(cause) {
		if refused.ID == it.id {
			return refused.Error
		}
	}
	return ""
}

// unclear reports whether a failed write may have taken effect all the same.
func unclear(err error) bool {
	return client.MayHaveHappened(err) || errors.Is(err, client.ErrServer)
}

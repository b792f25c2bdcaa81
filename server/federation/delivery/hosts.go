package delivery

import (
	"cmp"
	"slices"
	"time"

	"svc/db"
	"svc/server/platform/alive"
)

// The bounds of deliveries to a host.
const (
	atOnce = 4 // calls to one host
	// failing is the number of server errors in a row above which a host counts as
	// down, if they answered activities of several types. Some servers fail at
	// every activity of a type that they do not know, and are up.
	failing = 4
	// stubborn is how often the first delivery to a host that is down is tried
	// before others are: it may be the cause.
	stubborn = 5
)

// host is a held host.
type host struct {
	db.ClaimedHost
	lease   alive.Lease       // at the claim
	queue   []*db.DueDelivery // not begun
	under   []*db.DueDelivery // running
	probing bool              // one call probes the host
	paused  bool              // no call begins
	known   map[int64]bool    // deliveries read since the claim
	read    time.Time         // last read, by the wall clock
	down    time.Time         // last found down
	breaks
}

// breaks counts server errors in a row.
type breaks struct {
	bad   int
	types map[string]bool // of activities
}

// ready takes the next delivery that may begin, if there is one: never before
// an earlier one to the same inbox about the same object.
func (h *host) ready() *db.DueDelivery {
	if h.paused || len(h.under) >= atOnce || h.probing && len(h.under) > 0 {
		return nil
	}
	i := slices.IndexFunc(h.queue, func(w *db.DueDelivery) bool {
		before := func(other *db.DueDelivery) bool { return precedes(other, w) }
		return !slices.ContainsFunc(h.under, before) && !slices.ContainsFunc(h.queue, before)
	})
	if i < 0 {
		return nil
	}
	if h.probing {
		if j := slices.IndexFunc(h.queue, func(w *db.DueDelivery) bool {
			return w.Attempt < stubborn && !h.types[w.Type] && !slices.ContainsFunc(h.queue, func(other *db.DueDelivery) bool { return precedes(other, w) })
		}); j >= 0 {
			i = j
		}
	}
	w := h.queue[i]
	h.queue = slices.Delete(h.queue, i, i+1)
	h.under = append(h.under, w)
	return w
}

// precedes reports whether a must arrive before b.
func precedes(a, b *db.DueDelivery) bool {
	return a.ID < b.ID && a.Inbox == b.Inbox && a.ObjectURI == b.ObjectURI && b.ObjectURI != ""
}

// fill adds due deliveries. A delivery behind one that is not among them is
// returned: it must wait longer.
func (h *host) fill(rows []db.DueDelivery) (behind []db.DeliveryPredecessor) {
	if h.known == nil {
		h.known = map[int64]bool{}
	}
	taken := map[int64]bool{}
	is := func(id int64) func(*db.DueDelivery) bool { return func(w *db.DueDelivery) bool { return w.ID == id } }
	for _, i := range byID(rows) {
		w := &rows[i]
		switch {
		case h.known[w.ID]:
		case w.Behind == 0, taken[w.Behind], slices.ContainsFunc(h.under, is(w.Behind)), slices.ContainsFunc(h.queue, is(w.Behind)):
			taken[w.ID] = true
		case h.known[w.Behind]: // its outcome is not stored yet
		default:
			behind = append(behind, db.DeliveryPredecessor{ID: w.ID, Of: w.Behind})
		}
	}
	for i := range rows {
		if w := &rows[i]; taken[w.ID] {
			h.queue = append(h.queue, w)
			h.known[w.ID] = true
		}
	}
	return behind
}

// byID returns the indexes of rows by id.
func byID(rows []db.DueDelivery) []int {
	places := make([]int, len(rows))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(rows[a].ID, rows[b].ID) })
	return places
}

// needsMore reports whether the host has capacity beyond its read deliveries.
// It is limited in time, since few new ones come at once.
func (h *host) needsMore(now time.Time) bool {
	return len(h.queue) == 0 && len(h.under) > 0 && len(h.under) < atOnce && !h.paused && !h.probing && now.Sub(h.read) >= readEvery
}

// readEvery is how often a busy host is read again.
const readEvery = 200 * time.Millisecond

// ended removes a delivery from the running ones.
func (h *host) ended(w *db.DueDelivery) {
	h.under = slices.DeleteFunc(h.under, func(other *db.DueDelivery) bool { return other == w })
}

// putOff returns the deliveries that must wait for w, which is postponed.
func (h *host) putOff(w *db.DueDelivery) (behind []db.DeliveryPredecessor) {
	h.queue = slices.DeleteFunc(h.queue, func(other *db.DueDelivery) bool {
		if !precedes(w, other) {
			return false
		}
		behind = append(behind, db.DeliveryPredecessor{ID: other.ID, Of: w.ID})
		return true
	})
	return behind
}

// answered resets the failures.
func (h *host) answered() {
	h.breaks, h.probing, h.Failures, h.Unreachable, h.RetryAt = breaks{}, false, 0, db.Time{}, db.Time{}
}

// countFailure counts a server error, and reports whether the host is down. A
// host that was down is tried with another type first, if there is one.
func (h *host) countFailure(kind string) bool {
	if h.types == nil {
		h.types = map[string]bool{}
	}
	h.bad++
	h.types[kind] = true
	if h.probing {
		return !slices.ContainsFunc(h.queue, func(w *db.DueDelivery) bool { return !h.types[w.Type] })
	}
	return h.bad >= failing && len(h.types) > 1
}

// startable reports whether ready would return a delivery.
func (h *host) startable() bool {
	if h.paused || len(h.under) >= atOnce || h.probing && len(h.under) > 0 || !h.lease.Good() {
		return false
	}
	return slices.ContainsFunc(h.queue, func(w *db.DueDelivery) bool {
		before := func(other *db.DueDelivery) bool { return precedes(other, w) }
		return !slices.ContainsFunc(h.under, before) && !slices.ContainsFunc(h.queue, before)
	})
}

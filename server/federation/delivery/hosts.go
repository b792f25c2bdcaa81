package delivery

import (
	"cmp"
	"slices"
	"time"

	"svc/db"
	"svc/server/platform/alive"
)

// The bounds of sending to a host.
const (
	atOnce = 4 // calls to one host
	// failing is after how many answers in a row that are failures of the server a
	// host is left alone, as one that does not answer, if they were to activities
	// of several types. Some servers fail at each of a type that they do not know:
	// that is no sign that they are down.
	failing = 4
	// stubborn is how often the first delivery to a host that is down is tried
	// until others are tried instead: it may be what the host cannot bear.
	stubborn = 5
)

// host is one that this process holds.
type host struct {
	db.ClaimedHost
	lease   alive.Lease       // in which it was claimed
	queue   []*db.DueDelivery // read and not begun
	under   []*db.DueDelivery // under way
	probing bool              // one call is to tell whether it is back
	paused  bool              // nothing more is begun
	known   map[int64]bool    // deliveries that were read since the host is held
	read    time.Time         // when that was last, by the wall clock
	down    time.Time         // when it was last found to be down
	breaks
}

// breaks are failures of a server in a row.
type breaks struct {
	bad   int
	types map[string]bool // of activities
}

// ready takes the next delivery that may begin, if there is one: not before
// another to the same inbox about the same object, that came first.
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

// precedes reports whether a is to arrive before b.
func precedes(a, b *db.DueDelivery) bool {
	return a.ID < b.ID && a.Inbox == b.Inbox && a.ObjectURI == b.ObjectURI && b.ObjectURI != ""
}

// fill gives the host what is due to it. What comes after something that is not
// among that is returned: it has to wait longer.
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
		case h.known[w.Behind]: // how that went is not kept yet
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

// byID are the places of rows in the order of their ids.
func byID(rows []db.DueDelivery) []int {
	places := make([]int, len(rows))
	for i := range places {
		places[i] = i
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(rows[a].ID, rows[b].ID) })
	return places
}

// needsMore reports whether more could be sent to the host than was read. It is
// asked for seldom, as what comes in small pieces is read again and again.
func (h *host) needsMore(now time.Time) bool {
	return len(h.queue) == 0 && len(h.under) > 0 && len(h.under) < atOnce && !h.paused && !h.probing && now.Sub(h.read) >= readEvery
}

// readEvery is how often a host is looked at again while something is under way.
const readEvery = 200 * time.Millisecond

// ended takes a delivery off those under way.
func (h *host) ended(w *db.DueDelivery) {
	h.under = slices.DeleteFunc(h.under, func(other *db.DueDelivery) bool { return other == w })
}

// putOff returns those that now wait for w, which is to be tried later.
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

// answered forgets what failed.
func (h *host) answered() {
	h.breaks, h.probing, h.Failures, h.Unreachable, h.RetryAt = breaks{}, false, 0, db.Time{}, db.Time{}
}

// countFailure counts a failure of the server, and reports whether it is down. One that
// was is tried with another type, if there is one, before it counts as down
// still.
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

// startable reports whether ready would return something.
func (h *host) startable() bool {
	if h.paused || len(h.under) >= atOnce || h.probing && len(h.under) > 0 || !h.lease.Good() {
		return false
	}
	return slices.ContainsFunc(h.queue, func(w *db.DueDelivery) bool {
		before := func(other *db.DueDelivery) bool { return precedes(other, w) }
		return !slices.ContainsFunc(h.under, before) && !slices.ContainsFunc(h.queue, before)
	})
}

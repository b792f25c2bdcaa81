package db

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"math/bits"
	"sync"
	"time"
)

// Flake ids are 128 bits: 64 of Unix milliseconds, 48 of a worker drawn at
// start, 16 of a counter within the millisecond; as text in base62, most
// significant digit first. Until the year 2284 that is always 18 characters,
// so their byte order is their order in time.

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

type flakes struct {
	mu     sync.Mutex
	worker uint64 // the low 48 bits
	last   uint64 // milliseconds
	seq    uint64
}

func (f *flakes) init(worker uint64) {
	if worker != 0 {
		f.worker = worker & (1<<48 - 1)
		return
	}
	var b [8]byte
	_, _ = rand.Read(b[2:]) // never fails, by crypto/rand's contract
	f.worker = binary.BigEndian.Uint64(b[:])
}

// next never goes backwards: if the clock does, was ahead before, or the
// counter of a millisecond is used up, it counts on from the last id.
func (f *flakes) next(now time.Time) string {
	ms := uint64(max(now.UnixMilli(), 0))
	f.mu.Lock()
	if ms > f.last {
		f.last, f.seq = ms, 0
	} else if f.seq++; f.seq > 0xffff {
		f.last, f.seq = f.last+1, 0
	}
	hi, lo := f.last, f.worker<<16|f.seq
	f.mu.Unlock()
	return encodeFlake(hi, lo)
}

// follow makes all further ids greater than hi.
func (f *flakes) follow(hi uint64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if hi >= f.last {
		f.last, f.seq = hi, 0xffff
	}
}

// flaked are the tables with flakes for ids.
var flaked = []string{"accounts", "statuses", "favourites", "follows", "reports", "emoji_reactions", "chats", "chat_messages", "scrobbles"}

// believed is the latest time that an id from a clock can have.
var believed = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

// followIDs makes new ids greater than all stored ones: the clock may have been
// set back since, or be behind that of another process.
func (d *DB) followIDs(ctx context.Context) error {
	var q selection
	for i, table := range flaked {
		if i > 0 {
			q.add(" UNION ALL ")
		}
		q.add("SELECT COALESCE((SELECT id FROM "+table+" WHERE length(id) = 18 AND id < ? ORDER BY id DESC LIMIT 1), '')", FlakeAt(believed))
	}
	ids, err := list[string](ctx, d, "newest ids", q.sql.String(), q.args...)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if at, ok := FlakeTime(id); ok {
			d.pool.ids.follow(uint64(at.UnixMilli()))
		}
	}
	return nil
}

func encodeFlake(hi, lo uint64) string {
	var b [22]byte
	i := len(b)
	for {
		var r uint64
		hi, r = hi/62, hi%62
		lo, r = bits.Div64(r, lo, 62)
		i--
		b[i] = base62[r]
		if hi == 0 && lo == 0 {
			return string(b[i:])
		}
	}
}

// FlakeTime returns the creation time of an id; false if it is not a flake id.
func FlakeTime(id string) (time.Time, bool) {
	if len(id) == 0 || len(id) > 22 {
		return time.Time{}, false
	}
	var hi, lo uint64
	for i := 0; i < len(id); i++ {
		d := digit(id[i])
		if d < 0 {
			return time.Time{}, false
		}
		over, l := bits.Mul64(lo, 62)
		l, carry := bits.Add64(l, uint64(d), 0)
		top, h := bits.Mul64(hi, 62)
		h, c1 := bits.Add64(h, over, 0)
		h, c2 := bits.Add64(h, carry, 0)
		if top != 0 || c1 != 0 || c2 != 0 {
			return time.Time{}, false
		}
		hi, lo = h, l
	}
	return time.UnixMilli(int64(hi)).UTC(), true
}

func digit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'A' && c <= 'Z':
		return int(c-'A') + 10
	case c >= 'a' && c <= 'z':
		return int(c-'a') + 36
	}
	return -1
}

// FlakeAt returns the smallest id of a moment, to page from a time.
func FlakeAt(t time.Time) string { return encodeFlake(uint64(max(t.UnixMilli(), 0)), 0) }

package db

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"io"
	mathrand "math/rand/v2"
	"sync"
	"time"
)

// uuids makes UUIDs of version 7 (RFC 9562, 5.7): 48 bits of Unix milliseconds,
// then random bits. They sort by their milliseconds, which keeps an index of
// them compact.
type uuids struct {
	mu     sync.Mutex
	source io.Reader
}

// init seeds from the system or, for sample data, from worker.
func (u *uuids) init(worker uint64) {
	u.source = rand.Reader
	if worker != 0 {
		var seed [32]byte
		binary.BigEndian.PutUint64(seed[:], worker)
		u.source = mathrand.NewChaCha8(seed)
	}
}

func (u *uuids) next(now time.Time) string {
	var b [16]byte
	u.mu.Lock()
	_, _ = io.ReadFull(u.source, b[6:]) // neither source fails
	u.mu.Unlock()
	ms := uint64(max(now.UnixMilli(), 0))
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	b[6] = 7<<4 | b[6]&0xf
	b[8] = 0x80 | b[8]&0x3f
	text := hex.EncodeToString(b[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// NewUUID returns a UUID for the present moment that cannot be guessed.
func (d *DB) NewUUID() string { return d.pool.uuids.next(d.pool.now()) }

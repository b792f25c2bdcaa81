package db

import (
	"context"
	"fmt"
	"strconv"
)

// measureWalk is the position of the walk over the files that an earlier release kept
// without their sizes.
const measureWalk = "measure_media"

// UnmeasuredFiles returns the next limit files after the walk's position, and whether the
// walk still goes on. Those with a file here and without a size are to be measured.
func (d *DB) UnmeasuredFiles(ctx context.Context, limit int) (rows []MediaAttachment, walks bool, err error) {
	at, walks, err := d.walkPosition(ctx, measureWalk)
	if err != nil || !walks {
		return nil, false, err
	}
	after, _ := strconv.ParseInt(at, 10, 64) // "" is the beginning
	rows, err = list[MediaAttachment](ctx, d, "files to measure", "SELECT * FROM media_attachments WHERE id > ? ORDER BY id LIMIT ?", after, limit)
	return rows, true, err
}

// Measured stores the size and the blurhash of a file which nobody has measured meanwhile,
// and has the statuses that show it rendered anew.
func (d *DB) Measured(ctx context.Context, m *MediaAttachment) error {
	if m.StatusID != nil {
		if err := d.touchShowing(ctx, *m.StatusID); err != nil {
			return err
		}
	}
	status, _, err := optional(value[*string](ctx, d.writing(), fmt.Sprintf("measure media %d", m.ID),
		"UPDATE media_attachments SET width = ?, height = ?, blurhash = ? WHERE id = ? AND width = 0 AND file = ? RETURNING status_id",
		m.Width, m.Height, m.Blurhash, m.ID, m.File))
	if err != nil || status == nil || m.StatusID != nil && *m.StatusID == *status {
		return err
	}
	return d.touchShowing(ctx, *status) // which began to show it meanwhile
}

// MeasuredUpTo moves the walk on behind a file, or ends it.
func (d *DB) MeasuredUpTo(ctx context.Context, id int64, ends bool) error {
	return d.saveWalkPosition(ctx, measureWalk, strconv.FormatInt(id, 10), ends)
}

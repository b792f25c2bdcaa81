package view

import (
	"encoding/json"

	"svc/db"
)

// Log renders entries of the moderation log as an array, in their order.
func (v *View) Log(rows []db.LogEntry) (json.RawMessage, error) {
	w := &objectWriter{}
	w.out.WriteByte('[')
	for i := range rows {
		e := &rows[i]
		if i > 0 {
			w.out.WriteByte(',')
		}
		w.value(`{"id":`, e.ID)
		w.raw(`,"data":`, plainHTML([]byte(e.Data)))
		w.value(`,"time":`, e.CreatedAt.Unix())
		w.value(`,"message":`, e.Message)
		w.out.WriteByte('}')
	}
	w.out.WriteByte(']')
	return w.out.Bytes(), w.err
}

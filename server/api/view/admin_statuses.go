package view

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"svc/db"
)

// outer marks a merged account among a page's accounts: the one that an
// outermost status shows. The author of a reblogged status, inside, stays plain.
const outer = "\x00"

// atOnce is how many rows of a page are loaded together: admins' pages have no
// upper bound, statements have.
const atOnce = 2000

// AdminStatuses renders refs as an array, in their order, with merged accounts: with
// mails, whose mail addresses and reasons of registrations are shown too.
func (v *View) AdminStatuses(ctx context.Context, refs []db.StatusRef, mails bool) (json.RawMessage, error) {
	var out bytes.Buffer
	out.WriteByte('[')
	for chunk := range slices.Chunk(refs, atOnce) {
		p, err := v.prepareMerged(ctx, chunk, mails)
		if err != nil {
			return nil, err
		}
		out.Grow(2 + p.size)
		for i := range chunk {
			mark := out.Len()
			if mark > 1 {
				out.WriteByte(',')
			}
			if !p.write(&out, merged(chunk[i])) {
				out.Truncate(mark)
			}
		}
	}
	out.WriteByte(']')
	return out.Bytes(), nil
}

// AdminStatus renders one status with its merged account, likewise.
func (v *View) AdminStatus(ctx context.Context, ref *db.StatusRef, mails bool) (json.RawMessage, error) {
	p, err := v.prepareMerged(ctx, []db.StatusRef{*ref}, mails)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if !p.write(&out, merged(*ref)) {
		return nil, fmt.Errorf("status %s: %w", ref.ID, db.ErrNotFound)
	}
	return out.Bytes(), nil
}

// AdminContext renders a thread in the shape of api.AdminContext, likewise.
func (v *View) AdminContext(ctx context.Context, thread *db.AdminContext, mails bool) (json.RawMessage, error) {
	copies, err := v.goneStatuses(ctx, thread.Gone)
	if err != nil {
		return nil, err
	}
	status := []db.StatusRef{thread.Status}
	there := slices.DeleteFunc(slices.Concat(thread.Above, status, thread.Below), func(r db.StatusRef) bool { return copies[r.ID] != nil })
	p, err := v.prepareMerged(ctx, there, mails)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Grow(64 + p.size)
	list := func(name string, refs []db.StatusRef) (written int) {
		out.WriteString(name)
		for i := range refs {
			mark := out.Len()
			if written > 0 {
				out.WriteByte(',')
			}
			raw := copies[refs[i].ID]
			if out.Write(raw); raw == nil && !p.write(&out, merged(refs[i])) {
				out.Truncate(mark) // gone since it was read
				continue
			}
			written++
		}
		return written
	}
	list(`{"ancestors":[`, thread.Above)
	if list(`],"status":`, status) == 0 {
		return nil, fmt.Errorf("status %s: %w", thread.Status.ID, db.ErrNotFound)
	}
	list(`,"descendants":[`, thread.Below)
	out.WriteString(`]}`)
	return out.Bytes(), nil
}

func merged(r db.StatusRef) *db.StatusRef {
	r.AccountID = outer + r.AccountID
	return &r
}

func (v *View) prepareMerged(ctx context.Context, refs []db.StatusRef, mails bool) (*prepared, error) {
	p, err := v.prepare(ctx, refs)
	if err != nil {
		return nil, err
	}
	authors := make(map[string]bool, len(refs))
	for i := range refs {
		authors[refs[i].AccountID] = true
	}
	known, err := v.mergedOf(ctx, authors, mails)
	if err != nil {
		return nil, err
	}
	for id := range authors {
		p.accounts[outer+id] = known.of(id)
	}
	return p, nil
}

// AnyStatus renders a status without regard to its visibility.
func (v *View) AnyStatus(ctx context.Context, id string) (json.RawMessage, error) {
	all, err := v.anyStatuses(ctx, map[string]bool{id: true})
	if err != nil {
		return nil, err
	}
	if all[id] == nil {
		return nil, fmt.Errorf("status %s: %w", id, db.ErrNotFound)
	}
	return all[id], nil
}

// anyStatuses renders those of ids that exist, likewise.
func (v *View) anyStatuses(ctx context.Context, ids map[string]bool) (map[string][]byte, error) {
	refs, err := v.db.AnyStatusRefs(ctx, keys(ids))
	if err != nil {
		return nil, err
	}
	out := make(map[string][]byte, len(refs))
	for chunk := range slices.Chunk(refs, atOnce) {
		p, err := v.prepare(ctx, chunk)
		if err != nil {
			return nil, err
		}
		var buf bytes.Buffer
		buf.Grow(p.size)
		ends := make([]int, len(chunk))
		for i := range chunk {
			mark := buf.Len()
			if !p.write(&buf, &chunk[i]) {
				buf.Truncate(mark)
			}
			ends[i] = buf.Len()
		}
		all, begin := buf.Bytes(), 0
		for i, end := range ends {
			if end > begin {
				out[chunk[i].ID] = all[begin:end:end]
			}
			begin = end
		}
	}
	return out, nil
}

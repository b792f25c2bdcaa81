// Package media stores files: uploads, pictures of accounts, mascots, and
// remote files of the media proxy.
//
// The type of a file comes from its content alone, and metadata about place and
// device is removed before anything is stored. A file is named after its
// content, so that the same one is stored once, and its address cannot be
// guessed without the file.
//
// Every reader of a format gets data from strangers: it bounds its memory, and
// decodes pictures only within the bounds of pictures.go. The package knows neither HTTP routes nor JSON.
package media

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/text"
)

// ErrFull is a store without room for a file.
var ErrFull = fault.Full("There is no room left to store the file")

// Service stores files.
type Service struct {
	db          *db.DB
	store       Store
	settings    *config.Live
	scratch     string // for unfinished files
	decodeSlots decodeSlots
	failures    failures
	removed     func(ctx context.Context, names []string) // called with deleted files; nil before there is a proxy
	now         func() time.Time
}

// New returns a Service with its unfinished files in the folder scratch, which
// it creates. Leftovers of a crash are removed.
func New(d *db.DB, store Store, settings *config.Live, scratch string, now func() time.Time) (*Service, error) {
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return nil, fmt.Errorf("folder for uploads: %w", err)
	}
	s := &Service{db: d, store: store, settings: settings, scratch: scratch, decodeSlots: newStudio(), now: now}
	return s, s.removeAbandoned(scratch, "")
}

// abandoned is the age at which an unfinished file has no writer any more.
const abandoned = 2 * time.Hour

// removeAbandoned removes unfinished files of dead writers: files in a folder
// with names that begin with prefix.
func (s *Service) removeAbandoned(folder, prefix string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("folder for uploads: %w", err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err == nil && strings.HasPrefix(e.Name(), prefix) && info.Mode().IsRegular() && s.now().Sub(info.ModTime()) > abandoned {
			_ = os.Remove(filepath.Join(folder, e.Name())) // another process may have removed it
		}
	}
	return nil
}

// Open opens a file of the store by its name; an unknown one is db.ErrNotFound,
// a failing store ErrAway. The Type decides how it may be shown.
func (s *Service) Open(ctx context.Context, name string) (File, Type, error) {
	t, ok := typeOfName(name)
	if !ok {
		return nil, t, fmt.Errorf("file %q: %w", name, db.ErrNotFound)
	}
	f, err := s.opened(ctx, name)
	return f, t, err
}

// Show is Open for strangers: a file that is banned, or that nothing but reports names
// any more, is ErrBanned, and a truncated one ErrAway, as the store has to get it back.
func (s *Service) Show(ctx context.Context, name string) (File, Type, error) {
	return s.show(ctx, name, false)
}

// Whole is Show for those who may see what strangers may not: an archive, or the file of
// a report. Banned files are ErrBanned.
func (s *Service) Whole(ctx context.Context, name string) (File, Type, error) {
	return s.show(ctx, name, true)
}

func (s *Service) show(ctx context.Context, name string, evidence bool) (File, Type, error) {
	if t, ok := typeOfName(name); !ok {
		return nil, t, fmt.Errorf("file %q: %w", name, db.ErrNotFound)
	}
	known, err := s.db.ShownFile(ctx, name)
	if err != nil {
		return nil, other, err
	}
	if known.Banned || known.Evidence && !evidence {
		return nil, other, ErrBanned
	}
	f, t, err := s.Open(ctx, name)
	if err == nil && known.Size >= 0 && f.Size() != known.Size {
		_ = f.Close()
		s.failures.open.Add(1)
		return nil, t, fmt.Errorf("%w: file %s has %d bytes in the store, of %d", ErrAway, name, f.Size(), known.Size)
	}
	return f, t, err
}

// BucketURL returns the URL of a file that is served from elsewhere; empty for
// one served from here.
func (s *Service) BucketURL(ctx context.Context, name string) (string, error) {
	stores, ok := s.store.(*Stores)
	if _, named := typeOfName(name); !ok || !named {
		return "", nil
	}
	address := stores.BucketURL(ctx, name)
	if address == "" {
		return "", nil
	}
	return address, s.allowed(ctx, name)
}

// allowed returns ErrBanned for a file that strangers do not get.
func (s *Service) allowed(ctx context.Context, name string) error {
	known, err := s.db.ShownFile(ctx, name)
	if err == nil && (known.Banned || known.Evidence) {
		err = ErrBanned
	}
	return err
}

// Upload stores a draft as an unused upload of by.
func (s *Service) Upload(ctx context.Context, by *db.Account, d *Draft, description, focus *string, key string) (*db.MediaAttachment, error) {
	row := &db.MediaAttachment{AccountID: by.ID}
	if description == nil && s.settings.Load().Upload.DefaultDescription == ":filename" {
		row.Description = d.Name
	} else if description == nil {
		row.Description = s.settings.Load().Upload.DefaultDescription
	}
	if err := Change(row, description, focus, s.settings.Load().Instance.DescriptionLimit); err != nil {
		return nil, err
	}
	if err := s.keep(ctx, row, d); err != nil {
		return nil, err
	}
	return db.Once(ctx, s.db, "media", key, func(claim db.Claim[int64]) (made *db.MediaAttachment, err error) {
		err = s.db.Tx(ctx, func(tx *db.DB) error {
			rows := []db.MediaAttachment{*row}
			if err := tx.KeepAccounts(ctx, by.ID); err != nil {
				return err
			}
			if err := tx.CreateAttachments(ctx, rows); err != nil {
				return err
			}
			made = &rows[0]
			return claim(ctx, tx, made.ID)
		})
		return made, err
	}, func(id int64) (*db.MediaAttachment, error) { return s.db.Attachment(ctx, id) })
}

// keep stores a draft and completes its row.
func (s *Service) keep(ctx context.Context, row *db.MediaAttachment, d *Draft) error {
	if err := s.measure(ctx, row, d); err != nil {
		return err
	}
	name, err := s.Keep(ctx, d)
	if err != nil {
		return err
	}
	row.File, row.URL, row.Size = name, db.MediaPath+name, d.Size
	row.Type, row.MimeType = string(d.Type.Kind), d.Type.Mime
	if s.settings.Load().Upload.LinkName {
		row.URL += nameQuery(d.Name)
	}
	return nil
}

// Change gives a file another description, of up to limit characters, and another
// focus; nil keeps either, and so does an empty focus.
func Change(row *db.MediaAttachment, description, focus *string, limit int) error {
	if description != nil {
		clean, _ := text.Clean(*description)
		if text.Length(clean) > limit {
			return fault.Malformed("description_too_long")
		}
		row.Description = clean
	}
	if focus == nil || *focus == "" {
		return nil
	}
	x, y, err := readFocus(*focus)
	if err == nil {
		row.FocusX, row.FocusY = &x, &y
	}
	return err
}

// Attachment returns a file of by.
func (s *Service) Attachment(ctx context.Context, by *db.Account, id string) (*db.MediaAttachment, error) {
	return own(ctx, s.db, by, id)
}

func own(ctx context.Context, d *db.DB, by *db.Account, id string) (*db.MediaAttachment, error) {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("media %q: %w", id, db.ErrNotFound)
	}
	row, err := d.Attachment(ctx, n)
	if err != nil {
		return nil, err
	}
	if row.AccountID != by.ID {
		return nil, fmt.Errorf("media %q of another: %w", id, db.ErrNotFound)
	}
	return row, nil
}

// touched is how many reblogs a new description changes at once.
const touched = 500

// Describe changes the description and the focus of a file of by; nil keeps either.
func (s *Service) Describe(ctx context.Context, by *db.Account, id string, description, focus *string) (*db.MediaAttachment, error) {
	var row *db.MediaAttachment
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if row, err = own(ctx, tx, by, id); err != nil || description == nil && focus == nil {
			return err
		}
		if err := Change(row, description, focus, s.settings.Load().Instance.DescriptionLimit); err != nil {
			return err
		}
		if err := tx.DescribeAttachment(ctx, row); err != nil || row.StatusID == nil {
			return err
		}
		next, err := tx.TouchReblogs(ctx, *row.StatusID, "", touched)
		if err != nil || next == "" {
			return err
		}
		return jobs.Enqueue(ctx, tx, jobs.ChangeReblogs{StatusID: *row.StatusID, After: next})
	})
	return row, err
}

// SetMascot makes a draft the mascot of by. A file that is no picture is
// ErrNoPicture.
func (s *Service) SetMascot(ctx context.Context, by *db.Account, d *Draft) (*db.MediaAttachment, error) {
	if d.Type.Kind != Image {
		return nil, ErrNoPicture
	}
	row := &db.MediaAttachment{AccountID: by.ID}
	if err := s.keep(ctx, row, d); err != nil {
		return nil, err
	}
	return row, s.db.Tx(ctx, func(tx *db.DB) error { return tx.SetMascot(ctx, row) })
}

// ErrNoPicture is a file that must be a picture and is none.
var ErrNoPicture = errors.New("the file is no picture")

// Picture stores a draft as a picture of an account and returns its URL for the
// account's row.
func (s *Service) Picture(ctx context.Context, d *Draft) (string, error) {
	if d.Type.Kind != Image {
		return "", ErrNoPicture
	}
	name, err := s.Keep(ctx, d)
	return db.MediaPath + name, err
}

// Keep stores a draft and returns its name. The file is protected for some
// hours, until a row names it. A full store is ErrFull, a failing one ErrAway.
func (s *Service) Keep(ctx context.Context, d *Draft) (string, error) {
	name := s.storedName(d)
	// The same file may be under removal.
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, time.Second) {
		held, err := s.db.HoldFile(ctx, name, d.Size, d.Hash)
		if err != nil {
			return "", err
		}
		if held {
			break
		}
		if err := wait(ctx, pause); err != nil {
			return "", fmt.Errorf("store file %s, which is being removed: %w", name, err)
		}
	}
	if err := s.store.Put(ctx, name, d); err != nil {
		return "", fmt.Errorf("store file %s: %w", name, asUnavailable(&s.failures.put, err))
	}
	return name, nil
}

func wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

const (
	// unusedLife is how long an upload may stay unused.
	unusedLife = 24 * time.Hour
	// looseLife is how long a stored file may stay without a row.
	looseLife = 6 * time.Hour
	// sweepBatch bounds the rows or files of one step of a sweep.
	sweepBatch = 200
	// sweepSteps bounds one sweep; the next one continues.
	sweepSteps = 50
)

// Sweep removes unused uploads, and orphaned files. Files of deleted statuses
// stay unless the settings say otherwise.
func (s *Service) Sweep(ctx context.Context) error {
	for range sweepSteps {
		n, err := s.db.DeleteUnusedMedia(ctx, s.db.Now().Add(-unusedLife), sweepBatch)
		if err != nil {
			return err
		}
		if n < sweepBatch {
			break
		}
	}
	for range sweepSteps {
		names, err := s.db.OrphanedFiles(ctx, s.db.Now().Add(-looseLife), s.settings.Load().Instance.CleanupAttachments, sweepBatch)
		if err != nil {
			return err
		}
		var gone []string
		for _, name := range names {
			ok, err := s.remove(ctx, name)
			if err != nil {
				return err
			}
			if ok {
				gone = append(gone, name)
			}
		}
		if s.removed != nil {
			s.removed(ctx, gone)
		}
		if len(gone) == 0 {
			return s.removeAbandoned(s.scratch, "")
		}
	}
	return s.removeAbandoned(s.scratch, "")
}

// remove removes an orphaned file. It is false if the file is in use, or
// removed by another process.
func (s *Service) remove(ctx context.Context, name string) (bool, error) {
	var doomed bool
	before := s.db.Now().Add(-looseLife)
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		doomed, err = tx.BeginFileRemoval(ctx, name, before)
		return err
	})
	if err != nil || !doomed {
		return false, err
	}
	if err := s.store.Delete(ctx, name); err != nil {
		return false, fmt.Errorf("remove file %s: %w", name, asUnavailable(&s.failures.delete, err))
	}
	return true, s.db.EndFileRemoval(ctx, name)
}

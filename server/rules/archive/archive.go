// Package archive makes archives of an account's data: a zip with the profile,
// statuses, favourites and bookmarks as ActivityPub documents, and the files.
// It is written while it is read, a page at a time.
package archive

import (
	"archive/zip"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/guard"
	"svc/server/platform/jobs"
	"svc/server/platform/mail"
	"svc/server/platform/media"
)

const (
	// listed bounds the list of an account's backups.
	listed = 40
	// pageSize bounds the rows in memory.
	pageSize = 100
	// maxSize is the largest archive, in bytes.
	maxSize = 1 << 40
	day     = 24 * time.Hour
	suffix  = ".zip"
	// sweepChunk bounds the backups of one sweep step.
	sweepChunk = 500
)

// Parts are the dependencies of a Service.
type Parts struct {
	DB       *db.DB
	Settings *config.Live
	Site     config.Site
	Media    *media.Service
	Data     string // the data folder
	Now      func() time.Time
}

// Service makes backups.
type Service struct {
	db       *db.DB
	media    *media.Service
	settings *config.Live
	base     string
	data     string
	now      func() time.Time
}

// New returns a Service.
func New(p Parts) *Service {
	return &Service{db: p.DB, media: p.Media, settings: p.Settings, base: p.Site.Base, data: p.Data, now: p.Now}
}

// Backups returns an account's newest backups, including unfinished ones.
func (s *Service) Backups(ctx context.Context, account *db.Account) ([]db.Backup, error) {
	return s.db.Backups(ctx, account.ID, listed)
}

// In returns a Service whose operations join tx.
func (s *Service) In(tx *db.DB) *Service {
	in := *s
	in.db = tx
	return &in
}

// Start begins a backup, which a job makes and a mail announces. It is refused
// for an account without an address, or with a recent backup. An idempotency
// key, which may be empty, begins one only.
func (s *Service) Start(ctx context.Context, account *db.Account, key string) error {
	return s.db.TxOnce(ctx, "backup", key, func(tx *db.DB) error {
		return s.In(tx).start(ctx, account.ID, func(last *db.Backup) error {
			days := s.settings.Load().Backup.LimitDays
			if s.now().Sub(last.CreatedAt.Time) < time.Duration(days)*day {
				return fault.Malformedf("Last export was less than %d days ago", days)
			}
			return nil
		})
	})
}

// StartFor is Start for an admin, however new the last backup is.
func (s *Service) StartFor(ctx context.Context, accountID string) error {
	return s.start(ctx, accountID, func(*db.Backup) error { return nil })
}

func (s *Service) start(ctx context.Context, accountID string, since func(last *db.Backup) error) error {
	if !s.settings.Load().Mailer.On() {
		return fault.Malformed("Backups require enabled email")
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.HoldAccounts(ctx, accountID); err != nil {
			return err
		}
		u, err := tx.User(ctx, accountID)
		if errors.Is(err, db.ErrNotFound) || err == nil && u.Email == "" {
			return fault.Malformed("Email is required")
		}
		if err != nil {
			return err
		}
		last, err := tx.Backups(ctx, accountID, 1)
		if err != nil {
			return err
		}
		if len(last) > 0 {
			if err := since(&last[0]); err != nil {
				return err
			}
		}
		b := &db.Backup{AccountID: accountID}
		if err := tx.CreateBackup(ctx, b); err != nil {
			return err
		}
		return jobs.Enqueue(ctx, tx, jobs.MakeBackup{ID: b.ID})
	})
}

// Make runs a job of its kind. Run twice it makes one archive.
func (s *Service) Make(ctx context.Context, job jobs.MakeBackup) error {
	b, err := s.db.Backup(ctx, job.ID)
	if err != nil || b.File != "" {
		return ignoreNotFound(err)
	}
	account, err := s.db.Account(ctx, b.AccountID)
	if err != nil {
		return ignoreNotFound(err)
	}
	draft, err := s.write(ctx, account)
	if err != nil {
		return fmt.Errorf("backup %d: %w", b.ID, err)
	}
	defer draft.Close()
	name, err := s.media.Keep(ctx, draft)
	if err != nil {
		return fmt.Errorf("backup %d: %w", b.ID, err)
	}
	// If the account is deleted meanwhile, no row names the file, and it is swept.
	return ignoreNotFound(s.db.Tx(ctx, func(tx *db.DB) error {
		if err := tx.FinishBackup(ctx, b.ID, name, draft.Size); err != nil {
			return err
		}
		u, err := tx.User(ctx, account.ID)
		if err != nil || u.Email == "" {
			return err
		}
		return mail.Enqueue(ctx, tx, s.settings.Load(), mail.Backup,
			map[string]string{"nickname": account.Nickname, "link": s.URL(name)}, u.Email)
	}))
}

// URL returns the address of an archive, which is open to anybody who knows it.
func (s *Service) URL(file string) string { return s.base + db.MediaPath + file }

// Is reports whether a file of the media store is an archive of an active account.
// An archive of another account, or one without a row, which is there until it is
// swept, is db.ErrNotFound.
func (s *Service) Is(ctx context.Context, file string) (bool, error) {
	if !strings.HasSuffix(file, suffix) {
		return false, nil
	}
	archive, upload, err := s.db.BackupShown(ctx, file)
	if err == nil && !archive && !upload {
		err = fmt.Errorf("archive %s: %w", file, db.ErrNotFound)
	}
	return archive, err
}

// Sweep removes expired backups.
func (s *Service) Sweep(ctx context.Context) error {
	before := db.At(s.now().Add(-time.Duration(s.settings.Load().Backup.PurgeAfterDays) * day))
	return s.db.Steps(ctx, func(tx *db.DB) (bool, error) {
		n, err := tx.SweepBackups(ctx, before, sweepChunk)
		return n == sweepChunk, err
	})
}

// write writes the archive as it enters the media store.
func (s *Service) write(ctx context.Context, account *db.Account) (*media.Draft, error) {
	r, w := io.Pipe()
	go func() { w.CloseWithError(guard.Run(func() error { return s.fill(ctx, account, w) })) }()
	receive := s.media.Receive
	if dir := s.settings.Load().Backup.Dir; dir != "" {
		receive = func(r io.Reader, name string, limit int64) (*media.Draft, error) {
			return s.media.ReceiveIn(config.In(s.data, dir), r, name, limit)
		}
	}
	draft, err := receive(r, account.Nickname+suffix, maxSize)
	_ = r.CloseWithError(io.ErrClosedPipe) // ends fill, if it still runs
	return draft, err
}

func (s *Service) fill(ctx context.Context, account *db.Account, w io.Writer) error {
	z := zip.NewWriter(w)
	// The name of the file is its only protection and comes from the content, so
	// the content must not be predictable.
	var secret [16]byte
	_, _ = rand.Read(secret[:])
	if err := z.SetComment(hex.EncodeToString(secret[:])); err != nil {
		return err
	}
	pictures := map[string]string{"avatar": account.Avatar, "header": account.Header}
	for part, url := range pictures {
		file, here := strings.CutPrefix(url, db.MediaPath)
		if !here {
			pictures[part] = ""
			continue
		}
		file, _, _ = strings.Cut(file, "?")
		pictures[part] = part + file[strings.LastIndexByte(file, '.'):]
		if err := s.copyFile(ctx, z, pictures[part], file); err != nil {
			return err
		}
	}
	steps := []struct {
		name string
		fill func(io.Writer) error
	}{
		{"actor.json", func(w io.Writer) error { return encode(w, s.actor(account, pictures)) }},
		{"outbox.json", func(w io.Writer) error { return s.outbox(ctx, w, account) }},
		{"likes.json", func(w io.Writer) error { return s.kept(ctx, w, "likes.json", account, s.db.FavouritesAfter) }},
		{"bookmarks.json", func(w io.Writer) error { return s.kept(ctx, w, "bookmarks.json", account, s.db.BookmarksAfter) }},
	}
	for _, step := range steps {
		part, err := s.part(z, step.name)
		if err == nil {
			err = step.fill(part)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
	}
	if err := s.files(ctx, z, account); err != nil {
		return err
	}
	return z.Close()
}

func (s *Service) part(z *zip.Writer, name string) (io.Writer, error) {
	return z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: s.now().UTC()})
}

// files copies the account's uploads.
func (s *Service) files(ctx context.Context, z *zip.Writer, account *db.Account) error {
	done := map[string]bool{}
	for after := int64(0); ; {
		rows, err := s.db.FilesAfter(ctx, account.ID, after, pageSize)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			after = row.ID
			if done[row.File] {
				continue
			}
			done[row.File] = true
			if err := s.copyFile(ctx, z, "media/"+row.File, row.File); err != nil {
				return err
			}
		}
	}
}

// copyFile copies a file of the store; a missing one is skipped.
func (s *Service) copyFile(ctx context.Context, z *zip.Writer, name, file string) error {
	f, _, err := s.media.Open(ctx, file)
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	defer func() { _ = f.Close() }()
	part, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store, Modified: s.now().UTC()}) // compressed already
	if err == nil {
		_, err = io.Copy(part, f)
	}
	return err
}

func ignoreNotFound(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}

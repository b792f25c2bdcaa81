package moderation

import (
	"context"

	"svc/db"
	"svc/server/rules/auth"
)

// AddSSHKey lets a local account sign in over SSH with a key. One that it has
// already is returned, and not logged again. An unknown, remote or deleted account
// is db.ErrNotFound.
func (s *Service) AddSSHKey(ctx context.Context, by *db.Account, nickname string, in auth.NewSSHKey) (key *db.SSHKey, err error) {
	if err := s.rights.Check(by, SSHKeyAdded.right); err != nil {
		return nil, err
	}
	err = s.db.Tx(ctx, func(tx *db.DB) error {
		account, known, err := s.keysOf(ctx, tx, by, SSHKeyAdded, nickname)
		if err != nil {
			return err
		}
		if key, err = s.auth.In(tx).AddSSHKey(ctx, account.ID, in); err != nil || known[key.ID] {
			return err
		}
		return s.Log(ctx, tx, by, SSHKeyAdded, Data{Users: []*db.Account{account}, Text: key.Name, Target: "SHA256:" + key.Hash})
	})
	return key, err
}

// DeleteSSHKey ends a key of a local account, and its sessions. One that the account
// does not have is db.ErrNotFound.
func (s *Service) DeleteSSHKey(ctx context.Context, by *db.Account, nickname string, id int64) error {
	if err := s.rights.Check(by, SSHKeyDeleted.right); err != nil {
		return err
	}
	return s.db.Tx(ctx, func(tx *db.DB) error {
		account, _, err := s.keysOf(ctx, tx, by, SSHKeyDeleted, nickname)
		if err != nil {
			return err
		}
		key, err := s.auth.In(tx).DeleteSSHKey(ctx, account.ID, id)
		if err != nil {
			return err
		}
		return s.Log(ctx, tx, by, SSHKeyDeleted, Data{Users: []*db.Account{account}, Text: key.Name, Target: "SHA256:" + key.Hash})
	})
}

// keysOf holds a local account for an action on its keys, of which it returns the
// numbers.
func (s *Service) keysOf(ctx context.Context, tx *db.DB, by *db.Account, action *Action, nickname string) (*db.Account, map[int64]bool, error) {
	t, err := s.choose(ctx, tx, by, action.right, []string{nickname}, alone)
	if err != nil {
		return nil, nil, err
	}
	account := t.each[0]
	if _, err := tx.User(ctx, account.ID); err != nil {
		return nil, nil, err
	}
	rows, err := tx.SSHKeys(ctx, account.ID)
	known := map[int64]bool{}
	for _, k := range rows {
		known[k.ID] = true
	}
	return account, known, err
}

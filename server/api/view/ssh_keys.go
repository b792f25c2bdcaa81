package view

import (
	"svc/client/api"
	"svc/db"
)

// SSHKey renders a key.
func SSHKey(k *db.SSHKey) api.SSHKey {
	return api.SSHKey{
		ID: k.ID, Name: k.Name, Type: k.Type, Fingerprint: "SHA256:" + k.Hash,
		CreatedAt: api.Time{Time: k.CreatedAt.Time}, LastUsedAt: api.At(k.UsedAt.Time),
	}
}

// SSHKeys renders keys.
func SSHKeys(rows []db.SSHKey) api.List[api.SSHKey] {
	out := make(api.List[api.SSHKey], len(rows))
	for i := range rows {
		out[i] = SSHKey(&rows[i])
	}
	return out
}

package api

import "encoding/json"

// SSHKey is a public key with which an account signs in over SSH. Fingerprint is
// like that of ssh-keygen -l; the key itself is not kept.
type SSHKey struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Type        string `json:"type" schema:"filled"`
	Fingerprint string `json:"fingerprint" schema:"filled"`
	CreatedAt   Time   `json:"created_at"`
	LastUsedAt  *Time  `json:"last_used_at"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes a key and keeps its bytes in Raw.
func (k *SSHKey) UnmarshalJSON(data []byte) error {
	type plain SSHKey
	if err := json.Unmarshal(data, (*plain)(k)); err != nil {
		return err
	}
	k.Raw = keep(data)
	return nil
}

// NewSSHKey is the form of POST /api/svc/ssh_keys and of the same for admins. Key
// is a line of authorized_keys, or a .pub file; without a Name, its comment is one.
type NewSSHKey struct {
	Key  string `json:"key" form:"key" binding:"required"`
	Name string `json:"name,omitempty" form:"name"`
}

package api

import "encoding/json"

// Relay is a server that passes posts on, and that this one asked to. Actor is
// its address as it was asked for; FollowedBack is whether it accepted.
type Relay struct {
	Actor        string `json:"actor"`
	FollowedBack bool   `json:"followed_back"`
	// Warning is a notice for admins, "" for none: above all that the relay
	// cannot read statuses while the setting :authorized_fetch_mode is on.
	Warning string `json:"warning,omitempty"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes a relay and keeps its bytes in Raw.
func (r *Relay) UnmarshalJSON(data []byte) error {
	type plain Relay
	if err := json.Unmarshal(data, (*plain)(r)); err != nil {
		return err
	}
	r.Raw = keep(data)
	return nil
}

// RelayForm is the form of POST and DELETE /api/svc/admin/relay: a relay's
// actor, or its inbox. Force is taken for relays that do not answer any more;
// they can be left without it too.
type RelayForm struct {
	RelayURL string `json:"relay_url" form:"relay_url"`
	Force    bool   `json:"force,omitempty" form:"force"`
}

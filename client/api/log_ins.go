package api

import "encoding/json"

// The kinds of log-ins.
const (
	LogInApp     = "app"
	LogInBrowser = "browser" // on the server's own pages
	LogInSSH     = "ssh"
)

// LogIn is one place where a user is signed in. ID is that of its token, nil for a
// browser. ValidUntil says nothing of one that is Renewable: its app renews it without
// asking the user.
type LogIn struct {
	ID         *int64       `json:"id"`
	Kind       string       `json:"kind"`
	Name       string       `json:"name"` // of the app, or of the SSH key
	Scopes     List[string] `json:"scopes"`
	CreatedAt  Time         `json:"created_at"`
	ValidUntil Time         `json:"valid_until"`
	Renewable  bool         `json:"renewable"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes a log-in and keeps its bytes in Raw.
func (l *LogIn) UnmarshalJSON(data []byte) error {
	type plain LogIn
	if err := json.Unmarshal(data, (*plain)(l)); err != nil {
		return err
	}
	l.Raw = keep(data)
	return nil
}

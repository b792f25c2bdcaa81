package api

import "encoding/json"

// AdminApp is a registered client as admins see it. Registrations through a
// trusted one are spared the captcha.
type AdminApp struct {
	ID           int64   `json:"id"`
	Name         string  `json:"name"`
	ClientID     string  `json:"client_id"`
	ClientSecret string  `json:"client_secret"`
	RedirectURI  string  `json:"redirect_uri"` // as registered: several are separated by spaces
	Website      *string `json:"website"`
	Trusted      bool    `json:"trusted"`
	VAPIDKey     string  `json:"vapid_key,omitempty"`

	Raw json.RawMessage `json:"-"`
}

// UnmarshalJSON decodes an app and keeps its bytes in Raw.
func (a *AdminApp) UnmarshalJSON(data []byte) error {
	type plain AdminApp
	if err := json.Unmarshal(data, (*plain)(a)); err != nil {
		return err
	}
	a.Raw = keep(data)
	return nil
}

// AdminApps is a page of apps; Count is of all that match.
type AdminApps struct {
	Apps     List[AdminApp] `json:"apps"`
	Count    int            `json:"count"`
	PageSize int            `json:"page_size"`
}

// AppQuery selects a page of apps, the oldest first. Name and ClientID are
// whole; a nil Trusted is both kinds. Page counts from 1; PageSize 0 is 50.
type AppQuery struct {
	Name     string `json:"name,omitempty" form:"name"`
	ClientID string `json:"client_id,omitempty" form:"client_id"`
	Trusted  *bool  `json:"trusted,omitempty" form:"trusted"`
	Page     int    `json:"page,omitempty" form:"page"`
	PageSize int    `json:"page_size,omitempty" form:"page_size"`
}

// AppForm is the form of POST and PATCH /api/svc/admin/oauth_app. A new app
// needs Name, RedirectURIs (separated by spaces) and Scopes; in a change, nil
// fields keep their values.
type AppForm struct {
	Name         *string  `json:"name,omitempty" form:"name"`
	RedirectURIs *string  `json:"redirect_uris,omitempty" form:"redirect_uris"`
	Scopes       []string `json:"scopes,omitempty" form:"scopes"`
	Website      *string  `json:"website,omitempty" form:"website"`
	Trusted      *bool    `json:"trusted,omitempty" form:"trusted"`
}

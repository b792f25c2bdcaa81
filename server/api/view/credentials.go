package view

import (
	"encoding/json"

	"svc/client/api"
	"svc/db"
)

// Credentials are an account's profile and settings for admins. The user is nil
// for remote accounts, and for those that are deleted.
func (v *View) Credentials(a *db.Account, u *db.User) (*api.Credentials, error) {
	out := &api.Credentials{
		ID: a.ID, ActorType: a.ActorType, Name: a.DisplayName, Bio: a.NoteHTML,
		Avatar: v.avatar(a.Avatar), Banner: v.orDefault(a.Header, "/images/banner.png"),
		Locked: a.Locked, Discoverable: a.Discoverable, AllowFollowingMove: a.AllowFollowingMove,
		DefaultScope: a.DefaultScope, NoRichText: a.NoRichText, ShowRole: a.ShowRole, SkipThreadContainment: a.SkipThreadContainment,
		HideFavorites: a.HideFavourites, HideFollowers: a.HideFollowers, HideFollowersCount: a.HideFollowersCount,
		HideFollows: a.HideFollows, HideFollowsCount: a.HideFollowsCount,
		SettingsStore: json.RawMessage("{}"), Background: new(string), Email: new(string),
	}
	if a.Background != "" {
		*out.Background = v.orDefault(a.Background, "")
	}
	for _, f := range a.FieldsHTML {
		out.Fields = append(out.Fields, api.CredentialsField{Name: f.Name, Value: f.Value})
	}
	for i, f := range a.Fields {
		out.RawFields = append(out.RawFields, api.RawField{ID: i + 1, Name: f.Name, Value: f.Value})
	}
	if u == nil {
		return out, nil
	}
	out.Email = &u.Email
	if len(u.SettingsStore) > 0 {
		store, err := json.Marshal(u.SettingsStore)
		if err != nil {
			return nil, err
		}
		out.SettingsStore = store
	}
	return out, nil
}

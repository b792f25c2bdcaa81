package adminapi

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strconv"

	"github.com/gin-gonic/gin"

	"svc/client/api"
	"svc/db"
	"svc/server/api/view"
	"svc/server/api/web"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/media"
	"svc/server/rules/moderation"
)

// invalid is the message for a value of the wrong kind.
const invalid = "is invalid"

// Credentials answers requests about profiles and settings of users.
type Credentials struct {
	DB         *db.DB
	View       *view.View
	Moderation *moderation.Service
	Media      *media.Service
	Settings   *config.Live
	people     people
}

// Credentials are the handlers of profiles and settings of users.
func (p *Parts) Credentials() Credentials {
	return Credentials{p.DB, p.View, p.Moderation, p.Media, p.Settings, p.people()}
}

// Show is GET /users/:nickname_or_id/credentials.
func (a Credentials) Show(c *gin.Context) error {
	account, err := a.people.account(c)
	if err != nil {
		return err
	}
	var user *db.User
	if account.Local {
		user, err = a.DB.User(c.Request.Context(), account.ID)
		if err != nil && !errors.Is(err, db.ErrNotFound) { // a deleted account has none
			return err
		}
	}
	out, err := a.View.Credentials(account, user)
	if err != nil {
		return err
	}
	return web.OK(c, out)
}

// credentialsForm accepts values of any kind: a value of the wrong kind is
// refused by name, like a value that breaks a rule. Renamed fields have both
// names.
type credentialsForm struct {
	Email                 any `json:"email"`
	Password              any `json:"password"`
	Name                  any `json:"name"`
	Bio                   any `json:"bio"`
	Avatar                any `json:"avatar"`
	Banner                any `json:"banner"`
	Background            any `json:"background"`
	Locked                any `json:"locked"`
	IsLocked              any `json:"is_locked"`
	NoRichText            any `json:"no_rich_text"`
	DefaultScope          any `json:"default_scope" binding:"filled"`
	HideFollows           any `json:"hide_follows"`
	HideFollowers         any `json:"hide_followers"`
	HideFollowersCount    any `json:"hide_followers_count"`
	HideFollowsCount      any `json:"hide_follows_count"`
	HideFavorites         any `json:"hide_favorites"`
	AllowFollowingMove    any `json:"allow_following_move"`
	ShowRole              any `json:"show_role"`
	SkipThreadContainment any `json:"skip_thread_containment"`
	Fields                any `json:"fields"`
	Discoverable          any `json:"discoverable"`
	IsDiscoverable        any `json:"is_discoverable"`
	ActorType             any `json:"actor_type" binding:"filled"`
}

// Update is PATCH /users/:nickname/credentials.
func (a Credentials) Update(c *gin.Context) error {
	nickname, err := web.Path(c, "nickname")
	if err != nil {
		return err
	}
	r := &reader{}
	pictures, err := a.pictures(c, r)
	defer pictures.close()
	if err != nil {
		return err
	}
	var in credentialsForm
	if err := web.BindAny(c, &in); err != nil {
		return err
	}
	ctx := c.Request.Context()
	if _, err := a.DB.AccountByNickname(ctx, a.people.local(nickname)); err != nil {
		return err // before a picture is kept
	}
	change := r.credentials(&in)
	for _, p := range []struct {
		field string
		text  any
		into  **string
	}{
		{avatarField, in.Avatar, &change.Profile.Avatar},
		{bannerField, in.Banner, &change.Profile.Header},
		{backgroundField, in.Background, &change.Profile.Background},
	} {
		if *p.into, err = a.picture(c, r, p.field, pictures[p.field], p.text); err != nil {
			return err
		}
	}
	change.Unreadable = r.wrong
	err = a.Moderation.UpdateCredentials(ctx, web.Caller(c).Account, a.people.local(nickname), change)
	var refusal *fault.Error
	if errors.As(err, &refusal) && len(refusal.Fields) > 0 {
		body := api.FieldErrors{Errors: map[string]string{}}
		for _, f := range slices.Backward(refusal.Fields) { // the first of a field stays
			body.Errors[f.Name] = f.Message
		}
		return &web.Answer{Status: http.StatusBadRequest, Body: body}
	}
	if err != nil {
		return err
	}
	return web.OK(c, api.Outcome{Status: "success"})
}

// The pictures of an account, by the form's names for them.
const (
	avatarField     = "avatar"
	bannerField     = "banner"
	backgroundField = "background"
)

// drafts are the files of a form, by its names for them.
type drafts map[string]*media.Draft

func (d drafts) close() {
	for _, draft := range d {
		draft.Close()
	}
}

func (a Credentials) pictureLimits() map[string]int {
	i := &a.Settings.Load().Instance
	return map[string]int{avatarField: i.AvatarUploadLimit, bannerField: i.BannerUploadLimit, backgroundField: i.BackgroundUploadLimit}
}

// BodyLimit is the longest body that changes a user, in bytes.
func (a Credentials) BodyLimit() int64 {
	total := int64(web.FormOverhead)
	for _, limit := range a.pictureLimits() {
		total += int64(limit)
	}
	return total
}

// pictures reads the pictures of a form, and notes unusable ones in r. The
// caller closes the result, even with an error.
func (a Credentials) pictures(c *gin.Context, r *reader) (drafts, error) {
	got, limits := drafts{}, a.pictureLimits()
	return got, web.Files(c, func(name, file string, content io.Reader) error {
		limit, ok := limits[name]
		if !ok {
			return nil
		}
		draft, err := a.Media.Receive(content, web.SafeName(file), int64(limit))
		switch {
		case errors.Is(err, media.ErrTooLarge):
			r.refuse(name, "file is too large")
			return nil
		case fault.Is(err, fault.KindInvalid):
			r.refuse(name, invalid)
			return nil
		case err != nil:
			return err
		}
		if earlier := got[name]; earlier != nil {
			earlier.Close()
		}
		got[name] = draft
		return nil
	})
}

// picture is the new value of a picture in an account's row: nil keeps it, ""
// is the default, else the address of the new one. As text, only "" is
// accepted.
func (a Credentials) picture(c *gin.Context, r *reader, field string, draft *media.Draft, text any) (*string, error) {
	if draft == nil {
		reset := r.text(field, text)
		if reset != nil && *reset != "" {
			r.refuse(field, invalid)
		}
		return reset, nil
	}
	url, err := a.Media.Picture(c.Request.Context(), draft)
	if errors.Is(err, media.ErrNoPicture) {
		r.refuse(field, invalid)
		return nil, nil
	}
	return &url, err
}

// reader reads values of a form, and collects those that cannot be read.
type reader struct{ wrong []fault.Field }

func (r *reader) refuse(name, message string) {
	r.wrong = append(r.wrong, fault.Field{Name: name, Message: message})
}

func (r *reader) credentials(in *credentialsForm) moderation.Credentials {
	out := moderation.Credentials{Email: r.text("email", in.Email), Password: r.text("password", in.Password)}
	p := &out.Profile
	p.DisplayName, p.Note = r.text("name", in.Name), r.text("bio", in.Bio)
	p.DefaultScope, p.ActorType = r.text("default_scope", in.DefaultScope), r.text("actor_type", in.ActorType)
	for _, f := range []struct {
		name string
		v    any
		into **bool
	}{
		{"is_locked", in.IsLocked, &p.Locked},
		{"locked", in.Locked, &p.Locked},
		{"is_discoverable", in.IsDiscoverable, &p.Discoverable},
		{"discoverable", in.Discoverable, &p.Discoverable},
		{"no_rich_text", in.NoRichText, &p.NoRichText},
		{"hide_follows", in.HideFollows, &p.HideFollows},
		{"hide_followers", in.HideFollowers, &p.HideFollowers},
		{"hide_followers_count", in.HideFollowersCount, &p.HideFollowersCount},
		{"hide_follows_count", in.HideFollowsCount, &p.HideFollowsCount},
		{"hide_favorites", in.HideFavorites, &p.HideFavourites},
		{"allow_following_move", in.AllowFollowingMove, &p.AllowFollowingMove},
		{"show_role", in.ShowRole, &p.ShowRole},
		{"skip_thread_containment", in.SkipThreadContainment, &p.SkipThreadContainment},
	} {
		if b := r.exactBoolean(f.name, f.v); b != nil {
			*f.into = b
		}
	}
	p.Fields = r.fields("fields", in.Fields)
	return out
}

// text reads a string, nil when absent.
func (r *reader) text(name string, v any) *string {
	s, ok := v.(string)
	switch {
	case v == nil:
		return nil
	case !ok || !web.IsText(s):
		r.refuse(name, invalid)
		return nil
	}
	return &s
}

// exactBoolean reads a boolean, or a form's word for one; nil when absent or
// empty.
func (r *reader) exactBoolean(name string, v any) *bool {
	yes := v == true || v == "true" || v == "1"
	switch {
	case v == nil, v == "":
		return nil
	case !yes && v != false && v != "false" && v != "0":
		r.refuse(name, invalid)
		return nil
	}
	return &yes
}

// fields reads a list of names and values, as JSON or by their places in a
// form; nil when absent or empty.
func (r *reader) fields(name string, v any) []db.Field {
	items, ok := v.([]any)
	if byPlace, isMap := v.(map[string]any); isMap {
		items, ok = placed(byPlace)
	}
	switch {
	case v == nil, v == "":
		return nil
	case !ok:
		r.refuse(name, invalid)
		return nil
	}
	out := []db.Field{}
	for _, item := range items {
		pair, ok := item.(map[string]any)
		if !ok {
			r.refuse(name, invalid)
			return nil
		}
		var f db.Field
		for key, into := range map[string]*string{"name": &f.Name, "value": &f.Value} {
			if s, ok := pair[key].(string); ok && web.IsText(s) {
				*into = s
			} else if pair[key] != nil {
				r.refuse(name, "invalid")
				return nil
			}
		}
		out = append(out, f)
	}
	return out
}

// placed returns items in the order of the numbers of their places.
func placed(items map[string]any) ([]any, bool) {
	places := make([]int, 0, len(items))
	for key := range items {
		n, err := strconv.Atoi(key)
		if err != nil {
			return nil, false
		}
		places = append(places, n)
	}
	slices.Sort(places)
	out := make([]any, len(places))
	for i, n := range places {
		out[i] = items[strconv.Itoa(n)]
	}
	return out, true
}

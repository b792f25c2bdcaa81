package social

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"svc/db"
	"svc/server/platform/config"
	"svc/server/platform/fault"
	"svc/server/platform/jobs"
	"svc/server/platform/text"
)

// Profile is a change of an account by its owner; nil keeps a value.
type Profile struct {
	DisplayName *string
	Note        *string // as typed
	Fields      []db.Field
	AlsoKnownAs []string
	// Pictures are addresses; "" is the default one.
	Avatar     *string
	Header     *string
	Background *string

	Locked                *bool
	Discoverable          *bool
	Unindexed             *bool
	Bot                   *bool
	ActorType             *string // Person or Service; wins over Bot
	NoRichText            *bool
	HideFollowers         *bool
	HideFollows           *bool
	HideFollowersCount    *bool
	HideFollowsCount      *bool
	HideFavourites        *bool
	ShowRole              *bool
	SkipThreadContainment *bool
	AllowFollowingMove    *bool
	AcceptsChatMessages   *bool

	DefaultScope     *string
	DefaultSensitive *bool
	DefaultLanguage  *string

	// SettingsStore replaces the settings of frontends, by the name of the
	// frontend.
	SettingsStore map[string]any
}

// maxSettingsStore bounds the frontends with settings in one account.
const maxSettingsStore = 50

// wrongs collects the faults of a profile: each value by its name, with a
// message to follow that name, and the first of them as a sentence.
type wrongs struct {
	sentence string
	fields   []fault.Field
}

func (w *wrongs) add(name, message, sentence string) {
	if w.sentence == "" {
		w.sentence = sentence
	}
	w.fields = append(w.fields, fault.Field{Name: name, Message: message})
}

func (w *wrongs) err() error {
	if len(w.fields) == 0 {
		return nil
	}
	return fault.Invalid(w.sentence, w.fields...)
}

const invalid = "is invalid"

func tooLong(most int) string { return fmt.Sprintf("should be at most %d character(s)", most) }

// UpdateProfile changes an account's profile and settings, all or none. A
// refusal names all invalid values by the columns of the account. It returns
// the updated account and user.
func (s *Service) UpdateProfile(ctx context.Context, by *db.Account, p Profile) (*db.Account, *db.User, error) {
	return s.updateProfile(ctx, by, p, s.outbox.ProfileChanged)
}

// CorrectProfile is UpdateProfile for an admin. Other servers do not get the
// change.
func (s *Service) CorrectProfile(ctx context.Context, account *db.Account, p Profile) error {
	_, _, err := s.updateProfile(ctx, account, p, func(context.Context, *db.DB, *db.Account) error { return nil })
	return err
}

func (s *Service) updateProfile(ctx context.Context, by *db.Account, p Profile, tell func(context.Context, *db.DB, *db.Account) error) (*db.Account, *db.User, error) {
	var (
		a *db.Account
		u *db.User
	)
	err := s.db.Tx(ctx, func(tx *db.DB) (err error) {
		if err := tx.HoldAccounts(ctx, by.ID); err != nil {
			return err
		}
		if a, err = tx.Account(ctx, by.ID); err != nil {
			return err
		}
		if u, err = tx.User(ctx, by.ID); err != nil {
			return err
		}
		wasLocked := a.Locked
		columns, err := s.apply(ctx, tx, a, p)
		if err != nil {
			return err
		}
		if wasLocked && !a.Locked {
			if err := jobs.Enqueue(ctx, tx, jobs.AcceptWaiting{AccountID: a.ID}); err != nil {
				return err
			}
		}
		if len(columns) > 0 {
			if err := tx.UpdateAccount(ctx, a, columns...); err != nil {
				return err
			}
		}
		if (p.Note != nil || p.Fields != nil) && namesPages(a) {
			if err := jobs.Enqueue(ctx, tx, jobs.CheckBacklinks{AccountID: a.ID}); err != nil {
				return err
			}
		}
		if len(p.SettingsStore) > 0 {
			if err := mergeSettings(u, p.SettingsStore); err != nil {
				return err
			}
			if err := tx.UpdateUser(ctx, u, "settings_store"); err != nil {
				return err
			}
		}
		if a, err = tx.Account(ctx, by.ID); err != nil { // with its new version
			return err
		}
		if !slices.ContainsFunc(columns, shownElsewhere) {
			return nil
		}
		return tell(ctx, tx, a)
	})
	return a, u, err
}

// shownElsewhere reports whether other servers know a column of an account.
func shownElsewhere(column string) bool {
	switch column {
	case "display_name", "note", "fields", "emojis", "also_known_as", "avatar", "header", "actor_type", "locked", "discoverable", "unindexed", "accepts_chat_messages":
		return true
	}
	return false
}

func mergeSettings(u *db.User, changes map[string]any) error {
	merged := map[string]any{}
	for name, settings := range u.SettingsStore {
		merged[name] = settings
	}
	for name, settings := range changes {
		if _, ok := settings.(map[string]any); !ok {
			return fault.Invalid("Settings of a frontend must be an object")
		}
		merged[name] = settings
	}
	if len(merged) > maxSettingsStore {
		return fault.Invalidf("Settings of more than %d frontends cannot be kept", maxSettingsStore)
	}
	u.SettingsStore = merged
	return nil
}

// apply writes p into a and returns the names of the changed columns.
func (s *Service) apply(ctx context.Context, tx *db.DB, a *db.Account, p Profile) ([]string, error) {
	wrong := &wrongs{}
	columns, err := s.applyTexts(ctx, tx, a, p, wrong)
	if err != nil {
		return nil, err
	}
	if p.DefaultScope != nil && !slices.Contains([]string{db.Public, db.Unlisted, db.Private, db.Direct, db.Local}, *p.DefaultScope) {
		wrong.add("default_scope", invalid, "Default scope is not included in the list")
	}
	if p.ActorType == nil && p.Bot != nil {
		kind := "Person"
		if *p.Bot {
			kind = "Service"
		}
		p.ActorType = &kind
	}
	if p.ActorType != nil && *p.ActorType != "Person" && *p.ActorType != "Service" {
		wrong.add("actor_type", invalid, "Actor type is not included in the list")
	}
	if p.DefaultLanguage != nil {
		tag := text.Language(*p.DefaultLanguage)
		if tag == "" && *p.DefaultLanguage != "" {
			wrong.add("default_language", invalid, "Language is invalid")
		}
		p.DefaultLanguage = &tag
	}
	if err := wrong.err(); err != nil {
		return nil, err
	}
	for _, flag := range []struct {
		column string
		to     *bool
		value  *bool
	}{
		{"locked", &a.Locked, p.Locked},
		{"discoverable", &a.Discoverable, p.Discoverable},
		{"unindexed", &a.Unindexed, p.Unindexed},
		{"no_rich_text", &a.NoRichText, p.NoRichText},
		{"hide_followers", &a.HideFollowers, p.HideFollowers},
		{"hide_follows", &a.HideFollows, p.HideFollows},
		{"hide_followers_count", &a.HideFollowersCount, p.HideFollowersCount},
		{"hide_follows_count", &a.HideFollowsCount, p.HideFollowsCount},
		{"hide_favourites", &a.HideFavourites, p.HideFavourites},
		{"show_role", &a.ShowRole, p.ShowRole},
		{"skip_thread_containment", &a.SkipThreadContainment, p.SkipThreadContainment},
		{"allow_following_move", &a.AllowFollowingMove, p.AllowFollowingMove},
		{"default_sensitive", &a.DefaultSensitive, p.DefaultSensitive},
	} {
		if flag.value != nil {
			*flag.to = *flag.value
			columns = append(columns, flag.column)
		}
	}
	for _, word := range []struct {
		column string
		to     *string
		value  *string
	}{
		{"default_scope", &a.DefaultScope, p.DefaultScope},
		{"default_language", &a.DefaultLanguage, p.DefaultLanguage},
		{"actor_type", &a.ActorType, p.ActorType},
		{"avatar", &a.Avatar, p.Avatar},
		{"header", &a.Header, p.Header},
		{"background", &a.Background, p.Background},
	} {
		if word.value != nil {
			*word.to = *word.value
			columns = append(columns, word.column)
		}
	}
	if p.AcceptsChatMessages != nil {
		a.AcceptsChatMessages = p.AcceptsChatMessages
		columns = append(columns, "accepts_chat_messages")
	}
	return columns, nil
}

func (s *Service) applyTexts(ctx context.Context, tx *db.DB, a *db.Account, p Profile, wrong *wrongs) ([]string, error) {
	limits := s.settings.Load().Instance
	var columns []string
	if p.DisplayName != nil {
		name := text.Line(*p.DisplayName)
		if text.Length(name) > limits.UserNameLength {
			wrong.add("display_name", tooLong(limits.UserNameLength), fmt.Sprintf("Display name is too long (maximum is %d characters)", limits.UserNameLength))
		}
		a.DisplayName = name
		columns = append(columns, "display_name")
	}
	if p.Note != nil {
		note, _ := text.Clean(*p.Note)
		note = strings.TrimSpace(note)
		if text.Length(note) > limits.UserBioLength {
			wrong.add("note", tooLong(limits.UserBioLength), fmt.Sprintf("Note is too long (maximum is %d characters)", limits.UserBioLength))
			note = ""
		}
		html, err := s.Bio(ctx, tx, note)
		if err != nil {
			return nil, err
		}
		a.Note, a.NoteHTML = note, html
		columns = append(columns, "note", "note_html")
	}
	if p.Fields != nil {
		s.applyFields(&limits, a, p.Fields, wrong)
		columns = append(columns, "fields", "fields_html")
	}
	if len(columns) > 0 {
		a.Emojis = s.emojis.In(ownTexts(a)...)
		columns = append(columns, "emojis")
	}
	if p.AlsoKnownAs != nil {
		// An account that has more from before may send them again, or leave some out.
		if n := len(p.AlsoKnownAs); n > mostAliases && n >= len(a.AlsoKnownAs) && !slices.Equal(p.AlsoKnownAs, []string(a.AlsoKnownAs)) {
			wrong.add("also_known_as", fmt.Sprintf("should have at most %d item(s)", mostAliases),
				fmt.Sprintf("An account has at most %d aliases", mostAliases))
		}
		for _, id := range p.AlsoKnownAs {
			if u, err := url.Parse(id); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || len(id) > longestAlias {
				wrong.add("also_known_as", invalid, "An alias is not the address of an account")
				break
			}
		}
		a.AlsoKnownAs = p.AlsoKnownAs
		columns = append(columns, "also_known_as")
	}
	return columns, nil
}

// applyFields writes the fields of a profile into a. Fields without a name are
// left out.
func (s *Service) applyFields(limits *config.Instance, a *db.Account, fields []db.Field, wrong *wrongs) {
	a.Fields, a.FieldsHTML = nil, nil
	for _, f := range fields {
		name := text.Line(f.Name)
		value, _ := text.Clean(f.Value)
		value = strings.TrimSpace(value)
		if name == "" {
			continue
		}
		if text.Length(name) > limits.AccountFieldNameLength || text.Length(value) > limits.AccountFieldValueLength {
			wrong.add("fields", "invalid", "A profile field is too long")
			return
		}
		html := text.SanitizeField(text.Format(value, text.TypePlain, s.formatting(text.Options{})).HTML)
		a.Fields = append(a.Fields, db.Field{Name: name, Value: value})
		a.FieldsHTML = append(a.FieldsHTML, db.Field{Name: name, Value: html})
		if len(a.Fields) > limits.MaxAccountFields {
			wrong.add("fields", fmt.Sprintf("should have at most %d item(s)", limits.MaxAccountFields),
				fmt.Sprintf("There are more than %d profile fields", limits.MaxAccountFields))
			return
		}
	}
}

// Emojis returns the custom emoji in texts about an account.
func (s *Service) Emojis(texts ...string) []db.Emoji { return s.emojis.In(texts...) }

// namesPages reports whether a profile links to pages.
func namesPages(a *db.Account) bool {
	return len(text.PageLinks(a.NoteHTML)) > 0 || slices.ContainsFunc(a.FieldsHTML, func(f db.Field) bool { return len(text.PageLinks(f.Value)) > 0 })
}

// ownTexts returns all texts of a profile that may hold custom emoji.
func ownTexts(a *db.Account) []string {
	out := []string{a.DisplayName, a.Note}
	for _, f := range a.Fields {
		out = append(out, f.Name, f.Value)
	}
	return out
}

// Bio renders a note as plain text, with mentions in full form.
func (s *Service) Bio(ctx context.Context, tx *db.DB, note string) (string, error) {
	handles := text.Handles(note, text.TypePlain)
	for i, h := range handles {
		handles[i] = s.nickname(h)
	}
	known, err := tx.AccountsByNickname(ctx, handles, "")
	if err != nil {
		return "", err
	}
	return text.Format(note, text.TypePlain, s.formatting(text.Options{Bio: true, Resolve: func(handle string) (text.Mention, bool) {
		name := db.NicknameKey(s.nickname(handle))
		for i := range known {
			if a := &known[i]; a.NickKey == name {
				acct := a.Nickname
				if a.Local {
					acct += "@" + s.host
				}
				return text.Mention{ID: a.ID, Acct: acct, URL: profileURL(a)}, true
			}
		}
		return text.Mention{}, false
	}})).HTML, nil
}

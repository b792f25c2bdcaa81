package db

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/unicode/norm"
)

// Account is an actor: a person, bot or service, local or remote. The
// credentials of a local account are rows of their own, User and Key.
type Account struct {
	Serial    int64  `gorm:"primaryKey;autoIncrement"` // given once, never reused
	ID        string // flake
	Version   int64  `gorm:"->"` // grows with every update of the row
	URI       string `gorm:"column:uri"`
	URL       string `gorm:"column:url"`
	Nickname  string // local: nick; remote: nick@host
	NickKey   string `gorm:"column:nickname_key"` // by NicknameKey
	Domain    string // host of a remote account, with port; "" for local ones
	Local     bool
	ActorType string // Person, Service, Application, Group, Organization

	DisplayName string
	// DisplayNameKey is in lower case, to be searched; it follows DisplayName.
	DisplayNameKey string
	Note           string // as typed
	NoteHTML       string
	Fields         Slice[Field]
	FieldsHTML     Slice[Field]
	Emojis         Slice[Emoji]
	Tags           Slice[string]
	Avatar         string // URL; "" is the default picture
	Header         string
	Background     string

	Inbox        string
	SharedInbox  string
	Outbox       string
	FollowersURI string `gorm:"column:followers_uri"`
	FollowingURI string `gorm:"column:following_uri"`
	FeaturedURI  string `gorm:"column:featured_uri"`
	KeyID        string
	PublicKey    string // PEM
	AlsoKnownAs  Slice[string]
	MovedTo      string

	Locked                bool
	Discoverable          bool
	Unindexed             bool // a search shows its statuses to itself only
	Deactivated           bool
	Invisible             bool // service actors
	IsAdmin               bool
	IsModerator           bool
	ShowRole              bool
	ConfirmationPending   bool
	ApprovalPending       bool
	HideFavourites        bool
	HideFollowers         bool
	HideFollows           bool
	HideFollowersCount    bool
	HideFollowsCount      bool
	AllowFollowingMove    bool
	AcceptsChatMessages   *bool // nil: unknown
	NoRichText            bool
	SkipThreadContainment bool
	DefaultScope          string
	DefaultSensitive      bool
	DefaultLanguage       string

	FollowersCount int64
	FollowingCount int64
	StatusesCount  int64
	LastStatusAt   Time
	CreatedAt      Time `gorm:"autoCreateTime:false"`
	UpdatedAt      Time `gorm:"autoUpdateTime:false"`
	FetchedAt      Time
	PinsToldAt     Time // remote: when an Add or Remove of a pin last came
}

// Field is one line of a profile's table.
type Field struct {
	Name  string `json:"name"`
	Value string `json:"value"`
	// VerifiedAt is when a page behind Value was found to link back to the account;
	// zero if none did.
	VerifiedAt time.Time `json:"verified_at,omitzero"`
}

// Emoji is a custom emoji used in a text.
type Emoji struct {
	Shortcode string `json:"shortcode"`
	URL       string `json:"url"`
	StaticURL string `json:"static_url"`
}

// Username is the nickname without a remote account's host.
func (a *Account) Username() string {
	name, _, _ := strings.Cut(a.Nickname, "@")
	return name
}

// Staff reports whether the account may read reports.
func (a *Account) Staff() bool { return a.IsAdmin || a.IsModerator }

// NewAccount returns a local account's row with the defaults of a new one and
// the URIs that follow from base (the public base URL, without a slash).
func NewAccount(base, nickname string) *Account {
	uri := base + "/users/" + nickname
	accepts := true
	return &Account{
		URI: uri, URL: uri, Nickname: nickname, NickKey: NicknameKey(nickname), Local: true,
		ActorType: "Person", DisplayName: nickname,
		Inbox: uri + "/inbox", SharedInbox: base + "/inbox", Outbox: uri + "/outbox",
		FollowersURI: uri + "/followers", FollowingURI: uri + "/following", FeaturedURI: uri + "/collections/featured",
		KeyID: uri + "#main-key", ShowRole: true, HideFavourites: true, AllowFollowingMove: true,
		AcceptsChatMessages: &accepts, SkipThreadContainment: true, DefaultScope: "public",
	}
}

// CreateAccount inserts a, giving it an id and times where it has none. A
// taken nickname or URI is ErrDuplicate.
func (d *DB) CreateAccount(ctx context.Context, a *Account) error {
	if a.ID == "" {
		a.ID = d.NewID()
	}
	if a.NickKey == "" {
		a.NickKey = NicknameKey(a.Nickname)
	}
	a.DisplayNameKey = strings.ToLower(a.DisplayName)
	if a.CreatedAt.IsZero() {
		a.CreatedAt = d.Now()
	}
	if a.UpdatedAt.IsZero() {
		a.UpdatedAt = a.CreatedAt
	}
	if err := create(ctx, d, a, "create account %s", a.Nickname); err != nil {
		return err
	}
	if a.ApprovalPending {
		if err := d.EmitRegistration(ctx, a.ID, Added); err != nil {
			return err
		}
	}
	return d.indexAccount(ctx, a, true)
}

// Account returns the account with this id.
func (d *DB) Account(ctx context.Context, id string) (*Account, error) {
	return d.account(ctx, "id = ?", id)
}

// NicknameKey returns the form in which nicknames are compared: in lower case,
// with composed letters.
func NicknameKey(nickname string) string { return strings.ToLower(norm.NFC.String(nickname)) }

func nicknameKeys(nicknames []string) []string {
	keys := make([]string, len(nicknames))
	for i, n := range nicknames {
		keys[i] = NicknameKey(n)
	}
	return keys
}

// AccountByNickname returns the account with this nickname, in any case.
func (d *DB) AccountByNickname(ctx context.Context, nickname string) (*Account, error) {
	return d.account(ctx, "nickname_key = ?", NicknameKey(nickname))
}

// AccountBySerial returns the account with this serial number.
func (d *DB) AccountBySerial(ctx context.Context, serial int64) (*Account, error) {
	return d.account(ctx, "serial = ?", serial)
}

// AccountByURI returns the account with this ActivityPub id.
func (d *DB) AccountByURI(ctx context.Context, uri string) (*Account, error) {
	return d.account(ctx, "uri = ?", uri)
}

func (d *DB) account(ctx context.Context, cond string, arg any) (*Account, error) {
	return one[Account](ctx, d, fmt.Sprintf("account %v", arg), "SELECT * FROM accounts WHERE "+cond, arg)
}

// Accounts returns the accounts with these ids, in no order; unknown ids are
// left out.
func (d *DB) Accounts(ctx context.Context, ids []string) ([]Account, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return list[Account](ctx, d, "accounts", "SELECT * FROM accounts WHERE id IN ?", ids)
}

// VisibleAccountsByURI returns the accounts with these ActivityPub ids that are
// visible to others, in no order. Unknown ids are left out.
func (d *DB) VisibleAccountsByURI(ctx context.Context, uris []string) ([]Account, error) {
	if len(uris) == 0 {
		return nil, nil
	}
	return list[Account](ctx, d, "accounts by id", "SELECT * FROM accounts WHERE uri IN ? AND NOT deactivated AND NOT invisible AND NOT approval_pending", uris)
}

// UpdateAccount writes the named columns of a.
func (d *DB) UpdateAccount(ctx context.Context, a *Account, columns ...string) error {
	a.UpdatedAt = d.Now()
	columns = append(columns, "updated_at")
	if slices.Contains(columns, "display_name") || slices.Contains(columns, "DisplayName") {
		a.DisplayNameKey = strings.ToLower(a.DisplayName)
		columns = append(columns, "display_name_key")
	}
	if slices.Contains(columns, "display_name_key") || slices.Contains(columns, "nickname") {
		if err := d.keepName(ctx, a); err != nil {
			return err
		}
	}
	err := d.writer(ctx).Model(&Account{}).Where("id = ?", a.ID).Select(columns).Updates(a).Error
	if err != nil {
		return wrap(err, "update account %s", a.ID)
	}
	if slices.Contains(columns, "display_name_key") {
		if err := d.indexAccount(ctx, a, false); err != nil {
			return err
		}
	}
	if err := d.emitRegistration(ctx, a, columns); err != nil {
		return err
	}
	return d.Announce(ctx, AccountChanged, a.ID)
}

// emitRegistration emits the event of an account that begins or ceases to await
// approval, or that is confirmed or unconfirmed while it awaits approval.
func (d *DB) emitRegistration(ctx context.Context, a *Account, columns []string) error {
	switch {
	case slices.Contains(columns, "approval_pending") && a.ApprovalPending:
		return d.EmitRegistration(ctx, a.ID, Added)
	case slices.Contains(columns, "approval_pending"):
		return d.EmitRegistration(ctx, a.ID, Gone)
	case slices.Contains(columns, "confirmation_pending") && a.ApprovalPending:
		return d.EmitRegistration(ctx, a.ID, Changed)
	}
	return nil
}

// EmitRegistration emits a change of an account that awaits approval: Added,
// Changed or Gone.
func (d *DB) EmitRegistration(ctx context.Context, id, what string) error {
	return d.Emit(ctx, Event{Kind: EventRegistration, Subject: id, Data: what})
}

// MoveAccounts changes the base URL of local accounts, as long as no other
// server can know them.
func (d *DB) MoveAccounts(ctx context.Context, from, to string) error {
	columns := []string{"uri", "url", "inbox", "shared_inbox", "outbox", "followers_uri", "following_uri", "featured_uri", "key_id"}
	var args []any
	for i, column := range columns {
		columns[i] = column + " = ? || SUBSTR(" + column + ", ?)"
		args = append(args, to, len(from)+1)
	}
	_, err := d.exec(ctx, "move accounts", "UPDATE accounts SET "+strings.Join(columns, ", ")+" WHERE local AND SUBSTR(uri, 1, ?) = ?",
		append(args, len(from), from)...)
	return err
}

// AnyStatus reports whether there is any status, local or remote.
func (d *DB) AnyStatus(ctx context.Context) (bool, error) {
	return value[bool](ctx, d, "look for a status", "SELECT EXISTS (SELECT 1 FROM statuses)")
}

// SetRoles writes the roles of an account whose row is held. An account without
// a role loses its notifications of reports.
func (d *DB) SetRoles(ctx context.Context, a *Account) error {
	if err := d.UpdateAccount(ctx, a, "is_admin", "is_moderator"); err != nil || a.Staff() {
		return err
	}
	return d.forgetReports(ctx, a.ID)
}

// AnyAccount reports whether a local account exists.
func (d *DB) AnyAccount(ctx context.Context) (bool, error) {
	n, err := value[int](ctx, d, "count accounts", "SELECT COALESCE(SUM(n), 0) FROM account_tallies_now WHERE mask % 2 = 1")
	return n > 0, err
}

// NewAccounts returns up to limit local accounts created since a moment, oldest
// first.
func (d *DB) NewAccounts(ctx context.Context, since time.Time, limit int) ([]Account, error) {
	return list[Account](ctx, d, "new accounts", "SELECT * FROM accounts WHERE id > ? AND local AND NOT invisible ORDER BY id LIMIT ?", FlakeAt(since), limit)
}

// Counts are changes to an account's counters.
type Counts struct{ Followers, Following, Statuses int64 }

// AddCounts changes an account's counters, never below zero.
func (d *DB) AddCounts(ctx context.Context, id string, by Counts) error {
	err := d.execLater(ctx, "count", `UPDATE accounts SET
		followers_count = CASE WHEN followers_count + ? < 0 THEN 0 ELSE followers_count + ? END,
		following_count = CASE WHEN following_count + ? < 0 THEN 0 ELSE following_count + ? END,
		statuses_count  = CASE WHEN statuses_count + ? < 0 THEN 0 ELSE statuses_count + ? END
		WHERE id = ?`, by.Followers, by.Followers, by.Following, by.Following, by.Statuses, by.Statuses, id)
	d.countsChanged(id)
	return err
}

// CountStatus counts a new public status on its author's account and returns
// the account.
func (d *DB) CountStatus(ctx context.Context, id string, at Time) (*Account, error) {
	// The statement counts the version up by itself: in SQLite, RETURNING has
	// the row from before its trigger.
	a, err := one[Account](ctx, d.writing(), "count status of "+id, `UPDATE accounts SET statuses_count = statuses_count + 1, last_status_at = ?, version = version + 1
		WHERE id = ? RETURNING *`, at, id)
	if err != nil {
		return nil, err
	}
	d.countsChanged(id)
	return a, nil
}

// AccountsByNickname returns the active accounts with these nicknames, in any
// case, and the account with this id, in no order. Unknown ones are left out.
// Only the columns that name an account are loaded.
func (d *DB) AccountsByNickname(ctx context.Context, nicknames []string, id string) ([]Account, error) {
	if len(nicknames) == 0 && id == "" {
		return nil, nil
	}
	keys := nicknameKeys(nicknames)
	cond, args := "(nickname_key IN ? OR id = ?)", []any{keys, id}
	switch {
	case id == "":
		cond, args = "nickname_key IN ?", []any{keys}
	case len(keys) == 0:
		cond, args = "id = ?", []any{id}
	}
	return list[Account](ctx, d, "accounts by nickname", "SELECT id, nickname, nickname_key, uri, url, local, domain FROM accounts WHERE "+
		cond+" AND NOT deactivated AND NOT invisible", args...)
}

// AccountRef is a place in a list of accounts: an account and the version of it
// to show. A renderer that has this version cached reads nothing else.
type AccountRef struct {
	ID      string
	Version int64
}

// accountRefs runs a statement that selects ids and versions.
func (d *DB) accountRefs(ctx context.Context, q *selection, what string) ([]AccountRef, error) {
	cells := func(r *AccountRef) []any { return []any{&r.ID, &r.Version} }
	return scanAll(ctx, d, what, cells, q.sql.String(), q.args...)
}

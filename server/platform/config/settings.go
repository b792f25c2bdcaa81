package config

import (
	"time"

	"svc/client/settings/term"
)

// Settings is one snapshot of the runtime settings. It is never changed once it
// is in a Live; its slices are shared and must not be written.
type Settings struct {
	Instance     Instance
	Auth         Auth
	OAuth        OAuth
	User         User
	Restrict     Restrict
	HTTP         HTTP
	ActivityPub  ActivityPub
	Documents    Documents
	RichMedia    RichMedia
	Mailer       Mailer
	Mailings     Mailings
	Directory    Directory
	Captcha      Captcha
	Welcome      Welcome
	RateLimits   [BucketCount]Limit
	Streams      Streams
	ChatRoom     bool // whether there is a chat room of the instance
	Scheduled    Scheduled
	Expiry       Expiry
	Formatter    Formatter
	Markup       Markup
	ValidSchemes []string // of links, in lower case
	Policies     Policies
	MFA          MFA
	Backup       Backup
	Emoji        Emoji
	Upload       Upload
	MediaProxy   MediaProxy
	MediaPreview MediaPreview
	Frontends    Frontends
	MIMETypes    term.Term // see TypeOf
	Assets       Assets
	// FrontendConfigurations holds the JSON configuration of front ends by name,
	// which the server does not read.
	FrontendConfigurations map[string]any
	Look                   Look
	Compatibility          Compatibility
	// StrictQueries refuses requests with unknown query parameters.
	StrictQueries bool
	CORS          CORS
	RemoteIP      RemoteIP
	Metrics       Metrics
	LogLevel      string // see LeastLogged
	Connections   Connections
	// InstancesFavicons shows the icons of accounts' servers.
	InstancesFavicons bool
	Push              Push
	Queues            Queues
	Retries           Retries
	Crontab           term.Term // see Timetable
}

// Instance is the group :instance: names and limits of the instance. Lengths
// are in characters, upload limits in bytes.
type Instance struct {
	Name              string
	Email             string
	NotifyEmail       string // sender of mail; empty: Email
	Description       string
	BackgroundImage   string // path under the base URL
	InstanceThumbnail string // path under the base URL

	Limit            int // of a status, text and subject together
	RemoteLimit      int
	RepliesMaxDepth  int // of threads of other servers
	ChatLimit        int
	DescriptionLimit int // of a picture's description

	UploadLimit           int
	AvatarUploadLimit     int
	BackgroundUploadLimit int
	BannerUploadLimit     int

	Poll Poll

	RegistrationsOpen         bool
	InvitesEnabled            bool
	AccountActivationRequired bool
	AccountApprovalRequired   bool

	// AutofollowedNicknames are followed by every new account,
	// AutofollowingNicknames follow every new account.
	AutofollowedNicknames      []string
	AutofollowingNicknames     []string
	PasswordResetTokenValidity time.Duration

	Federating bool
	AllowRelay bool
	// FederationReachabilityTimeoutDays is the number of days after which a silent
	// server is given up; 0 is never.
	FederationReachabilityTimeoutDays int
	Public                            bool
	QuarantinedInstances              []string
	AllowedPostFormats                []string
	ExtendedNicknameFormat            bool // allows _ and - in local nicknames
	MaxReportCommentSize              int
	SkipThreadContainment             bool
	SafeDMMentions                    bool   // in direct statuses only leading mentions are recipients
	ReportCopyDays                    int    // copies of reported statuses are kept so long after their report is closed
	RemotePostRetentionDays           int    // remote statuses that are older may be pruned
	PruneRemotePosts                  bool   // they are, without being asked
	AttachmentLinks                   bool   // adds links to files to the text
	CleanupAttachments                bool   // deletes files with their statuses
	StaticDir                         string // StaticFolder says where that is
	ShowReactions                     bool
	RespectIndexable                  bool
	MaxPinnedStatuses                 int
	// ModeratorPrivileges are the parts of the admin API that moderators may use:
	// names of api.Privilege.
	ModeratorPrivileges []string
	// ExternalUserSynchronization fetches the counts of remote accounts from their
	// servers.
	ExternalUserSynchronization bool
	LimitToLocalContent         string // LimitAnonymous, LimitAll or LimitNobody
	Healthcheck                 bool   // publishes the state of the server

	UserBioLength            int
	UserNameLength           int
	RegistrationReasonLength int
	MaxAccountFields         int
	MaxRemoteAccountFields   int
	AccountFieldNameLength   int
	AccountFieldValueLength  int
}

// Poll bounds polls; times are how long a poll may be open.
type Poll struct {
	MaxOptions     int
	MaxOptionChars int
	MinExpiration  time.Duration
	MaxExpiration  time.Duration
}

// Auth is the group :auth.
type Auth struct {
	// EnforceOAuthAdminScopeUsage requires admin: scopes for admin endpoints;
	// without it the plain scope suffices.
	EnforceOAuthAdminScopeUsage bool
	// AdminToken is a secret with access to the admin API; empty is none.
	AdminToken string
}

// OAuth is the group :oauth2.
type OAuth struct {
	TokenExpiresIn time.Duration
	// IssueNewRefreshToken, in spite of its name on the wire, keeps the old refresh
	// token if true.
	IssueNewRefreshToken bool
	// CleanExpiredTokens removes expired tokens, which then cannot be refreshed.
	CleanExpiredTokens bool
}

// Compatibility is :client_compatibility: support for clients that know less
// than this server.
type Compatibility struct {
	// StrictClients names apps without support for the visibilities local and list;
	// * is all.
	StrictClients []string
}

// MFA is :multi_factor_authentication of the group :instance.
type MFA struct {
	TOTPDigits       int
	TOTPPeriod       time.Duration
	BackupCodes      int // how many
	BackupCodeLength int // of each, in characters
}

// Backup is Svc.User.Backup: how often accounts may get an archive of their
// data, and how long it is kept.
type Backup struct {
	LimitDays      int
	PurgeAfterDays int
	// Dir is the folder for unfinished archives, in the data folder; "" is that of
	// other files.
	Dir string
}

// User is Svc.User and :user: rules for registrations and follows.
type User struct {
	RestrictedNicknames []string // compared in lower case
	EmailBlacklist      []string // domains, with their sub-domains
	DenyFollowBlocked   bool
}

// Emoji is the group :emoji: the pictures under the static folder that are
// custom emoji. Paths begin with /emoji/.
type Emoji struct {
	ShortcodeGlobs []string // ** stands for any folders
	PackExtensions []string // of a pack without a list, with the dot
	Groups         []Group  // the first that matches tags the emoji
}

// A Group names the emoji whose paths match one of its globs.
type Group struct {
	Name  string
	Globs []string
}

// Restrict hides contents from anonymous callers.
type Restrict struct {
	TimelinesLocal     Restriction
	TimelinesFederated Restriction
	ProfilesLocal      Restriction
	ProfilesRemote     Restriction
	ActivitiesLocal    Restriction
	ActivitiesRemote   Restriction
}

// A Restriction is yes, no, or as the instance is.
type Restriction int

// The zero Restriction follows Instance.Public.
const (
	IfPrivate Restriction = iota
	Open
	Restricted
)

// Restricts reports whether r keeps anonymous callers out under s.
func (s *Settings) Restricts(r Restriction) bool {
	return r == Restricted || r == IfPrivate && !s.Instance.Public
}

// A Bucket is a group of calls that are counted together for rate limits.
type Bucket int

// The buckets, each by its name under :rate_limit.
const (
	BucketAuthentication Bucket = iota
	BucketTimeline
	BucketSearch
	BucketAccountCreation
	BucketRelations
	BucketRelation // one account
	BucketStatuses
	BucketStatus // one status
	BucketPasswordReset
	BucketConfirmationResend
	BucketUploads
	BucketCaptcha
	BucketDocument // one status or activity, for other servers
	BucketCount
)

// A Rate allows Count calls in each Window; a Count of 0 allows any number.
type Rate struct {
	Window time.Duration
	Count  int
}

// A Limit is the rates of one bucket: for an address, and for a signed-in user.
type Limit struct {
	Anonymous Rate
	User      Rate
}

// Streams bounds the streams that are open in a process; 0 is any number.
type Streams struct {
	PerUser    int
	PerAddress int // without a user
}

// DefaultSettings returns the snapshot of all defaults.
func DefaultSettings() Settings {
	var s Settings
	for _, setting := range newRegistry() {
		if !setting.Inert() {
			setting.store(&s, setting.Default)
		}
	}
	return s
}

package client

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	defaultTimeout = 30 * time.Second
	defaultRetries = 3
	// maxBody bounds an answer, in bytes.
	maxBody = 64 << 20
)

// Client calls one server. It may be used from several goroutines.
type Client struct {
	Accounts          *Accounts
	Statuses          *Statuses
	Tags              *Tags
	Timelines         *Timelines
	Polls             *Polls
	Media             *Media
	Notifications     *Notifications
	Reports           *Reports
	Blocks            *Blocks
	Mutes             *Mutes
	DomainBlocks      *DomainBlocks
	Lists             *Lists
	Announcements     *Announcements
	Filters           *Filters
	FiltersV2         *FiltersV2
	Push              *Push
	Instance          *Instance
	Chats             *Chats
	Markers           *Markers
	Emojis            *Emojis
	Search            *Search
	Apps              *Apps
	OAuth             *OAuth
	Security          *Security
	SSHKeys           *SSHKeys
	Backups           *Backups
	Admin             *Admin
	Conversations     *Conversations
	ScheduledStatuses *ScheduledStatuses
	Streams           *Streams

	base    *url.URL // without a trailing slash
	http    *http.Client
	options options
	wait    func(context.Context, time.Duration) error
}

// Admin groups the services that need an admin's token:
//
//	c.Admin.Announcements  Create Delete Get List Update
//	c.Admin.Apps         Create Delete List Update
//	c.Admin.Chats        DeleteMessage Get Messages OfUser
//	c.Admin.Config       Change Delete Descriptions History List NeedReboot Restart Set
//	c.Admin.Documents    Delete Get Set
//	c.Admin.Emojis       Add AddFrom CreatePack DeletePack DescribePack DownloadPack
//	                     ImportPack ImportPackFrom List Reload RemotePacks Remove Rename Scan SetEnabled
//	c.Admin.Federation   Forget Host Hosts Known Limit Limits Retry
//	c.Admin.Invites      Create Email List Revoke
//	c.Admin.Jobs         List Queues Retry RetryQueue
//	c.Admin.Log          List
//	c.Admin.MailDomains  Block List Unblock
//	c.Admin.Media        Bans Cached Purge PurgeCached Unban
//	c.Admin.Relays       Follow List Unfollow
//	c.Admin.Reports      AddNote Counts Create DeleteNote Get Groups List OpenAbout Update
//	c.Admin.Rules        Create Delete List Update
//	c.Admin.SSHKeys      Add Delete List
//	c.Admin.Stats        Get
//	c.Admin.Statuses     Context Delete Get List OfInstance OfUser Update
//	c.Admin.Users        Activate AddRole AddRoleTo Approve Backup CancelMove ConfirmEmail
//	                     Create Credentials Deactivate Delete DisableMFA Follow
//	                     ForcePasswordReset Get History List LogOut Move PasswordReset Reject
//	                     RemoveRole RemoveRoleFrom ResendConfirmation Role Roles Sessions
//	                     SetPictures Tag Toggle Unfollow Untag UpdateCredentials
type Admin struct {
	Reports     *AdminReports
	Users       *AdminUsers
	MailDomains *AdminMailDomains
	Statuses    *AdminStatuses
	Log         *AdminLog
	Media       *AdminMedia
	Documents   *AdminDocuments
	Chats       *AdminChats
	Apps        *AdminApps
	Stats       *AdminStats
	SSHKeys     *AdminSSHKeys
	Emojis      *AdminEmojis
	Relays      *AdminRelays
	Invites     *AdminInvites
	Rules       *AdminRules
	Federation  *AdminFederation
	Jobs        *AdminJobs
	Config      *AdminConfig

	Announcements *AdminAnnouncements
}

// TokenSource supplies access tokens. Its methods may be called from several
// goroutines.
type TokenSource interface {
	// Token returns the token to send, "" to send none.
	Token(ctx context.Context) (string, error)
	// Refresh returns a token to try once in place of the rejected one, "" when
	// there is none to be had.
	Refresh(ctx context.Context, rejected string) (string, error)
}

type options struct {
	tokens        TokenSource
	http          *http.Client
	userAgent     string
	timeout       time.Duration
	retries       int
	guard         func(*http.Request) error
	preview       func(Preview)
	debug         func(Exchange)
	insecureHTTP  bool
	deleteInQuery bool
}

// Option changes how a Client calls.
type Option func(*options)

// WithToken sends one access token, which is never refreshed.
func WithToken(token string) Option { return WithTokenSource(fixedToken(token)) }

// WithTokenSource asks tokens before each call, and for another token when the
// server rejects one.
func WithTokenSource(tokens TokenSource) Option {
	return func(o *options) { o.tokens = tokens }
}

// WithHTTPClient uses a copy of hc with another redirect policy.
func WithHTTPClient(hc *http.Client) Option { return func(o *options) { o.http = hc } }

// WithUserAgent names the program to the server; the default is svc-client.
func WithUserAgent(agent string) Option { return func(o *options) { o.userAgent = agent } }

// WithTimeout bounds each attempt of a call, its answer included; the default
// is 30 s. The context bounds all attempts together.
func WithTimeout(d time.Duration) Option { return func(o *options) { o.timeout = d } }

// WithRetries sets how often a call is repeated when the server is busy (429,
// 502, 503, 504) or no answer arrives; the default is 3. Only reads, writes
// that state a requested state, and writes with an IdempotencyKey are repeated,
// after a jittered pause or the one in the server's Retry-After.
func WithRetries(n int) Option { return func(o *options) { o.retries = n } }

// WithGuard has guard pass every request, redirects included, just before it
// would be sent; its error is returned in place of an answer.
func WithGuard(guard func(*http.Request) error) Option {
	return func(o *options) { o.guard = guard }
}

// WithReadOnly refuses every request that changes something, with a
// *RefusedError that holds the request.
func WithReadOnly() Option { return WithGuard(ReadOnly) }

// WithPreview passes every write to preview, in the goroutine of the call, and
// answers it with 204 instead of sending it, so that later writes are previewed
// too. Reads are sent; one that is redirected to a write ends with a
// *RefusedError.
func WithPreview(preview func(Preview)) Option {
	return func(o *options) { o.preview = preview }
}

// WithDebug calls debug after every attempt, from the goroutine of the call.
func WithDebug(debug func(Exchange)) Option { return func(o *options) { o.debug = debug } }

// WithInsecureHTTP allows plain http to other hosts than this one, where a
// token travels readable.
func WithInsecureHTTP() Option { return func(o *options) { o.insecureHTTP = true } }

// WithDeleteParamsInQuery sends the parameters of a DELETE in its query, for
// proxies that drop its body.
func WithDeleteParamsInQuery() Option { return func(o *options) { o.deleteInQuery = true } }

// New returns a client of the server at baseURL, https://example.org with an
// optional path. Plain http is accepted for loopback addresses only, unless
// WithInsecureHTTP.
func New(baseURL string, opts ...Option) (*Client, error) {
	o := options{
		http: &http.Client{}, userAgent: "svc-client", timeout: defaultTimeout, retries: defaultRetries,
	}
	for _, opt := range opts {
		opt(&o)
	}
	base, err := parseBase(baseURL, o.insecureHTTP)
	if err != nil {
		return nil, err
	}
	if o.timeout <= 0 {
		return nil, fmt.Errorf("timeout %s: a call needs a positive one", o.timeout)
	}
	c := &Client{base: base, options: o, wait: pause}
	hc := *o.http
	if hc.Transport == nil {
		hc.Transport = newTransport()
	}
	if o.guard != nil {
		hc.Transport = guarded{o.guard, hc.Transport}
	}
	if o.preview != nil {
		hc.Transport = guarded{ReadOnly, hc.Transport}
	}
	hc.CheckRedirect = c.checkRedirect
	c.http = &hc

	c.Accounts = &Accounts{c}
	c.Statuses = &Statuses{c}
	c.Tags = &Tags{c}
	c.Timelines = &Timelines{c}
	c.Polls = &Polls{c}
	c.Conversations = &Conversations{c}
	c.ScheduledStatuses = &ScheduledStatuses{c}
	c.Search = &Search{c}
	c.Streams = &Streams{c}
	c.Notifications = &Notifications{c}
	c.Reports = &Reports{c}
	c.Blocks = &Blocks{c}
	c.Mutes = &Mutes{c}
	c.DomainBlocks = &DomainBlocks{c}
	c.Lists = &Lists{c}
	c.Announcements = &Announcements{c}
	c.Filters = &Filters{c}
	c.FiltersV2 = &FiltersV2{c}
	c.Push = &Push{c}
	c.Instance = &Instance{c}
	c.Emojis = &Emojis{c}
	c.Chats = &Chats{c}
	c.Markers = &Markers{c}
	c.Media = &Media{c}
	c.Apps = &Apps{c}
	c.OAuth = &OAuth{c}
	c.Security = &Security{c}
	c.SSHKeys = &SSHKeys{c}
	c.Backups = &Backups{c}
	c.Admin = &Admin{
		Reports: &AdminReports{c}, Users: &AdminUsers{c}, Invites: &AdminInvites{c}, Rules: &AdminRules{c}, Announcements: &AdminAnnouncements{c}, Federation: &AdminFederation{c}, Jobs: &AdminJobs{c}, Statuses: &AdminStatuses{c}, Log: &AdminLog{c}, Config: &AdminConfig{c},
		Media: &AdminMedia{c}, Documents: &AdminDocuments{c},
		Chats: &AdminChats{c}, Apps: &AdminApps{c}, Stats: &AdminStats{c}, Emojis: &AdminEmojis{c}, Relays: &AdminRelays{c}, MailDomains: &AdminMailDomains{c}, SSHKeys: &AdminSSHKeys{c},
	}
	return c, nil
}

// BaseURL returns the server's address, without a trailing slash.
func (c *Client) BaseURL() string { return c.base.String() }

func parseBase(s string, insecureHTTP bool) (*url.URL, error) {
	u, err := url.Parse(s)
	if err != nil {
		return nil, fmt.Errorf("server address %q: %w", s, err)
	}
	switch {
	case u.Scheme != "https" && u.Scheme != "http", u.Host == "":
		return nil, fmt.Errorf("server address %q: expected https://HOST", s)
	case u.User != nil, u.RawQuery != "", u.Fragment != "":
		return nil, fmt.Errorf("server address of %q: a user, query or fragment does not belong there", u.Host)
	case u.Scheme == "http" && !insecureHTTP && !loopback(u.Hostname()):
		return nil, fmt.Errorf("server address %q: plain http is for this machine only; use https", s)
	}
	u.Path = strings.TrimRight(u.Path, "/")
	u.RawPath = ""
	u.Host = strings.ToLower(u.Host)
	return u, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

type fixedToken string

func (t fixedToken) Token(context.Context) (string, error)           { return string(t), nil }
func (t fixedToken) Refresh(context.Context, string) (string, error) { return "", nil }

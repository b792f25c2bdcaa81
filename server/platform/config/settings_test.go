package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"svc/client/settings/term"
)

func TestDefaultsAreThePublishedOnes(t *testing.T) {
	got := DefaultSettings()
	if err := got.Validate(); err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(got.User.RestrictedNicknames, ".well-known") || !slices.Contains(got.User.RestrictedNicknames, "mfa") {
		t.Errorf("restricted nicknames %q", got.User.RestrictedNicknames)
	}
	got.User.RestrictedNicknames = nil
	twice := func(window time.Duration, count int) Limit { return Limit{Rate{window, count}, Rate{window, count}} }
	want := Settings{
		Instance: Instance{
			Name: "svc", Description: "A microblog among friends of other microblogs",
			BackgroundImage: "/images/city.jpg", InstanceThumbnail: "/instance/thumbnail.jpeg",
			Limit: 5000, RemoteLimit: 100000, RepliesMaxDepth: 100, ChatLimit: 5000, DescriptionLimit: 5000,
			UploadLimit: 16000000, AvatarUploadLimit: 2000000, BackgroundUploadLimit: 4000000, BannerUploadLimit: 4000000,
			Poll:                              Poll{MaxOptions: 20, MaxOptionChars: 200, MaxExpiration: 365 * 24 * time.Hour},
			FederationReachabilityTimeoutDays: 7, RegistrationsOpen: true, Federating: true, AllowRelay: true, ExternalUserSynchronization: true, Public: true, ExtendedNicknameFormat: true,
			QuarantinedInstances: []string{}, StaticDir: "instance/static/",
			AllowedPostFormats:   []string{"text/plain", "text/html", "text/markdown", "text/bbcode"},
			MaxReportCommentSize: 1000, SkipThreadContainment: true, ShowReactions: true, RespectIndexable: true, RemotePostRetentionDays: 90, ReportCopyDays: 30, MaxPinnedStatuses: 1, LimitToLocalContent: ":unauthenticated",
			UserBioLength: 5000, UserNameLength: 100, RegistrationReasonLength: 500,
			MaxAccountFields: 10, MaxRemoteAccountFields: 20, AccountFieldNameLength: 512, AccountFieldValueLength: 2048,
			ModeratorPrivileges: []string{}, AutofollowedNicknames: []string{}, AutofollowingNicknames: []string{}, PasswordResetTokenValidity: 24 * time.Hour,
		},
		Mailer:       Mailer{Adapter: Sendmail, TLS: ":if_available", Auth: ":if_available"},
		Captcha:      Captcha{Enabled: true, SecondsValid: 300, Method: NativeCaptcha},
		Welcome:      Welcome{Email: WelcomeMail{Subject: greeting, HTML: greeting, Text: greeting}},
		Auth:         Auth{EnforceOAuthAdminScopeUsage: true},
		OAuth:        OAuth{TokenExpiresIn: 3153600000 * time.Second, IssueNewRefreshToken: true},
		User:         User{EmailBlacklist: []string{}, DenyFollowBlocked: true},
		HTTP:         HTTP{SendUserAgent: true, UserAgent: ":default"},
		ActivityPub:  ActivityPub{UnfollowBlocked: true, OutgoingBlocks: true, FollowHandshake: 500 * time.Millisecond, SignObjectFetches: true, SignatureAge: 2 * time.Hour, RepliesListed: 5},
		Documents:    Documents{Kept: Forever, PollsKept: 30 * time.Second},
		RichMedia:    RichMedia{Enabled: true, IgnoreHosts: []string{}, IgnoreTLD: []string{"local", "localdomain", "lan"}, FailureBackoff: 60000},
		Scheduled:    Scheduled{Enabled: true, DailyUserLimit: 25, TotalUserLimit: 300},
		Expiry:       Expiry{Enabled: true, MinLifetime: time.Hour},
		Formatter:    Formatter{Rel: "ugc", Extra: true, Class: "false", ValidateTLD: ":no_scheme"},
		Markup:       Markup{AllowInlineImages: true},
		ValidSchemes: strings.Fields("https http dat dweb gopher hyper ipfs ipns irc ircs magnet mailto mumble ssb xmpp"),
		Policies: Policies{
			Chain:        []string{"Svc.Web.ActivityPub.MRF.ObjectAgePolicy", "Svc.Web.ActivityPub.MRF.TagPolicy"},
			Transparency: true, TransparencyExclusions: []string{},
			Simple: SimplePolicy{
				Reject: []string{}, Accept: []string{}, MediaRemoval: []string{}, MediaNSFW: []string{}, FederatedTimelineRemoval: []string{},
				FollowersOnly: []string{}, ReportRemoval: []string{}, AvatarRemoval: []string{}, BannerRemoval: []string{}, RejectDeletes: []string{}, Reasons: []HostReason{},
			},
			Keyword:     KeywordPolicy{Reject: []Pattern{}, FederatedTimelineRemoval: []Pattern{}, Replace: []Replacement{}},
			Hellthread:  HellthreadPolicy{Delist: 10, Reject: 20},
			ScrubPolicy: "Svc.HTML.Scrubber.Default",
			Vocabulary:  VocabularyPolicy{Accept: []string{}, Reject: []string{}}, Subchains: []Subchain{},
			ObjectAge:     ObjectAgePolicy{Threshold: 7 * 24 * time.Hour, Actions: []string{":delist", ":strip_followers"}},
			MentionActors: []string{}, ExpirationDays: 365,
			StealEmoji: StealEmojiPolicy{Hosts: []string{}, RejectedShortcodes: []Pattern{}, SizeLimit: 50000},
		},
		MFA:       MFA{TOTPDigits: 6, TOTPPeriod: 30 * time.Second, BackupCodes: 5, BackupCodeLength: 16},
		Directory: Directory{Authenticator: OwnAuthenticator, Host: "localhost", Port: 389, Base: "dc=example,dc=com", UID: "cn"},
		Mailings: Mailings{Style: MailStyle{
			Link: "#d8a070", Background: "#2C3645", Content: "#1B2635", Header: "#d8a070", Text: "#b9b9ba", Muted: "#b9b9ba",
		}},
		Backup: Backup{LimitDays: 7, PurgeAfterDays: 30},
		MIMETypes: term.MapOf(
			term.Pair{Key: term.String("application/activity+json"), Value: term.Strings("activity+json")},
			term.Pair{Key: term.String("application/jrd+json"), Value: term.Strings("jrd+json")},
			term.Pair{Key: term.String("application/ld+json"), Value: term.Strings("activity+json")},
			term.Pair{Key: term.String("application/xml"), Value: term.Strings("xml")},
			term.Pair{Key: term.String("application/xrd+xml"), Value: term.Strings("xrd+xml")},
		),
		RateLimits: [BucketCount]Limit{
			BucketAuthentication:     twice(time.Minute, 15),
			BucketTimeline:           twice(500*time.Millisecond, 3),
			BucketSearch:             {Rate{time.Second, 10}, Rate{time.Second, 30}},
			BucketAccountCreation:    twice(30*time.Minute, 25),
			BucketRelations:          twice(10*time.Second, 10),
			BucketRelation:           twice(time.Minute, 2),
			BucketStatuses:           twice(10*time.Second, 15),
			BucketStatus:             twice(time.Minute, 3),
			BucketPasswordReset:      twice(30*time.Minute, 5),
			BucketConfirmationResend: twice(8640*time.Second, 5),
			BucketUploads:            twice(10*time.Minute, 60),
			BucketCaptcha:            twice(time.Minute, 30),
			BucketDocument:           twice(time.Minute, 15),
		},
		Streams:  Streams{PerUser: 100, PerAddress: 100},
		ChatRoom: true,
		Upload:   Upload{FilenameDisplayMaxLength: 30, Uploader: "Svc.Uploaders.Local", Filters: []string{"Svc.Upload.Filter.Dedupe"}, Folder: "uploads", Bucket: S3{Streaming: true}},
		MediaProxy: MediaProxy{
			Whitelist: []string{}, MaxBodyLength: 26214400, MaxReadDuration: 30000,
			Invalidation: Invalidation{Provider: "Svc.Web.MediaProxy.Invalidation.Script", Method: ":purge", Headers: term.ListOf(), Options: term.ListOf()},
		},
		MediaPreview: MediaPreview{MaxWidth: 600, MaxHeight: 600, Quality: 85, MinContentLength: 102400},
		Assets: Assets{
			Mascots:       map[string]any{"default": map[string]any{"url": "/images/mascot.png", "mime_type": "image/png"}},
			DefaultMascot: ":default",
		},
		Emoji: Emoji{
			ShortcodeGlobs: []string{"/emoji/custom/**/*.png"}, PackExtensions: []string{".png", ".gif"},
			Groups: []Group{{Name: "Custom", Globs: []string{"/emoji/*.png", "/emoji/**/*.png"}}},
		},
		FrontendConfigurations: map[string]any{"svc_fe": map[string]any{}, "masto_fe": map[string]any{}},
		Look:                   publishedLook(),
		Compatibility:          Compatibility{StrictClients: []string{"IceCubesApp", "Mastodon for Android"}},
		CORS: CORS{
			MaxAge: 86400, Methods: []string{"POST", "PUT", "DELETE", "GET", "PATCH", "OPTIONS"},
			Expose:      []string{"Link", "X-RateLimit-Reset", "X-RateLimit-Limit", "X-RateLimit-Remaining", "X-Request-Id", "Idempotency-Key"},
			Headers:     []string{"Authorization", "Content-Type", "Idempotency-Key"},
			Credentials: true,
		},
		RemoteIP: RemoteIP{
			Enabled: true, Headers: []string{"x-forwarded-for"}, Proxies: []string{},
			Reserved: []string{"127.0.0.0/8", "::1/128", "fc00::/7", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"},
		},
		Metrics:  Metrics{Auth: term.Bool(false), Whitelist: []string{}, Path: "/api/svc/app_metrics"},
		LogLevel: ":info",
		Queues:   Queues{Background: 5, Mailer: 10, Backup: 1, Scheduled: 10, Expiration: 10, Attachments: 5, Fetcher: 2, Push: 50, Outgoing: 50, Incoming: 50},
		Retries:  Retries{Outgoing: 5, Incoming: 5},
		Crontab: term.ListOf(
			term.TupleOf(term.String("0 0 * * 0"), term.Module("Svc.Workers.Cron.DigestEmailsWorker")),
			term.TupleOf(term.String("0 0 * * *"), term.Module("Svc.Workers.Cron.NewUsersDigestWorker")),
		),
		Connections: Connections{
			Most: 250, Connect: 5 * time.Second, Idle: 30 * time.Second,
			Media: Pool{50, 20, 15 * time.Second}, Default: Pool{10, 2, 5 * time.Second}, Federation: Pool{50, 10, 10 * time.Second},
		},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestRegistryNamesAreUniqueAndInWireForm(t *testing.T) {
	names := map[string]bool{}
	fields := map[any]string{}
	var s Settings
	for _, setting := range Registry() {
		if names[setting.Name()] {
			t.Errorf("%s is listed twice", setting.Name())
		}
		names[setting.Name()] = true
		if setting.Inert() {
			if _, ok := setting.Default.(term.Term); !ok {
				t.Errorf("%s has no term for a default", setting.Name())
			}
			continue
		}
		if other, ok := fields[setting.field(&s)]; ok {
			t.Errorf("%s and %s share a field", setting.Name(), other)
		}
		fields[setting.field(&s)] = setting.Name()
		for _, word := range append([]string{setting.Group, setting.Key}, setting.Path...) {
			if name, err := term.Name(word); err != nil || name.Wire() != word {
				t.Errorf("%s: %q is neither an atom nor a module: %v", setting.Name(), word, err)
			}
		}
		if setting.Description == "" {
			t.Errorf("%s has no description", setting.Name())
		}
	}
}

func TestFileOverlaysRuntimeSettings(t *testing.T) {
	file := write(t, "svc.yaml", `
settings:
  instance:
    name: My node
    limit: 300
    poll_limits: {max_options: 4, max_expiration: 60}
    registrations_open: false
    allowed_post_formats: [text/plain]
  ":oauth2": {":token_expires_in": 3600}
  Svc.User: {email_blacklist: [spam.example]}
  restrict_unauthenticated:
    timelines: {local: false, federated: true}
    profiles: {local: if_instance_is_private}
  rate_limit:
    authentication: [[1000, 5], [60000, 60]]
  emoji: {groups: {Cats: /emoji/cats/*.png, Dogs: [/emoji/dogs/*.png]}}
  ":frontend_configurations": {":svc_fe": {theme: dark}}
`)
	got, err := load(t, []string{"--config", file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	want := DefaultSettings()
	want.Instance.Name = "My node"
	want.Instance.Limit = 300
	want.Instance.Poll.MaxOptions = 4
	want.Instance.Poll.MaxExpiration = time.Minute
	want.Instance.RegistrationsOpen = false
	want.Instance.AllowedPostFormats = []string{"text/plain"}
	want.OAuth.TokenExpiresIn = time.Hour
	want.User.EmailBlacklist = []string{"spam.example"}
	want.Restrict.TimelinesLocal = Open
	want.Restrict.TimelinesFederated = Restricted
	want.RateLimits[BucketAuthentication] = Limit{Rate{time.Second, 5}, Rate{time.Minute, 60}}
	want.Emoji.Groups = []Group{{"Cats", []string{"/emoji/cats/*.png"}}, {"Dogs", []string{"/emoji/dogs/*.png"}}}
	want.FrontendConfigurations = map[string]any{"svc_fe": map[string]any{"theme": "dark"}}
	if diff := cmp.Diff(want, got.Settings); diff != "" {
		t.Error(diff)
	}
}

func TestRestrictionFollowsPublicUnlessSet(t *testing.T) {
	for _, c := range []struct {
		public bool
		r      Restriction
		want   bool
	}{{true, IfPrivate, false}, {false, IfPrivate, true}, {true, Restricted, true}, {false, Open, false}} {
		s := Settings{Instance: Instance{Public: c.public}}
		if got := s.Restricts(c.r); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

func TestSwapRefusesWhatIsOutOfBoundsAndKeepsTheOld(t *testing.T) {
	live, err := NewLive(DefaultSettings())
	if err != nil {
		t.Fatal(err)
	}
	before := live.Load()
	next := *before
	next.Instance.Limit = -1
	next.RateLimits[BucketAuthentication].User = Rate{Count: 3}
	err = live.Swap(next)
	var problems Problems
	if !errors.As(err, &problems) || len(problems) != 2 || live.Load() != before {
		t.Fatalf("error %v", err)
	}
	next = *before
	next.Instance.Limit = 500
	if err := live.Swap(next); err != nil || live.Load().Instance.Limit != 500 || before.Instance.Limit != 5000 {
		t.Errorf("error %v, limit %d, old %d", err, live.Load().Instance.Limit, before.Instance.Limit)
	}
}

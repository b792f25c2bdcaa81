package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Kind is the type of a setting's value.
type Kind int

// The kinds, with the Go type of the field each is kept in.
const (
	String       Kind = iota // string
	Integer                  // int
	Boolean                  // bool
	Strings                  // []string
	Seconds                  // time.Duration; an integer on the wire
	RateKind                 // Limit; (ms, count), or a list of two such: anonymous, user
	RestrictKind             // Restriction; a boolean or :if_instance_is_private
	ProxyKind                // Proxy; host:port, or a tuple of type, host and port
	Groups                   // []Group; lists of texts by name
	Maps                     // map[string]any; objects by name
	MapList                  // []map[string]any; a list of objects
	MailboxKind              // Mailbox; an address, or (name, address)
)

// A Setting is one row of the registry. Group, Key and Path are its name on
// the wire, in wire form; Path is empty where the key holds the value whole.
type Setting struct {
	Group       string
	Key         string
	Path        []string
	Kind        Kind
	Default     any
	Min, Max    int64    // of an Integer or Seconds, in its wire unit
	OneOf       []string // what a String may be; any where empty
	Secret      bool     // its value is never shown
	Reboot      bool     // clients are told that it needs a restart
	Description string

	field func(*Settings) any // where a snapshot keeps it: a pointer
}

// Name is the setting's name for people: instance.limit.
func (s Setting) Name() string {
	words := append([]string{s.Key}, s.Path...)
	for i, word := range words {
		words[i] = strings.TrimPrefix(word, ":")
	}
	return strings.Join(words, ".")
}

// Value is what snapshot has for s, of the type that s.Kind names.
func (s Setting) Value(snapshot *Settings) any {
	return reflect.ValueOf(s.field(snapshot)).Elem().Interface()
}

// store keeps value, which has the Go type of s.Kind.
func (s Setting) store(snapshot *Settings, value any) {
	reflect.ValueOf(s.field(snapshot)).Elem().Set(reflect.ValueOf(value))
}

// accepted says what may be given for s.
func (s Setting) accepted() string {
	switch s.Kind {
	case Integer:
		return fmt.Sprintf("an integer from %d to %d", s.Min, s.Max)
	case Seconds:
		return fmt.Sprintf("seconds from %d to %d", s.Min, s.Max)
	case Boolean:
		return "true or false"
	case Strings:
		return "a list of texts"
	case RateKind:
		return "[milliseconds, count], a list of two of those (for anonymous callers, for users), or false for no limit"
	case RestrictKind:
		return "true, false or if_instance_is_private"
	case ProxyKind:
		return "host:port, or [socks4, socks5 or http, host, port]"
	case Groups:
		return "lists of texts by name"
	case Maps:
		return "objects by name"
	case MapList:
		return "a list of objects"
	case MailboxKind:
		return "an address, or [name, address]"
	default:
		if len(s.OneOf) > 0 {
			return "one of " + strings.Join(s.OneOf, ", ")
		}
		return "a text"
	}
}

// within reports whether value, of the type of s.Kind, is in bounds.
func (s Setting) within(value any) bool {
	switch v := value.(type) {
	case string:
		return len(s.OneOf) == 0 || slices.Contains(s.OneOf, v)
	case int:
		return int64(v) >= s.Min && int64(v) <= s.Max
	case time.Duration:
		return v%time.Second == 0 && int64(v/time.Second) >= s.Min && int64(v/time.Second) <= s.Max
	case Limit:
		return v.Anonymous.sound() && v.User.sound()
	case Restriction:
		return v >= IfPrivate && v <= Restricted
	case Mailbox:
		return v == Mailbox{} || isAddress(v.Address) && !strings.ContainsAny(v.Name, "\r\n\x00")
	case Proxy:
		return v.sound()
	}
	return true
}

func (r Rate) sound() bool { return r.Count == 0 || r.Count > 0 && r.Window > 0 }

// Validate reports every setting that is out of bounds, as Problems.
func (s *Settings) Validate() error {
	var problems Problems
	for _, setting := range Registry() {
		if value := setting.Value(s); !setting.within(value) {
			problems.add(setting.Name(), fmt.Sprint(value), setting.Secret, setting.accepted())
		}
	}
	if s.Instance.AccountActivationRequired && !s.Mailer.On() {
		// Nobody could ever confirm.
		problems.add("instance.account_activation_required", "true", false, "false, or a relay that mail is sent through (SVC_SMTP_HOST)")
	}
	return problems.err()
}

// Registry lists every runtime setting that is honoured, in a fixed order.
func Registry() []Setting {
	return slices.Concat(outgoingSettings(), searchSettings(), instanceSettings(), accountSettings(), mailSettings(), accessSettings(), lookSettings(), webSettings(), postingSettings(), securitySettings(), mediaSettings())
}

const maxInt = 1<<31 - 1

func instanceSettings() []Setting {
	row := func(path string, kind Kind, value any, field func(*Instance) any, description string) Setting {
		return Setting{
			Group: ":svc", Key: ":instance", Path: strings.Fields(path), Kind: kind, Default: value, Max: maxInt,
			Description: description, field: func(s *Settings) any { return field(&s.Instance) },
		}
	}
	reboot := func(s Setting) Setting { s.Reboot = true; return s }
	return []Setting{
		row(":name", String, "svc", func(i *Instance) any { return &i.Name }, "Name of the instance"),
		row(":email", String, "", func(i *Instance) any { return &i.Email }, "Address at which people reach the instance's admins"),
		row(":notify_email", String, "", func(i *Instance) any { return &i.NotifyEmail }, "Address that mail comes from; the one of :email when empty"),
		row(":description", String, "A microblog among friends of other microblogs", func(i *Instance) any { return &i.Description }, "What the instance is about"),
		row(":background_image", String, "/images/city.jpg", func(i *Instance) any { return &i.BackgroundImage }, "Background picture for clients"),
		row(":instance_thumbnail", String, "/instance/thumbnail.jpeg", func(i *Instance) any { return &i.InstanceThumbnail }, "Picture that stands for the instance"),
		row(":limit", Integer, 5000, func(i *Instance) any { return &i.Limit }, "Longest local status, subject included, in characters"),
		row(":remote_limit", Integer, 100000, func(i *Instance) any { return &i.RemoteLimit }, "Longest status taken from other servers, in characters"),
		row(":chat_limit", Integer, 5000, func(i *Instance) any { return &i.ChatLimit }, "Longest chat message, in characters"),
		row(":description_limit", Integer, 5000, func(i *Instance) any { return &i.DescriptionLimit }, "Longest description of a file, in characters"),
		reboot(row(":upload_limit", Integer, 16000000, func(i *Instance) any { return &i.UploadLimit }, "Largest file, in bytes")),
		row(":avatar_upload_limit", Integer, 2000000, func(i *Instance) any { return &i.AvatarUploadLimit }, "Largest avatar, in bytes"),
		row(":background_upload_limit", Integer, 4000000, func(i *Instance) any { return &i.BackgroundUploadLimit }, "Largest profile background, in bytes"),
		row(":banner_upload_limit", Integer, 4000000, func(i *Instance) any { return &i.BannerUploadLimit }, "Largest profile banner, in bytes"),
		row(":poll_limits :max_options", Integer, 20, func(i *Instance) any { return &i.Poll.MaxOptions }, "Most options of a poll"),
		row(":poll_limits :max_option_chars", Integer, 200, func(i *Instance) any { return &i.Poll.MaxOptionChars }, "Longest option of a poll, in characters"),
		row(":poll_limits :min_expiration", Seconds, time.Duration(0), func(i *Instance) any { return &i.Poll.MinExpiration }, "Shortest poll, in seconds"),
		row(":poll_limits :max_expiration", Seconds, 31536000*time.Second, func(i *Instance) any { return &i.Poll.MaxExpiration }, "Longest poll, in seconds"),
		row(":registrations_open", Boolean, true, func(i *Instance) any { return &i.RegistrationsOpen }, "Whether anybody may register"),
		row(":invites_enabled", Boolean, false, func(i *Instance) any { return &i.InvitesEnabled }, "Whether people may be invited while registration is closed"),
		row(":account_activation_required", Boolean, false, func(i *Instance) any { return &i.AccountActivationRequired }, "Whether an address must be confirmed before logging in"),
		row(":account_approval_required", Boolean, false, func(i *Instance) any { return &i.AccountApprovalRequired }, "Whether an admin must approve each registration"),
		row(":autofollowed_nicknames", Strings, []string{}, func(i *Instance) any { return &i.AutofollowedNicknames }, "Local accounts that every new account follows"),
		row(":autofollowing_nicknames", Strings, []string{}, func(i *Instance) any { return &i.AutofollowingNicknames }, "Local accounts that follow every new account"),
		row(":password_reset_token_validity", Seconds, 86400*time.Second, func(i *Instance) any { return &i.PasswordResetTokenValidity }, "How long a link to set a new password works, in seconds"),
		row(":federation_reachability_timeout_days", Integer, 7, func(i *Instance) any { return &i.FederationReachabilityTimeoutDays }, "Days after which a server that does not answer is given up; 0 is never"),
		row(":federating", Boolean, true, func(i *Instance) any { return &i.Federating }, "Whether the instance talks to other servers"),
		row(":public", Boolean, true, func(i *Instance) any { return &i.Public }, "Whether people may read without logging in"),
		row(":quarantined_instances", Strings, []string{}, func(i *Instance) any { return &i.QuarantinedInstances }, "Servers that receive public activities only"),
		row(":allowed_post_formats", Strings, []string{"text/plain", "text/html", "text/markdown", "text/bbcode"}, func(i *Instance) any { return &i.AllowedPostFormats }, "Markup that a status may be written in"),
		row(":extended_nickname_format", Boolean, true, func(i *Instance) any { return &i.ExtendedNicknameFormat }, "Whether nicknames may have _ and -"),
		row(":max_report_comment_size", Integer, 1000, func(i *Instance) any { return &i.MaxReportCommentSize }, "Longest comment of a report, in characters"),
		row(":skip_thread_containment", Boolean, true, func(i *Instance) any { return &i.SkipThreadContainment }, "Whether threads with hidden parts are shown"),
		row(":show_reactions", Boolean, true, func(i *Instance) any { return &i.ShowReactions }, "Whether it is shown who favoured a status, and who reacted to it"),
		row(":max_pinned_statuses", Integer, 1, func(i *Instance) any { return &i.MaxPinnedStatuses }, "Most statuses that somebody may pin to his profile"),
		row(":healthcheck", Boolean, false, func(i *Instance) any { return &i.Healthcheck }, "Whether anybody may look at the server's health"),
		row(":user_bio_length", Integer, 5000, func(i *Instance) any { return &i.UserBioLength }, "Longest text about oneself, in characters"),
		row(":user_name_length", Integer, 100, func(i *Instance) any { return &i.UserNameLength }, "Longest display name, in characters"),
		row(":registration_reason_length", Integer, 500, func(i *Instance) any { return &i.RegistrationReasonLength }, "Longest reason to register, in characters"),
		row(":max_account_fields", Integer, 10, func(i *Instance) any { return &i.MaxAccountFields }, "Most profile fields of a local account"),
		row(":max_remote_account_fields", Integer, 20, func(i *Instance) any { return &i.MaxRemoteAccountFields }, "Most profile fields of a remote account"),
		row(":account_field_name_length", Integer, 512, func(i *Instance) any { return &i.AccountFieldNameLength }, "Longest name of a profile field, in characters"),
		row(":account_field_value_length", Integer, 2048, func(i *Instance) any { return &i.AccountFieldValueLength }, "Longest value of a profile field, in characters"),
	}
}

// routeWords are nicknames that would shadow a route.
var routeWords = strings.Fields(`.well-known ~ about activities api auth check_password dev friend-requests inbox
	internal main media nodeinfo notice oauth objects ostatus_subscribe proxy push registration relay settings status
	tag user-search user_exists users web verify_credentials update_credentials relationships search
	confirmation_resend mfa svc`)

func accountSettings() []Setting {
	return []Setting{
		{
			Group: ":svc", Key: ":auth", Path: []string{":enforce_oauth_admin_scope_usage"}, Kind: Boolean, Default: true,
			Description: "Whether admin endpoints take admin scopes only",
			field:       func(s *Settings) any { return &s.Auth.EnforceOAuthAdminScopeUsage },
		},
		{
			Group: ":svc", Key: ":oauth2", Path: []string{":token_expires_in"}, Kind: Seconds, Default: 3153600000 * time.Second,
			Min: 1, Max: 3153600000,
			Description: "How long a token works, in seconds",
			field:       func(s *Settings) any { return &s.OAuth.TokenExpiresIn },
		},
		{
			Group: ":svc", Key: ":oauth2", Path: []string{":clean_expired_tokens"}, Kind: Boolean, Default: false,
			Description: "Whether tokens are removed when they expire; they cannot be refreshed then",
			field:       func(s *Settings) any { return &s.OAuth.CleanExpiredTokens },
		},
		{
			Group: ":svc", Key: ":oauth2", Path: []string{":issue_new_refresh_token"}, Kind: Boolean, Default: true,
			Description: "Whether refreshing keeps the old refresh token",
			field:       func(s *Settings) any { return &s.OAuth.IssueNewRefreshToken },
		},
		{
			Group: ":svc", Key: "Svc.User", Path: []string{":restricted_nicknames"}, Kind: Strings, Default: slices.Clone(routeWords),
			Description: "Nicknames that nobody may register",
			field:       func(s *Settings) any { return &s.User.RestrictedNicknames },
		},
		{
			Group: ":svc", Key: "Svc.User", Path: []string{":email_blacklist"}, Kind: Strings, Default: []string{},
			Description: "Mail domains that nobody may register with",
			field:       func(s *Settings) any { return &s.User.EmailBlacklist },
		},
		{
			Group: ":svc", Key: ":user", Path: []string{":deny_follow_blocked"}, Kind: Boolean, Default: true,
			Description: "Whether a blocked account is kept from following its blocker",
			field:       func(s *Settings) any { return &s.User.DenyFollowBlocked },
		},
	}
}

func accessSettings() []Setting {
	restrict := func(path, description string, field func(*Restrict) any) Setting {
		return Setting{
			Group: ":svc", Key: ":restrict_unauthenticated", Path: strings.Fields(path), Kind: RestrictKind, Default: IfPrivate,
			Description: description, field: func(s *Settings) any { return field(&s.Restrict) },
		}
	}
	rows := []Setting{
		restrict(":timelines :local", "Whether the local timeline needs a login", func(r *Restrict) any { return &r.TimelinesLocal }),
		restrict(":timelines :federated", "Whether the federated timeline needs a login", func(r *Restrict) any { return &r.TimelinesFederated }),
		restrict(":profiles :local", "Whether local profiles need a login", func(r *Restrict) any { return &r.ProfilesLocal }),
		restrict(":profiles :remote", "Whether remote profiles need a login", func(r *Restrict) any { return &r.ProfilesRemote }),
		restrict(":activities :local", "Whether single local statuses need a login", func(r *Restrict) any { return &r.ActivitiesLocal }),
		restrict(":activities :remote", "Whether single remote statuses need a login", func(r *Restrict) any { return &r.ActivitiesRemote }),
	}
	limits := []struct {
		bucket          Bucket
		name            string
		anonymous, user Rate
		description     string
	}{
		{BucketAuthentication, ":authentication", per(time.Minute, 15), per(time.Minute, 15), "Logging in"},
		{BucketTimeline, ":timeline", per(500*time.Millisecond, 3), per(500*time.Millisecond, 3), "Reading a timeline, each kind by itself"},
		{BucketSearch, ":search", per(time.Second, 10), per(time.Second, 30), "Searching"},
		{BucketAccountCreation, ":app_account_creation", per(30*time.Minute, 25), per(30*time.Minute, 25), "Registering"},
		{BucketRelations, ":relations_actions", per(10*time.Second, 10), per(10*time.Second, 10), "Following and unfollowing"},
		{BucketRelation, ":relation_id_action", per(time.Minute, 2), per(time.Minute, 2), "Following and unfollowing one account"},
		{BucketStatuses, ":statuses_actions", per(10*time.Second, 15), per(10*time.Second, 15), "Posting, deleting, boosting and liking"},
		{BucketStatus, ":status_id_action", per(time.Minute, 3), per(time.Minute, 3), "Boosting one status, or liking it"},
		{BucketPasswordReset, ":password_reset", per(30*time.Minute, 5), per(30*time.Minute, 5), "Asking for a new password by mail"},
		{BucketConfirmationResend, ":account_confirmation_resend", per(8640*time.Second, 5), per(8640*time.Second, 5), "Asking for another confirmation mail"},
		{BucketUploads, ":uploads", per(10*time.Minute, 60), per(10*time.Minute, 60), "Uploading files"},
		{BucketCaptcha, ":captcha", per(time.Minute, 30), per(time.Minute, 30), "Asking for a captcha"},
	}
	for _, l := range limits {
		rows = append(rows, Setting{
			Group: ":svc", Key: ":rate_limit", Path: []string{l.name}, Kind: RateKind, Default: Limit{l.anonymous, l.user},
			Reboot: true, Description: l.description,
			field: func(s *Settings) any { return &s.RateLimits[l.bucket] },
		})
	}
	return rows
}

func lookSettings() []Setting {
	emoji := func(path string, kind Kind, value any, field func(*Emoji) any, description string) Setting {
		return Setting{
			Group: ":svc", Key: ":emoji", Path: []string{path}, Kind: kind, Default: value,
			Description: description, field: func(s *Settings) any { return field(&s.Emoji) },
		}
	}
	return []Setting{
		emoji(":shortcode_globs", Strings, []string{"/emoji/custom/**/*.png"}, func(e *Emoji) any { return &e.ShortcodeGlobs },
			"Pictures that are custom emoji by their file names"),
		emoji(":pack_extensions", Strings, []string{".png", ".gif"}, func(e *Emoji) any { return &e.PackExtensions },
			"Endings of the emoji of a pack that lists none"),
		emoji(":groups", Groups, []Group{{Name: "Custom", Globs: []string{"/emoji/*.png", "/emoji/**/*.png"}}}, func(e *Emoji) any { return &e.Groups },
			"Groups that emoji are shown in, by their paths"),
		{
			Group: ":svc", Key: ":frontend_configurations", Kind: Maps, Default: map[string]any{"svc_fe": map[string]any{}, "masto_fe": map[string]any{}},
			Description: "What front ends are to look like", field: func(s *Settings) any { return &s.FrontendConfigurations },
		},
	}
}

func per(window time.Duration, count int) Rate { return Rate{Window: window, Count: count} }

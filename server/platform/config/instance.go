package config

import (
	"time"

	"svc/client/api"
)

// privileges are the names that moderators may be given.
func privileges() []string {
	var names []string
	for _, p := range api.Privileges() {
		names = append(names, string(p))
	}
	return names
}

func instanceSettings() []Setting {
	row := func(path string, kind Kind, value any, field func(*Instance) any, description string) Setting {
		return row(":instance", path, kind, value, func(s *Settings) any { return field(&s.Instance) }, description)
	}
	return []Setting{
		row(":name", String, "svc", func(i *Instance) any { return &i.Name }, "Name of the instance"),
		row(":email", String, "", func(i *Instance) any { return &i.Email }, "Address at which people reach the instance's admins"),
		row(":notify_email", String, "", func(i *Instance) any { return &i.NotifyEmail }, "Address that mail comes from; the one of :email when empty").null(""),
		row(":description", String, "A microblog among friends of other microblogs", func(i *Instance) any { return &i.Description }, "Description of the instance, for people and for other servers"),
		row(":background_image", String, "/images/city.jpg", func(i *Instance) any { return &i.BackgroundImage }, "Background picture for clients"),
		row(":instance_thumbnail", String, "/instance/thumbnail.jpeg", func(i *Instance) any { return &i.InstanceThumbnail }, "Picture that stands for the instance"),
		row(":limit", Integer, 5000, func(i *Instance) any { return &i.Limit }, "Longest local status, subject included, in characters"),
		row(":remote_limit", Integer, 100000, func(i *Instance) any { return &i.RemoteLimit }, "Longest status taken from other servers, in characters"),
		row(":federation_incoming_replies_max_depth", Integer, 100, func(i *Instance) any { return &i.RepliesMaxDepth }, "How many steps up and down a thread of other servers is fetched; 0 is none, null is no limit but the built-in one").null(100),
		row(":chat_limit", Integer, 5000, func(i *Instance) any { return &i.ChatLimit }, "Longest chat message, in characters"),
		row(":description_limit", Integer, 5000, func(i *Instance) any { return &i.DescriptionLimit }, "Longest description of a file, in characters"),
		row(":upload_limit", Integer, 16000000, func(i *Instance) any { return &i.UploadLimit }, "Largest file, in bytes"),
		row(":avatar_upload_limit", Integer, 2000000, func(i *Instance) any { return &i.AvatarUploadLimit }, "Largest avatar, in bytes"),
		row(":background_upload_limit", Integer, 4000000, func(i *Instance) any { return &i.BackgroundUploadLimit }, "Largest profile background, in bytes"),
		row(":banner_upload_limit", Integer, 4000000, func(i *Instance) any { return &i.BannerUploadLimit }, "Largest profile banner, in bytes"),
		row(":poll_limits :max_options", Integer, 20, func(i *Instance) any { return &i.Poll.MaxOptions }, "Most options of a poll").inMap(),
		row(":poll_limits :max_option_chars", Integer, 200, func(i *Instance) any { return &i.Poll.MaxOptionChars }, "Longest option of a poll, in characters").inMap(),
		row(":poll_limits :min_expiration", Seconds, time.Duration(0), func(i *Instance) any { return &i.Poll.MinExpiration }, "Shortest poll, in seconds").inMap(),
		row(":poll_limits :max_expiration", Seconds, 31536000*time.Second, func(i *Instance) any { return &i.Poll.MaxExpiration }, "Longest poll, in seconds").inMap(),
		row(":registrations_open", Boolean, true, func(i *Instance) any { return &i.RegistrationsOpen }, "Whether anybody may register"),
		row(":invites_enabled", Boolean, false, func(i *Instance) any { return &i.InvitesEnabled }, "Whether people may be invited while registration is closed"),
		row(":account_activation_required", Boolean, false, func(i *Instance) any { return &i.AccountActivationRequired }, "Whether an address must be confirmed before logging in"),
		row(":account_approval_required", Boolean, false, func(i *Instance) any { return &i.AccountApprovalRequired }, "Whether an admin must approve each registration"),
		row(":autofollowed_nicknames", Strings, []string{}, func(i *Instance) any { return &i.AutofollowedNicknames }, "Local accounts that every new account follows"),
		row(":autofollowing_nicknames", Strings, []string{}, func(i *Instance) any { return &i.AutofollowingNicknames }, "Local accounts that follow every new account"),
		row(":password_reset_token_validity", Seconds, 86400*time.Second, func(i *Instance) any { return &i.PasswordResetTokenValidity }, "How long a link to set a new password works, in seconds"),
		row(":federation_reachability_timeout_days", Integer, 7, func(i *Instance) any { return &i.FederationReachabilityTimeoutDays }, "Days after which a server that does not answer is given up; 0 is never"),
		row(":federating", Boolean, true, func(i *Instance) any { return &i.Federating }, "Whether the instance talks to other servers"),
		row(":allow_relay", Boolean, true, func(i *Instance) any { return &i.AllowRelay }, "Whether there is a relay actor, through which relays feed this server and are fed"),
		row(":public", Boolean, true, func(i *Instance) any { return &i.Public }, "Whether people may read without logging in"),
		row(":quarantined_instances", Strings, []string{}, func(i *Instance) any { return &i.QuarantinedInstances }, "Servers that receive public activities only").ofHosts(),
		row(":allowed_post_formats", Strings, []string{"text/plain", "text/html", "text/markdown", "text/bbcode"}, func(i *Instance) any { return &i.AllowedPostFormats }, "Markup that a status may be written in"),
		row(":extended_nickname_format", Boolean, true, func(i *Instance) any { return &i.ExtendedNicknameFormat }, "Whether nicknames may have _ and -"),
		row(":max_report_comment_size", Integer, 1000, func(i *Instance) any { return &i.MaxReportCommentSize }, "Longest comment of a report, in characters"),
		row(":report_copy_days", Integer, 30, func(i *Instance) any { return &i.ReportCopyDays }, "Days that the copies of reported statuses, and their files, are kept after their report is closed").between(0, 36500).unset(),
		row(":skip_thread_containment", Boolean, true, func(i *Instance) any { return &i.SkipThreadContainment }, "Whether threads with hidden parts are shown"),
		row(":respect_indexable", Boolean, true, func(i *Instance) any { return &i.RespectIndexable }, "Whether a search leaves out statuses of remote accounts that do not want to be found").unset(),
		row(":show_reactions", Boolean, true, func(i *Instance) any { return &i.ShowReactions }, "Whether the accounts that favourited a status or reacted to it are shown"),
		row(":moderator_privileges", Strings, []string{}, func(i *Instance) any { return &i.ModeratorPrivileges },
			"Parts of the admin API that moderators who are not admins may use; none when empty").oneOf(privileges()...).unset(),
		row(":max_pinned_statuses", Integer, 1, func(i *Instance) any { return &i.MaxPinnedStatuses }, "Most statuses that one account may pin"),
		row(":external_user_synchronization", Boolean, true, func(i *Instance) any { return &i.ExternalUserSynchronization }, "Whether follower and status counts of remote accounts are fetched from their servers"),
		row(":healthcheck", Boolean, false, func(i *Instance) any { return &i.Healthcheck }, "Whether anybody may read GET /api/svc/healthcheck"),
		row(":user_bio_length", Integer, 5000, func(i *Instance) any { return &i.UserBioLength }, "Longest text (bio) of a profile, in characters"),
		row(":user_name_length", Integer, 100, func(i *Instance) any { return &i.UserNameLength }, "Longest display name, in characters"),
		row(":registration_reason_length", Integer, 500, func(i *Instance) any { return &i.RegistrationReasonLength }, "Longest reason to register, in characters"),
		row(":max_account_fields", Integer, 10, func(i *Instance) any { return &i.MaxAccountFields }, "Most profile fields of a local account"),
		row(":max_remote_account_fields", Integer, 20, func(i *Instance) any { return &i.MaxRemoteAccountFields }, "Most profile fields of a remote account"),
		row(":account_field_name_length", Integer, 512, func(i *Instance) any { return &i.AccountFieldNameLength }, "Longest name of a profile field, in characters"),
		row(":account_field_value_length", Integer, 2048, func(i *Instance) any { return &i.AccountFieldValueLength }, "Longest value of a profile field, in characters"),
	}
}

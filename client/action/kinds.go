package action

import (
	"slices"
	"strings"
	"time"

	"svc/client/api"
)

// Kind names one change of one object, noun first.
type Kind string

const (
	ReportResolve    Kind = "report.resolve"
	ReportClose      Kind = "report.close"
	ReportReopen     Kind = "report.reopen"
	ReportNote       Kind = "report.note"        // Args: text
	ReportNoteDelete Kind = "report.note.delete" // Args: note, the note's number; or text, of the first note after a number
	UserActivate     Kind = "user.activate"
	UserDeactivate   Kind = "user.deactivate"

	UserApprove         Kind = "user.approve"
	UserConfirm         Kind = "user.confirm"
	UserResend          Kind = "user.resend-confirmation"
	UserDelete          Kind = "user.delete"
	UserForceReset      Kind = "user.force-reset"
	UserDisableMFA      Kind = "user.mfa.disable"
	UserTag             Kind = "user.tag.add"    // Args: tags, joined by commas
	UserUntag           Kind = "user.tag.remove" // Args: tags, joined by commas
	UserMakeAdmin       Kind = "user.role.add.admin"
	UserMakeModerator   Kind = "user.role.add.moderator"
	UserUnmakeAdmin     Kind = "user.role.remove.admin"
	UserUnmakeModerator Kind = "user.role.remove.moderator"
	UserFollow          Kind = "user.follow"   // Args: followed, a nickname
	UserUnfollow        Kind = "user.unfollow" // Args: followed, a nickname
	UserMessage         Kind = "user.message"  // Args: text

	InviteRevoke      Kind = "invite.revoke"
	AppDelete         Kind = "app.delete"
	ChatMessageDelete Kind = "chat.delete-message" // Args: message, its id
	MediaPurge        Kind = "media.purge"         // Args: ban, "true" or "false"
	MediaUnban        Kind = "media.unban"
	SSHKeyDelete      Kind = "ssh-key.delete" // Args: user, "" for oneself
	RelayFollow       Kind = "relay.follow"
	RelayUnfollow     Kind = "relay.unfollow"

	// ConfigRestore saves one setting or subkey. Args: value, in the API's JSON, ""
	// to save none. Before: value, likewise.
	ConfigRestore Kind = "config.restore"

	StatusDelete     Kind = "status.delete"
	StatusSensitive  Kind = "status.sensitive"  // Args: sensitive, "true" or "false"; may carry visibility too
	StatusVisibility Kind = "status.visibility" // Args: visibility; may carry sensitive too
)

// facts is a row of the table of kinds: all that is known of a kind.
type facts struct {
	kind  Kind
	verb  string // where it is not the rest of the kind's name
	done  string // the verb for a result, "changed" where there is none
	state string // of a report, that it is brought into
	back  Kind   // the kind that restores the former state, if it is always the same
	log   string // its name in the moderation log
	now   string // the state that the log's entry describes, "" for done
	rules func(*Engine, Kind) kindRules
	// final says that no other kind restores the former state. Deactivation is
	// final: the follows it ends do not return with activation.
	final bool
	grave bool          // typed out even for one object
	once  bool          // its arguments stand once in a request for many
	delay time.Duration // in the terminal UI, where it is not defaultDelay
	needs api.Privilege // "" for admins alone
	free  bool          // it needs no privilege at all
}

const (
	defaultDelay = 4 * time.Second
	longDelay    = 8 * time.Second
)

// kinds has every kind there is, in the order people meet them. It is filled
// by init because rules look into it.
var kinds []facts

func init() {
	kinds = []facts{
		{kind: ReportResolve, done: "resolved", state: api.ReportResolved, log: "report_update", rules: (*Engine).reportStates, needs: api.PrivilegeReports},
		{kind: ReportClose, done: "closed", state: api.ReportClosed, log: "report_update", rules: (*Engine).reportStates, needs: api.PrivilegeReports},
		{kind: ReportReopen, done: "reopened", state: api.ReportOpen, log: "report_update", rules: (*Engine).reportStates, needs: api.PrivilegeReports},
		{kind: ReportNote, verb: "note add", done: "noted", rules: (*Engine).addNote, needs: api.PrivilegeReports},
		{kind: ReportNoteDelete, done: "deleted", final: true, rules: (*Engine).deleteNote, needs: api.PrivilegeReports},
		{kind: UserActivate, done: "activated", back: UserDeactivate, log: "activate", rules: (*Engine).activation, needs: api.PrivilegeUsersActivation},
		{kind: UserDeactivate, done: "deactivated", back: UserActivate, log: "deactivate", rules: (*Engine).activation, final: true, delay: longDelay, needs: api.PrivilegeUsersActivation},
		{kind: StatusDelete, done: "deleted", log: "status_delete", rules: (*Engine).deleteStatus, final: true, delay: longDelay, needs: api.PrivilegeStatuses},
		{kind: StatusSensitive, verb: "set", rules: (*Engine).setStatus, needs: api.PrivilegeStatuses},
		{kind: StatusVisibility, verb: "set", rules: (*Engine).setStatus, needs: api.PrivilegeStatuses},
		{kind: UserApprove, done: "approved", log: "approve", rules: (*Engine).admission},
		{kind: UserConfirm, done: "confirmed", log: "confirm_email", rules: (*Engine).admission},
		{kind: UserResend, done: "mailed", rules: (*Engine).resendConfirmation},
		{kind: UserDelete, done: "deleted", log: "delete", rules: (*Engine).deleteUser, final: true, grave: true},
		{kind: UserForceReset, rules: (*Engine).forceReset, final: true},
		{kind: UserDisableMFA, rules: (*Engine).disableMFA, final: true},
		{kind: UserTag, back: UserUntag, log: "tag", now: "tagged", rules: (*Engine).tags, once: true},
		{kind: UserUntag, back: UserTag, log: "untag", now: "untagged", rules: (*Engine).tags, once: true},
		{kind: UserMakeAdmin, back: UserUnmakeAdmin, log: "grant", now: "given a role", rules: (*Engine).role, grave: true},
		{kind: UserMakeModerator, back: UserUnmakeModerator, log: "grant", now: "given a role", rules: (*Engine).role},
		{kind: UserUnmakeAdmin, back: UserMakeAdmin, log: "revoke", now: "deprived of a role", rules: (*Engine).role},
		{kind: UserUnmakeModerator, back: UserMakeModerator, log: "revoke", now: "deprived of a role", rules: (*Engine).role},
		{kind: UserFollow, back: UserUnfollow, rules: (*Engine).follow},
		{kind: UserUnfollow, back: UserFollow, rules: (*Engine).follow},
		{kind: UserMessage, done: "sent", rules: (*Engine).message, final: true, free: true},
		{kind: ConfigRestore, done: "restored", rules: (*Engine).restoreSetting},
		{kind: InviteRevoke, done: "revoked", rules: (*Engine).revokeInvite, final: true, needs: api.PrivilegeInvites},
		{kind: AppDelete, done: "deleted", rules: (*Engine).deleteApp, final: true},
		{kind: ChatMessageDelete, done: "deleted", log: "chat_message_delete", rules: (*Engine).deleteChatMessage, final: true},
		{kind: MediaPurge, done: "purged", rules: (*Engine).purgeMedia, once: true, needs: api.PrivilegeMedia},
		{kind: MediaUnban, done: "unbanned", rules: (*Engine).unbanMedia, needs: api.PrivilegeMedia},
		{kind: SSHKeyDelete, done: "deleted", log: "ssh_key_delete", rules: (*Engine).deleteSSHKey, final: true, free: true},
		{kind: RelayFollow, done: "asked", back: RelayUnfollow, rules: (*Engine).relay},
		{kind: RelayUnfollow, done: "left", back: RelayFollow, rules: (*Engine).relay},
	}
}

// facts is the row of k, empty but for its kind when there is none.
func (k Kind) facts() facts {
	for _, f := range kinds {
		if f.kind == k {
			return f
		}
	}
	return facts{kind: k}
}

// Kinds lists every kind there is, in the order people meet them.
func Kinds() []Kind {
	all := make([]Kind, len(kinds))
	for i, f := range kinds {
		all[i] = f.kind
	}
	return all
}

// Noun is the type of k's objects: "report", "user", "invite".
func (k Kind) Noun() string {
	noun, _, _ := strings.Cut(string(k), ".")
	return noun
}

// Verb is k's name on the command line: "resolve", "note delete", "role add
// admin".
func (k Kind) Verb() string {
	if verb := k.facts().verb; verb != "" {
		return verb
	}
	_, verb, _ := strings.Cut(string(k), ".")
	return strings.ReplaceAll(verb, ".", " ")
}

// Done is the verb for a result: "resolved", "deactivated".
func (k Kind) Done() string {
	if done := k.facts().done; done != "" {
		return done
	}
	return "changed"
}

// State is the report state that k asks for, "" when it asks for none.
func (k Kind) State() string { return k.facts().state }

// KindForState is the action that gives a report this state.
func KindForState(state string) (Kind, bool) {
	i := slices.IndexFunc(kinds, func(f facts) bool { return state != "" && f.state == state })
	if i < 0 {
		return "", false
	}
	return kinds[i].kind, true
}

// Needs is the privilege that moderators need for k, "" if it is for admins alone;
// false says that everybody may do it to what is their own.
func (k Kind) Needs() (api.Privilege, bool) {
	f := k.facts()
	return f.needs, !f.free
}

// Irreversible reports whether no other action restores the state before k.
func (k Kind) Irreversible() bool { return k.facts().final }

// Delay is how long the terminal UI holds k back so that it can be cancelled.
func Delay(k Kind) time.Duration {
	if delay := k.facts().delay; delay != 0 {
		return delay
	}
	return defaultDelay
}

// isNoun reports whether typed names begin with noun: of the kinds here, and of
// settings and documents, which change in other ways.
func isNoun(noun string) bool {
	return noun == "config" || noun == "doc" || slices.ContainsFunc(kinds, func(f facts) bool { return f.kind.Noun() == noun })
}

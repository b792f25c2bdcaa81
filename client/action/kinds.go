package action

import (
	"maps"
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
	UserReject          Kind = "user.reject" // Args: message, which is mailed to them, "" for none
	UserConfirm         Kind = "user.confirm"
	UserResend          Kind = "user.resend-confirmation"
	UserDelete          Kind = "user.delete"
	UserForceReset      Kind = "user.force-reset"
	UserLogOut          Kind = "user.logout"
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
	AppUpdate         Kind = "app.update" // Args: name, redirect_uris, website, trusted, scopes, those that change
	AppDelete         Kind = "app.delete"
	ChatMessageDelete Kind = "chat.delete-message" // Args: message, its id
	MediaPurge        Kind = "media.purge"         // Args: ban, "true" or "false"
	MediaUnban        Kind = "media.unban"
	SSHKeyDelete      Kind = "ssh-key.delete" // Args: user, "" for oneself
	MailDomainBlock   Kind = "mail-domain.block"
	MailDomainUnblock Kind = "mail-domain.unblock"
	EmojiEnable       Kind = "emoji.enable"
	EmojiDisable      Kind = "emoji.disable"
	EmojiRemove       Kind = "emoji.remove"
	RelayFollow       Kind = "relay.follow"
	RelayUnfollow     Kind = "relay.unfollow"

	HostLimit   Kind = "host.limit"   // Args: limits, joined by commas; reason, where it is not kept
	HostUnlimit Kind = "host.unlimit" // Args: likewise

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
	loss  string          // what an undo does not bring back, "" where it brings back all
	warns string          // the loss as labels announce it, where that is not forGood
	grave bool            // typed out even for one object
	once  bool            // its arguments stand once in a request for many
	delay time.Duration   // in the terminal UI, where it is not defaultDelay
	needs []api.Privilege // all that a moderator needs for it; Admins for what no privilege opens

	part  string // the property of the object that it changes, where another kind changes it too
	each  bool   // its arguments tell apart what it changes
	whole bool   // it ends the object
	adds  bool   // it adds something each time: sent twice, there are two

	step   string // its name in playbooks, "" where it is no step of any
	arg    string // the argument that the step takes, "" for none
	phrase string // a step in words, where it is not the verb and the objects
}

// Admins stands in Needs for what no privilege of moderators opens.
const Admins api.Privilege = ""

// forGood announces a loss before the change.
const forGood = "for good"

const (
	defaultDelay = 4 * time.Second
	longDelay    = 8 * time.Second
)

// kinds has every kind that the engine carries out, in the order people meet them. It is filled
// by init because rules look into it.
var kinds []facts

func init() {
	admins, reports := []api.Privilege{Admins}, []api.Privilege{api.PrivilegeReports}
	statuses, media := []api.Privilege{api.PrivilegeStatuses}, []api.Privilege{api.PrivilegeMedia}
	invites, users := []api.Privilege{api.PrivilegeInvites}, []api.Privilege{api.PrivilegeUsersRead}
	activation := []api.Privilege{api.PrivilegeUsersRead, api.PrivilegeUsersActivation} // the account is read first
	approvals := []api.Privilege{api.PrivilegeApprovals}                                // it opens pending accounts too
	kinds = []facts{
		{kind: ReportResolve, done: "resolved", state: api.ReportResolved, log: "report_update", rules: (*Engine).reportStates, needs: reports, part: "state", step: "resolve"},
		{kind: ReportClose, done: "closed", state: api.ReportClosed, log: "report_update", rules: (*Engine).reportStates, needs: reports, part: "state", step: "close"},
		{kind: ReportReopen, done: "reopened", state: api.ReportOpen, log: "report_update", rules: (*Engine).reportStates, needs: reports, part: "state"},
		{kind: ReportNote, verb: "note add", done: "noted", rules: (*Engine).addNote, needs: reports, adds: true, step: "note", arg: "text", phrase: "note on {names}"},
		{kind: ReportNoteDelete, done: "deleted", rules: (*Engine).deleteNote, loss: "the note stays deleted", needs: reports, each: true},
		{kind: UserActivate, done: "activated", back: UserDeactivate, log: "activate", rules: (*Engine).activation, needs: activation, part: "activation"},
		{kind: UserDeactivate, done: "deactivated", back: UserActivate, log: "deactivate", rules: (*Engine).activation,
			loss: "follows that it ended do not return", warns: "ends follows for good", delay: longDelay, needs: activation, part: "activation", step: "deactivate"},
		{kind: StatusDelete, done: "deleted", log: "status_delete", rules: (*Engine).deleteStatus, loss: "deleted posts stay deleted", delay: longDelay, needs: statuses, whole: true, step: "delete"},
		{kind: StatusSensitive, verb: "set", rules: (*Engine).setStatus, needs: statuses, step: "sensitive", phrase: "mark {objects} as sensitive"},
		{kind: StatusVisibility, verb: "set", rules: (*Engine).setStatus, needs: statuses},
		{kind: UserApprove, done: "approved", log: "approve", rules: (*Engine).admission, loss: "it stays approved", needs: approvals},
		{kind: UserReject, done: "rejected", log: "reject", rules: (*Engine).rejectUser, loss: "it stays deleted", once: true, delay: longDelay, needs: approvals, whole: true},
		{kind: UserConfirm, done: "confirmed", log: "confirm_email", rules: (*Engine).admission, loss: "it stays confirmed", needs: admins},
		{kind: UserResend, done: "mailed", rules: (*Engine).resendConfirmation, loss: "the mail is out", warns: "a mail, for good", needs: admins, adds: true},
		{kind: UserDelete, done: "deleted", log: "delete", rules: (*Engine).deleteUser, loss: "it stays deleted", grave: true, needs: admins, whole: true},
		{kind: UserForceReset, rules: (*Engine).forceReset, loss: "the password stays reset", needs: admins},
		{kind: UserLogOut, done: "logged out", log: "logout", rules: (*Engine).logOut, loss: "they sign in again everywhere", warns: "ends all log-ins", needs: admins},
		{kind: UserDisableMFA, rules: (*Engine).disableMFA, loss: "the second factor stays off", needs: admins},
		{kind: UserTag, back: UserUntag, log: "tag", now: "tagged", rules: (*Engine).tags, once: true, needs: admins, part: "tags", each: true, step: "tag", arg: "tags", phrase: "tag {objects} with {tags}"},
		{kind: UserUntag, back: UserTag, log: "untag", now: "untagged", rules: (*Engine).tags, once: true, needs: admins, part: "tags", each: true, step: "untag", arg: "tags", phrase: "take {tags} from {objects}"},
		{kind: UserMakeAdmin, back: UserUnmakeAdmin, log: "grant", now: "given a role", rules: (*Engine).role, grave: true, needs: admins, part: "admin"},
		{kind: UserMakeModerator, back: UserUnmakeModerator, log: "grant", now: "given a role", rules: (*Engine).role, needs: admins, part: "moderator"},
		{kind: UserUnmakeAdmin, back: UserMakeAdmin, log: "revoke", now: "deprived of a role", rules: (*Engine).role, needs: admins, part: "admin"},
		{kind: UserUnmakeModerator, back: UserMakeModerator, log: "revoke", now: "deprived of a role", rules: (*Engine).role, needs: admins, part: "moderator"},
		{kind: UserFollow, back: UserUnfollow, rules: (*Engine).follow, needs: admins, part: "follows", each: true},
		{kind: UserUnfollow, back: UserFollow, rules: (*Engine).follow, needs: admins, part: "follows", each: true},
		{kind: UserMessage, done: "sent", rules: (*Engine).message, loss: "a message that was sent stays sent", needs: users, adds: true, step: "message", arg: "text"},
		{kind: ConfigRestore, done: "restored", rules: (*Engine).restoreSetting, needs: admins},
		{kind: InviteRevoke, done: "revoked", rules: (*Engine).revokeInvite, loss: "it stays revoked", needs: invites},
		{kind: AppUpdate, rules: (*Engine).updateApp, needs: admins},
		{kind: AppDelete, done: "deleted", rules: (*Engine).deleteApp, loss: "it stays deleted", needs: admins, whole: true},
		{kind: ChatMessageDelete, done: "deleted", log: "chat_message_delete", rules: (*Engine).deleteChatMessage, loss: "it stays deleted", needs: admins, each: true},
		{kind: MediaPurge, done: "purged", rules: (*Engine).purgeMedia, once: true, needs: media, part: "ban"},
		{kind: MediaUnban, done: "unbanned", rules: (*Engine).unbanMedia, needs: media, part: "ban"},
		{kind: SSHKeyDelete, done: "deleted", log: "ssh_key_delete", rules: (*Engine).deleteSSHKey, loss: "it stays deleted", whole: true}, // their own is everybody's
		{kind: MailDomainBlock, done: "blocked", back: MailDomainUnblock, log: "mail_domain_block", rules: (*Engine).mailDomain, needs: approvals, part: "block"},
		{kind: MailDomainUnblock, done: "unblocked", back: MailDomainBlock, log: "mail_domain_unblock", rules: (*Engine).mailDomain, needs: approvals, part: "block"},
		{kind: EmojiEnable, done: "enabled", back: EmojiDisable, rules: (*Engine).changeEmoji, needs: admins, part: "state"},
		{kind: EmojiDisable, done: "disabled", back: EmojiEnable, rules: (*Engine).changeEmoji, needs: admins, part: "state"},
		{kind: EmojiRemove, done: "removed", rules: (*Engine).changeEmoji, loss: "its picture is gone", needs: admins, whole: true},
		{kind: RelayFollow, done: "asked", back: RelayUnfollow, rules: (*Engine).relay, needs: admins, part: "relay"},
		{kind: RelayUnfollow, done: "left", back: RelayFollow, rules: (*Engine).relay, needs: admins, part: "relay"},
		{kind: HostLimit, done: "limited", back: HostUnlimit, log: "host_limit", rules: (*Engine).limitHost, needs: admins, part: "limits"},
		{kind: HostUnlimit, done: "unlimited", back: HostLimit, log: "host_unlimit", rules: (*Engine).limitHost, needs: admins, part: "limits"},
	}
}

// facts is the row of k, empty but for its kind when there is none.
func (k Kind) facts() facts {
	for _, table := range [][]facts{kinds, recorded} {
		for _, f := range table {
			if f.kind == k {
				return f
			}
		}
	}
	return facts{kind: k}
}

// Kinds lists every kind that the engine carries out, in the order people meet them.
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

// Short is a in a word or two, as it stands beside its object: "resolve", "note",
// "not sensitive".
func (a Action) Short() string {
	switch a.Kind {
	case StatusSensitive:
		if a.Args["sensitive"] == "false" {
			return "not sensitive"
		}
		return "sensitive"
	case StatusVisibility:
		return a.Args["visibility"]
	case ReportNote:
		return "note"
	}
	return a.Kind.Verb()
}

// Content is what a gives or takes where its verb and its object do not say so: tags, the
// account to follow. It is a stranger's text.
func (a Action) Content() string {
	switch a.Kind {
	case UserTag, UserUntag:
		return strings.ReplaceAll(a.Args["tags"], ",", ", ")
	case UserFollow, UserUnfollow:
		return a.Args["followed"]
	}
	return ""
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

// Needs are the privileges that moderators need for k, all of them; Admins is of
// what no privilege opens, and none of what everybody may do to their own.
func (k Kind) Needs() []api.Privilege { return k.facts().needs }

// Loss is what an undo of k does not bring back, "" where it brings back all.
func (k Kind) Loss() string { return k.facts().loss }

// Warning announces the loss before the change: "for good", "ends follows for good".
func (k Kind) Warning() string {
	f := k.facts()
	if f.loss == "" || f.warns != "" {
		return f.warns
	}
	return forGood
}

// Adds reports whether k adds something each time, so that sent twice there are two.
func (k Kind) Adds() bool { return k.facts().adds }

// Contradict reports whether only the later of two actions counts: they change the
// same property of an object, or one of them ends it.
func Contradict(a, b Action) bool {
	x, y := a.Kind.facts(), b.Kind.facts()
	switch {
	case a.Target != b.Target || x.adds || y.adds:
		return false
	case x.whole || y.whole:
		return true
	case x.part == "" || x.part != y.part:
		return a.Kind == b.Kind && (!x.each || maps.Equal(a.Args, b.Args))
	}
	return !x.each || maps.Equal(a.Args, b.Args)
}

// Step is k's name in playbooks, "" where it is no step, and the argument that it
// takes there, "" for none.
func (k Kind) Step() (name, arg string) {
	f := k.facts()
	return f.step, f.arg
}

// Phrase is a step of k in words, with {objects}, {names} and arguments in braces.
func (k Kind) Phrase() string {
	if phrase := k.facts().phrase; phrase != "" {
		return phrase
	}
	return k.Verb() + " {objects}"
}

// KindOfStep is the kind with this name in playbooks.
func KindOfStep(name string) (Kind, bool) {
	i := slices.IndexFunc(kinds, func(f facts) bool { return name != "" && f.step == name })
	if i < 0 {
		return "", false
	}
	return kinds[i].kind, true
}

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
	return noun == "config" || noun == "doc" || noun == "rule" || noun == "announcement" || slices.ContainsFunc(kinds, func(f facts) bool { return f.kind.Noun() == noun })
}

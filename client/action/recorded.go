package action

import "svc/client/api"

// Kinds of change that are made without the engine: something new, or something that
// is done rather than wished for. The journal names them.
const (
	UserCreate        Kind = "user.create"
	UserPasswordReset Kind = "user.password-reset"
	UserCredentials   Kind = "user.credentials.set"
	UserBackup        Kind = "user.backup"
	UserMove          Kind = "user.move"
	UserCancelMove    Kind = "user.cancel-move"
	ReportCreate      Kind = "report.create"
	InviteCreate      Kind = "invite.create"
	InviteEmail       Kind = "invite.email"
	AppCreate         Kind = "app.create"
	SSHKeyAdd         Kind = "ssh-key.add"
	DocumentPut       Kind = "doc.put"
	DocumentDelete    Kind = "doc.delete"
	RuleAdd           Kind = "rule.add"
	RuleEdit          Kind = "rule.edit"
	RuleRemove        Kind = "rule.remove"
	JobsRetry         Kind = "jobs.retry"
	FederationRetry   Kind = "federation.retry"
	FederationForget  Kind = "federation.forget"
	MediaPurgeCached  Kind = "media.purge-cached"
	EmojiReload       Kind = "emoji.reload"
	EmojiAdd          Kind = "emoji.add"
	EmojiRename       Kind = "emoji.rename"
	EmojiPackCreate   Kind = "emoji.pack.create"
	EmojiPackEdit     Kind = "emoji.pack.edit"
	EmojiPackImport   Kind = "emoji.pack.import"
	EmojiPackRemove   Kind = "emoji.pack.remove"
	ServerRestart     Kind = "server.restart"
	APICall           Kind = "api.call" // Args: method

	AnnouncementAdd    Kind = "announcement.add"
	AnnouncementEdit   Kind = "announcement.edit"
	AnnouncementRemove Kind = "announcement.remove"
)

// recorded says why nothing takes a change of these kinds back, where nothing does.
var recorded = []facts{
	{kind: UserCreate, done: "created", loss: "the account stays; svcctl user delete ends it", needs: []api.Privilege{Admins}},
	{kind: UserPasswordReset, done: "made", loss: "the link works until it is used", needs: []api.Privilege{Admins}},
	{kind: UserCredentials, loss: "what stood before is not kept", needs: []api.Privilege{Admins}},
	{kind: UserBackup, done: "asked for", loss: "the archive is on its way", needs: []api.Privilege{Admins}},
	{kind: UserMove, done: "moved", loss: "followers who went stay there", needs: []api.Privilege{Admins}},
	{kind: UserCancelMove, verb: "move --cancel", done: "taken back", loss: "followers who went stay there", needs: []api.Privilege{Admins}},
	{kind: ReportCreate, done: "filed", back: ReportClose, needs: []api.Privilege{api.PrivilegeReports}},
	{kind: InviteCreate, done: "made", back: InviteRevoke, needs: []api.Privilege{api.PrivilegeInvites}},
	{kind: InviteEmail, done: "mailed", loss: "the mail is out", needs: []api.Privilege{api.PrivilegeInvites}},
	{kind: AppCreate, done: "registered", back: AppDelete, needs: []api.Privilege{Admins}},
	{kind: SSHKeyAdd, done: "added", back: SSHKeyDelete},
	{kind: DocumentPut, done: "replaced", loss: "the text before is not kept", needs: []api.Privilege{Admins}},
	{kind: DocumentDelete, done: "deleted", loss: "the text before is not kept", needs: []api.Privilege{Admins}},
	{kind: AnnouncementAdd, done: "added", loss: "it was shown; svcctl announcement remove ends it", needs: []api.Privilege{Admins}},
	{kind: AnnouncementEdit, loss: "the text before is in the moderation log alone", needs: []api.Privilege{Admins}},
	{kind: AnnouncementRemove, done: "removed", loss: "its reactions do not come back", needs: []api.Privilege{Admins}},
	{kind: RuleAdd, done: "added", loss: "the rule stays; svcctl rule remove ends it", needs: []api.Privilege{Admins}},
	{kind: RuleEdit, loss: "the text before is in the moderation log alone", needs: []api.Privilege{Admins}},
	{kind: RuleRemove, done: "removed", loss: "its number does not come back", needs: []api.Privilege{Admins}},
	{kind: JobsRetry, done: "done again", loss: "it was done again", needs: []api.Privilege{Admins}},
	{kind: FederationRetry, done: "tried again", loss: "what waited was sent", needs: []api.Privilege{Admins}},
	{kind: FederationForget, done: "forgotten", loss: "what was dropped stays dropped", needs: []api.Privilege{Admins}},
	{kind: MediaPurgeCached, verb: "purge --host", done: "purged", loss: "they are fetched again when somebody looks", needs: []api.Privilege{api.PrivilegeMedia}},
	{kind: EmojiReload, done: "reloaded", loss: "they were read again", needs: []api.Privilege{Admins}},
	{kind: EmojiAdd, done: "added", back: EmojiRemove, needs: []api.Privilege{Admins}},
	{kind: EmojiRename, done: "renamed", loss: "posts have the shortcode that it had", needs: []api.Privilege{Admins}},
	{kind: EmojiPackCreate, done: "created", loss: "the pack stays; svcctl emoji pack remove ends it", needs: []api.Privilege{Admins}},
	{kind: EmojiPackEdit, loss: "what it said before is not kept", needs: []api.Privilege{Admins}},
	{kind: EmojiPackImport, done: "imported", loss: "the pack stays; svcctl emoji pack remove ends it", needs: []api.Privilege{Admins}},
	{kind: EmojiPackRemove, done: "removed", loss: "its pictures are gone", needs: []api.Privilege{Admins}},
	{kind: ServerRestart, done: "restarted", loss: "it was restarted", needs: []api.Privilege{Admins}},
	{kind: ConfigSet, loss: "a secret is part of it, which no file keeps", needs: []api.Privilege{Admins}},
	{kind: ConfigUnset, loss: "a secret is part of it, which no file keeps", needs: []api.Privilege{Admins}},
	{kind: APICall, done: "sent", loss: "only the server knows what the request changed"},
}

// Back is an action that takes back one of kind k on target, nil where k has no kind
// for that.
func (k Kind) Back(target string, args map[string]string) *Action {
	back := k.facts().back
	if back == "" {
		return nil
	}
	return &Action{Kind: back, Target: target, Args: args}
}

// Final says why nothing takes a change of kind k back, for one of which no inverse is
// known.
func (k Kind) Final() string {
	if loss := k.Loss(); loss != "" {
		return loss
	}
	return "it stays " + k.Done()
}

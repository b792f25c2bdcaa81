package db

import (
	"context"
	"slices"
	"sync"
)

// A Reference is a column that names a row of another table. svcd check asks what it leads
// to, and the erasure of an account what becomes of its rows.
type Reference struct {
	Table, Column string

	To   []string // the row must be in one of these tables
	Free string   // in place of To: why the row may be gone
	Kept string   // why rows stay when the account that they name is erased

	key    string                                             // of Table, its columns in the order of its index
	on     Dialect                                            // the only database that has it
	when   string                                             // the condition of having a reference, "" for always
	set    string                                             // the assignment that repairs a row that leads nowhere, "" to delete the row
	repair func(ctx context.Context, tx *DB, key []any) error // in place of set

	erased bool                                                                         // it names an account, though To does not say so
	prefix string                                                                       // before the account's id in Column
	by     func(ctx context.Context, d *DB, accountID string, limit int) (int64, error) // removes the rows, in place of one DELETE
}

// The reasons for columns that may refer to deleted rows.
const (
	freeRecord  = "moderators need the record"
	freeOthers  = "it is part of what others wrote, who may be gone"
	freeTold    = "other servers are still told"
	freeSwept   = "it is swept"
	freeOutside = "it comes from elsewhere, or names no row"
	freeBefore  = "what is replied to may be deleted"
	freeKey     = "a foreign key holds it, or what that leads to"
	freeDerived = "it follows from other rows in the same statement"
	freeHome    = "it is checked with home timelines"
)

// The reasons for rows that stay when an account is erased.
const (
	keptOthers = "it is part of what others wrote"
	keptRecord = "moderators need the record"
	keptTold   = "others must not store it again"
)

// lastDirect is the newest direct status of a participation.
const lastDirect = `last_status_id = COALESCE((SELECT l.id FROM statuses l WHERE l.conversation_id = participations.conversation_id AND l.visibility = 'direct'
	AND (l.account_id = participations.account_id
		OR EXISTS (SELECT 1 FROM status_recipients r WHERE r.status_id = l.id AND r.account_id = participations.account_id))
	ORDER BY l.id DESC LIMIT 1), '')`

// lastMessage is the newest entry of a chat.
const lastMessage = "last_message_id = COALESCE((SELECT MAX(e.message_id) FROM chat_entries e WHERE e.chat_id = chats.id), '')"

// related lists every table with its columns that refer to others. What others refer to
// stands first, so that one pass of svcd check finds what its repairs leave behind. Account
// erasure goes in this order too: messages are found through the chats that hold them.
var related = sync.OnceValue(func() []Reference {
	var out []Reference
	for _, t := range relatedTables() {
		for _, r := range t.columns {
			r.Table, r.key = t.name, t.key
			out = append(out, r)
		}
	}
	return out
})

type relatedTable struct {
	name, key, free string // free: why no row of it is checked
	columns         []Reference
}

func relatedTables() []relatedTable {
	accounts, statuses, messages, conversations := []string{"accounts"}, []string{"statuses"}, []string{"chat_messages"}, []string{"conversations"}
	lists, apps, polls, reports, announcements := []string{"lists"}, []string{"apps"}, []string{"polls"}, []string{"reports"}, []string{"announcements"}
	return []relatedTable{
		{name: "statuses", key: "id", columns: []Reference{
			{Column: "account_id", To: accounts, repair: removeOrphan, Kept: "the author's own are deleted one by one"},
			{Column: "conversation_id", To: conversations, set: "conversation_id = NULL"},
			{Column: "reblog_of_id", To: statuses},
			{Column: "poll_id", To: polls, set: "poll_id = NULL"},
			{Column: "card_id", To: []string{"cards"}, set: "card_id = NULL"},
			{Column: "in_reply_to_id", Free: freeBefore},
			{Column: "in_reply_to_account_id", Free: freeBefore, Kept: keptOthers},
			{Column: "reblog_of_account_id", Free: freeDerived, Kept: "reblogs go with what they reblog"},
			{Column: "list_id", Free: freeBefore},
		}},
		{name: "status_recipients", key: "status_id, account_id", columns: []Reference{
			{Column: "status_id", To: statuses},
			{Column: "account_id", Free: freeOthers, Kept: keptOthers},
		}},
		{name: "status_tags", key: "tag, status_id", columns: []Reference{{Column: "status_id", To: statuses}}},
		{name: "status_docs", key: "doc", columns: []Reference{{Column: "status_id", To: statuses, on: SQLite, repair: removeDoc}}},
		{name: "status_search", key: "status_id", columns: []Reference{{Column: "status_id", To: statuses, on: Postgres}}},
		{name: "status_edits", key: "id", columns: []Reference{
			{Column: "status_id", To: statuses},
			{Column: "poll_id", Free: freeRecord},
		}},
		{name: "status_fetches", key: "status_id", columns: []Reference{{Column: "status_id", To: statuses}}},
		{name: "fetchers", key: "status_id, inbox", columns: []Reference{{Column: "status_id", To: statuses}}},
		{name: "quotes", key: "id", columns: []Reference{
			{Column: "status_id", To: statuses},
			{Column: "account_id", To: accounts},
		}},
		{name: "media_attachments", key: "id", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "status_id", To: []string{"statuses", "chat_messages"}},
			{Column: "scheduled_status_id", To: []string{"scheduled_statuses"}, set: "scheduled_status_id = NULL"},
		}},
		{name: "favourites", key: "account_id, status_id", columns: []Reference{
			{Column: "account_id", To: accounts, by: eraseFavourites},
			{Column: "status_id", To: statuses},
		}},
		{name: "bookmarks", key: "id", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "status_id", To: statuses},
		}},
		{name: "emoji_reactions", key: "id", columns: []Reference{
			{Column: "account_id", To: accounts, by: eraseReactions},
			{Column: "status_id", To: statuses},
		}},
		{name: "announcement_reads", key: "announcement_id, account_id", columns: []Reference{
			{Column: "announcement_id", To: announcements},
			{Column: "account_id", To: accounts},
		}},
		{name: "announcement_reactions", key: "announcement_id, account_id, name", columns: []Reference{
			{Column: "announcement_id", To: announcements},
			{Column: "account_id", To: accounts, by: eraseAnnouncementReactions},
		}},
		{name: "polls", key: "id", columns: []Reference{{Column: "status_id", To: statuses}}},
		{name: "poll_votes", key: "poll_id, account_id, choice", columns: []Reference{
			{Column: "poll_id", To: polls},
			{Column: "account_id", To: accounts}, // polls keep their results
		}},
		{name: "follows", key: "follower_id, target_id", columns: []Reference{
			{Column: "follower_id", To: accounts, by: eraseFollows},
			{Column: "target_id", To: accounts, by: eraseFollowers},
		}},
		{name: "blocks", key: "account_id, target_id", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "target_id", To: accounts},
		}},
		{name: "mutes", key: "account_id, target_id", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "target_id", To: accounts},
		}},
		{name: "subscriptions", key: "account_id, target_id", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "target_id", To: accounts},
		}},
		{name: "account_notes", key: "account_id, target_id", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "target_id", To: accounts},
		}},
		{name: "domain_blocks", key: "account_id, domain", columns: []Reference{{Column: "account_id", To: accounts}}},
		{name: "thread_mutes", key: "account_id, conversation_id", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "conversation_id", To: conversations},
		}},
		{name: "notifications", key: "id", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "from_id", To: accounts},
			{Column: "status_id", To: statuses, when: "t.status_id <> ''"},
			{Column: "report_id", To: reports, when: "t.report_id <> ''"},
			{Column: "message_id", To: messages, when: "t.message_id <> ''"},
			{Column: "target_id", Free: freeTold, Kept: "who moved here goes on being told of"},
		}},
		{name: "report_statuses", key: "report_id, status_id", columns: []Reference{
			{Column: "report_id", To: reports},
			{Column: "status_id", Free: freeRecord},
			{Column: "deleted_by", Free: freeRecord, Kept: keptRecord},
		}},
		{name: "report_files", key: "report_id, status_id, file", columns: []Reference{
			{Column: "report_id", To: reports},
			{Column: "status_id", Free: freeRecord},
		}},
		{name: "report_accounts", key: "report_id", columns: []Reference{{Column: "report_id", To: reports}}},
		{name: "report_notes", key: "id", columns: []Reference{
			{Column: "report_id", To: reports},
			{Column: "account_id", Free: freeRecord, Kept: keptRecord},
		}},
		{name: "log_accounts", key: "account_id, entry_id", columns: []Reference{
			{Column: "entry_id", To: []string{"moderation_log"}},
			{Column: "account_id", Free: freeRecord, Kept: keptRecord},
		}},
		{name: "account_names", key: "account_id, until", columns: []Reference{{Column: "account_id", To: accounts}}},
		{name: "lists", key: "id", columns: []Reference{{Column: "account_id", To: accounts, by: eraseLists}}},
		{name: "list_accounts", key: "list_id, account_id", columns: []Reference{
			{Column: "list_id", To: lists},
			{Column: "account_id", To: accounts},
			{Column: "owner_id", Free: freeDerived, Kept: "they go with the list"},
		}},
		{name: "followed_tags", key: "id", columns: []Reference{{Column: "account_id", To: accounts}}},
		{name: "filters", key: "account_id, number", columns: []Reference{{Column: "account_id", To: accounts}}},
		{name: "filter_keywords", key: "account_id, number", columns: []Reference{{Column: "account_id", To: accounts}}},
		{name: "filter_statuses", key: "account_id, number", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "status_id", To: statuses},
		}},
		{name: "filter_numbers", key: "account_id", columns: []Reference{{Column: "account_id", To: accounts}}},
		{name: "participations", key: "id", columns: []Reference{
			{Column: "account_id", To: accounts, by: eraseParticipations},
			{Column: "conversation_id", To: conversations},
			{Column: "last_status_id", To: statuses, when: "t.last_status_id <> ''", set: lastDirect},
		}},
		{name: "participation_accounts", key: "participation_id, account_id", columns: []Reference{
			{Column: "participation_id", To: []string{"participations"}},
			{Column: "account_id", Free: freeOthers, Kept: keptOthers},
		}},
		{name: "chat_messages", key: "id", columns: []Reference{
			{Column: "account_id", To: accounts, by: eraseChats},
			{Column: "recipient_id", Free: freeOthers, by: eraseOthersChats},
		}},
		{name: "chats", key: "id", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "last_message_id", To: messages, when: "t.last_message_id <> ''", set: lastMessage},
			{Column: "recipient_id", Free: freeOthers, Kept: "it holds what the other wrote"},
		}},
		{name: "chat_entries", key: "chat_id, message_id", columns: []Reference{
			{Column: "chat_id", To: []string{"chats"}},
			{Column: "message_id", To: messages},
		}},
		{name: "scheduled_statuses", key: "id", columns: []Reference{{Column: "account_id", To: accounts}}},
		{name: "markers", key: "account_id, timeline", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "last_read_id", Free: freeBefore},
		}},
		{name: "scrobbles", key: "id", columns: []Reference{{Column: "account_id", To: accounts}}},
		{name: "backups", key: "id", columns: []Reference{{Column: "account_id", To: accounts}}},
		{name: "users", key: "account_id", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "invite_id", Free: freeRecord},
		}},
		{name: "keys", key: "account_id", columns: []Reference{{Column: "account_id", To: accounts, Kept: "other servers are told with it"}}},
		{name: "mail_tokens", key: "token_hash", columns: []Reference{{Column: "account_id", To: accounts}}},
		{name: "ssh_keys", key: "id", columns: []Reference{{Column: "account_id", To: accounts}}},
		{name: "mfa_tokens", key: "token_hash", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "app_id", To: apps},
		}},
		{name: "sessions", key: "id_hash", columns: []Reference{{Column: "account_id", To: accounts}}},
		{name: "authorisations", key: "code_hash", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "app_id", To: apps},
		}},
		{name: "tokens", key: "id", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "app_id", To: apps},
			{Column: "ssh_key_id", To: []string{"ssh_keys"}},
		}},
		{name: "account_tags", key: "tag, account_id", columns: []Reference{{Column: "account_id", To: accounts, by: eraseTags}}},
		{name: "account_words", key: "word, account_id", columns: []Reference{{Column: "account_id", To: accounts, Kept: "they follow the account's names"}}},
		{name: "account_misspellings", key: "hash, account_id", columns: []Reference{{Column: "account_id", To: accounts, Kept: "they follow the account's names"}}},
		{name: "deletions", key: "account_id", columns: []Reference{{Column: "account_id", To: accounts, Kept: "it says that the account is deleted"}}},
		{name: "moves", key: "account_id", columns: []Reference{
			{Column: "account_id", To: accounts},
			{Column: "target_id", Free: freeTold, Kept: "they hold back who moved here"},
		}},
		{name: "relays", key: "id", columns: []Reference{{Column: "account_id", To: accounts, when: "t.account_id <> ''", by: eraseRelays}}},
		{name: "deliveries", key: "id", columns: []Reference{{Column: "activity_id", To: []string{"activities"}}}},
		{name: "events", free: freeSwept, columns: []Reference{{Column: "account_id", Free: freeSwept, Kept: "it is swept within minutes"}}},
		{name: "home_entries", key: "account_id, status_id", free: freeHome, columns: []Reference{
			{Column: "account_id", Free: freeHome, erased: true},
			{Column: "status_id", Free: freeSwept},
			{Column: "author_id", Free: freeHome, Kept: "what they lead to is gone, and they are swept"},
			{Column: "account_id", prefix: directPrefix, erased: true},
		}},
		{name: "push_subscriptions", key: "id", free: freeKey, columns: []Reference{
			{Column: "token_id", Free: freeKey},
			{Column: "account_id", Free: freeKey, erased: true},
		}},
		{name: "activities", free: freeTold, columns: []Reference{
			{Column: "account_id", Free: freeTold, Kept: "others are still to be told, of its deletion at least"},
			{Column: "claimed_by", Kept: "it is a process"},
		}},
		{name: "reached", free: freeTold, columns: []Reference{{Column: "account_id", Free: freeTold, Kept: "they are told of what was deleted; a job removes it later"}}},
		{name: "inbox_items", free: freeOutside, columns: []Reference{
			{Column: "signer_id", Free: freeOutside},
			{Column: "owner_id", Free: freeOutside, Kept: "they are worked off"},
			{Column: "claimed_by", Kept: "it is a process"},
		}},
		{name: "tombstones", free: freeTold, columns: []Reference{{Column: "account_id", Free: freeTold, Kept: keptTold}}},
		{name: "kept_tags", free: freeRecord, columns: []Reference{{Column: "account_id", Free: freeRecord, Kept: "the account gets them when it comes back"}}},
		{name: "reports", free: freeRecord, columns: []Reference{
			{Column: "account_id", Free: freeRecord, Kept: keptRecord},
			{Column: "reporter_id", Free: freeRecord, Kept: keptRecord},
			{Column: "decided_by", Free: freeRecord, Kept: keptRecord},
		}},
		{name: "moderation_log", free: freeRecord, columns: []Reference{{Column: "actor_id", Free: freeRecord, Kept: keptRecord}}},
		{name: "setting_changes", free: freeRecord, columns: []Reference{{Column: "actor_id", Free: freeRecord, Kept: keptRecord}}},
		{name: "meta", free: freeOutside},
		{name: "instances", free: freeOutside},
		{name: "conversations", free: freeOutside},
		{name: "settings", free: freeOutside},
		{name: "idempotency_keys", free: freeSwept, columns: []Reference{{Column: "request_id", Free: freeOutside}}},
		{name: "loose_files", free: freeSwept},
		{name: "stored_files", free: freeSwept},
		{name: "cards", free: freeSwept},
		{name: "card_failures", free: freeSwept},
		{name: "activity_weeks", free: freeOutside},
		{name: "invites", free: freeOutside},
		{name: "captchas", free: freeSwept},
		{name: "status_tallies", free: freeDerived},
		{name: "status_tally_changes", free: freeDerived},
		{name: "account_tallies", free: freeDerived},
		{name: "account_tally_changes", free: freeDerived},
		{name: "account_facet_changes", free: freeDerived},
		{name: "app_tallies", free: freeDerived},
		{name: "report_tallies", free: freeDerived},
		{name: "report_counts", free: freeDerived},
		{name: "apps", free: freeOutside, columns: []Reference{{Column: "client_id", Free: freeOutside}}},
		{name: "media_bans", free: freeOutside},
		{name: "rules", free: freeOutside},
		{name: "announcements", free: freeOutside},
		{name: "asked_parts", free: freeDerived},
		{name: "account_facets", free: freeDerived},
		{name: "account_facet_tallies", free: freeDerived},
		{name: "account_facets_due", free: freeDerived},
		{name: "log_grams", free: freeDerived},
		{name: "processes", free: freeSwept},
		{name: "undone", free: freeSwept},
		{name: "gone_keys", free: freeSwept, columns: []Reference{{Column: "key_id", Free: freeOutside}}},
		{name: "delivery_hosts", free: freeDerived},
		{name: "gone_inboxes", free: freeSwept},
		{name: "paced_updates", free: freeSwept},
		{name: "seen_activities", free: freeSwept},
		{name: "mail_counts", free: freeSwept},
		{name: "event_head", free: freeDerived},
		{name: "accounts", free: freeOutside, columns: []Reference{{Column: "key_id", Free: freeOutside}}},
		{name: "gram_places", free: freeDerived},
		{name: "pushes_sent", free: freeSwept, columns: []Reference{
			{Column: "subscription_id", Free: freeKey},
			{Column: "notification_id", Free: freeSwept},
		}},
		{name: "wanted_counts", free: freeDerived},
		{name: "tasks", free: freeSwept},
	}
}

// References lists the columns that must name an existing row. A job deletes the many rows
// of a deleted status.
func (d *DB) References() (out []Reference) {
	for _, r := range related() {
		if r.To != nil && (r.on == "" || r.on == d.pool.dialect) {
			out = append(out, r)
		}
	}
	return out
}

// Unreferenced lists the tables without references, and the columns that may lead nowhere,
// as table.column, with the reason.
func Unreferenced() map[string]string {
	out := map[string]string{}
	for _, t := range relatedTables() {
		if t.free != "" {
			out[t.name] = t.free
		}
		for _, r := range t.columns {
			if r.Free != "" {
				out[t.name+"."+r.Column] = r.Free
			}
		}
	}
	return out
}

// Erasures lists every column that names an account, in the order in which an erasure goes
// through them. Statuses are not removed by them, since they change counters.
func Erasures() (out []Reference) {
	for _, r := range related() {
		if r.erased || r.Kept != "" || r.by != nil || slices.Contains(r.To, "accounts") {
			out = append(out, r)
		}
	}
	return out
}

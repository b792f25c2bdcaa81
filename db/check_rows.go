package db

import (
	"context"
	"slices"
	"strings"
)

// A Reference is a column that names a row of another table.
type Reference struct {
	Table, Column string
	To            []string // the row may be in any of these tables
	// Set is the assignment that repairs a row with a missing reference, "" to
	// delete the row.
	Set string

	key    string // of Table, with a comma between columns
	on     Dialect
	when   string // the condition of having a reference, "" for always
	repair func(ctx context.Context, tx *DB, key []any) error
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
)

// Unreferenced lists the tables without references, and the columns that look
// like one, with the reason.
var Unreferenced = map[string]string{
	"meta": freeOutside, "instances": freeOutside, "conversations": freeOutside, "settings": freeOutside, "setting_changes": freeRecord, "setting_changes.actor_id": freeRecord,
	"idempotency_keys": freeSwept, "loose_files": freeSwept, "stored_files": freeSwept, "cards": freeSwept, "card_failures": freeSwept,
	"activity_weeks": freeOutside, "invites": freeOutside, "captchas": freeSwept, "status_tallies": freeDerived, "status_tally_changes": freeDerived,
	"account_tallies": freeDerived, "account_tally_changes": freeDerived, "account_facet_changes": freeDerived, "app_tallies": freeDerived, "report_tallies": freeDerived, "report_counts": freeDerived, "apps": freeOutside, "media_bans": freeOutside, "rules": freeOutside, "announcements": freeOutside,
	"asked_parts": freeDerived, "account_facets": freeDerived, "account_facet_tallies": freeDerived, "account_facets_due": freeDerived,
	"log_grams": freeDerived, "processes": freeSwept, "undone": freeSwept, "gone_keys": freeSwept, "delivery_hosts": freeDerived,
	"kept_tags": freeRecord, "kept_tags.account_id": freeRecord, "gone_inboxes": freeSwept, "paced_updates": freeSwept, "seen_activities": freeSwept, "mail_counts": freeSwept, "event_head": freeDerived,
	"accounts": freeOutside, "tombstones": freeTold, "reports": freeRecord, "moderation_log": freeRecord, "activities": freeTold,
	"reached": freeTold, "inbox_items": freeOutside, "events": freeSwept, "gram_places": freeDerived, "markers.last_read_id": freeBefore,

	"accounts.key_id": freeOutside, "users.invite_id": freeRecord, "tombstones.account_id": freeTold, "reports.account_id": freeRecord, "reports.reporter_id": freeRecord, "reports.decided_by": freeRecord, "log_accounts.account_id": freeRecord,
	"moderation_log.actor_id": freeRecord, "activities.account_id": freeTold, "reached.account_id": freeTold, "apps.client_id": freeOutside,
	"inbox_items.signer_id": freeOutside, "inbox_items.owner_id": freeOutside, "events.account_id": freeSwept, "idempotency_keys.request_id": freeOutside,
	"gone_keys.key_id": freeOutside,

	"statuses.in_reply_to_id": freeBefore, "statuses.in_reply_to_account_id": freeBefore, "statuses.reblog_of_account_id": freeDerived,
	"status_edits.poll_id": freeRecord, "statuses.list_id": freeBefore, "status_recipients.account_id": freeOthers, "home_entries.account_id": "it is checked with home timelines",
	"home_entries.status_id": freeSwept, "home_entries.author_id": "it is checked with home timelines", "notifications.target_id": freeTold,
	"report_statuses.status_id": freeRecord, "report_statuses.deleted_by": freeRecord, "report_files.status_id": freeRecord, "report_notes.account_id": freeRecord, "list_accounts.owner_id": freeDerived,
	"participation_accounts.account_id": freeOthers, "chats.recipient_id": freeOthers, "chat_messages.recipient_id": freeOthers, "moves.target_id": freeTold,
	"push_subscriptions": freeKey, "push_subscriptions.token_id": freeKey, "push_subscriptions.account_id": freeKey,
	"pushes_sent": freeSwept, "pushes_sent.subscription_id": freeKey, "pushes_sent.notification_id": freeSwept, "wanted_counts": freeDerived, "tasks": freeSwept, "home_entries": "it is checked with home timelines",
}

// lastDirect is the newest direct status of a participation.
const lastDirect = `last_status_id = COALESCE((SELECT l.id FROM statuses l WHERE l.conversation_id = participations.conversation_id AND l.visibility = 'direct'
	AND (l.account_id = participations.account_id
		OR EXISTS (SELECT 1 FROM status_recipients r WHERE r.status_id = l.id AND r.account_id = participations.account_id))
	ORDER BY l.id DESC LIMIT 1), '')`

// lastMessage is the newest entry of a chat.
const lastMessage = "last_message_id = COALESCE((SELECT MAX(e.message_id) FROM chat_entries e WHERE e.chat_id = chats.id), '')"

// References lists the columns that refer to rows of other tables. A job deletes
// the many rows of a deleted status.
func (d *DB) References() []Reference {
	accounts, statuses, messages, conversations := []string{"accounts"}, []string{"statuses"}, []string{"chat_messages"}, []string{"conversations"}
	lists, apps, polls, reports, announcements := []string{"lists"}, []string{"apps"}, []string{"polls"}, []string{"reports"}, []string{"announcements"}
	return slices.DeleteFunc([]Reference{
		{Table: "statuses", key: "id", Column: "account_id", To: accounts, repair: removeOrphan},
		{Table: "statuses", key: "id", Column: "conversation_id", To: conversations, Set: "conversation_id = NULL"},
		{Table: "statuses", key: "id", Column: "reblog_of_id", To: statuses},
		{Table: "statuses", key: "id", Column: "poll_id", To: polls, Set: "poll_id = NULL"},
		{Table: "statuses", key: "id", Column: "card_id", To: []string{"cards"}, Set: "card_id = NULL"},
		{Table: "status_recipients", key: "status_id,account_id", Column: "status_id", To: statuses},
		{Table: "status_tags", key: "tag,status_id", Column: "status_id", To: statuses},
		{Table: "status_docs", key: "doc", Column: "status_id", To: statuses, on: SQLite, repair: removeDoc},
		{Table: "status_search", key: "status_id", Column: "status_id", To: statuses, on: Postgres},
		{Table: "status_edits", key: "id", Column: "status_id", To: statuses},
		{Table: "status_fetches", key: "status_id", Column: "status_id", To: statuses},
		{Table: "fetchers", key: "status_id,inbox", Column: "status_id", To: statuses},
		{Table: "quotes", key: "id", Column: "status_id", To: statuses},
		{Table: "quotes", key: "id", Column: "account_id", To: accounts},
		{Table: "media_attachments", key: "id", Column: "account_id", To: accounts},
		{Table: "media_attachments", key: "id", Column: "status_id", To: []string{"statuses", "chat_messages"}},
		{Table: "media_attachments", key: "id", Column: "scheduled_status_id", To: []string{"scheduled_statuses"}, Set: "scheduled_status_id = NULL"},
		{Table: "favourites", key: "account_id,status_id", Column: "account_id", To: accounts},
		{Table: "favourites", key: "account_id,status_id", Column: "status_id", To: statuses},
		{Table: "bookmarks", key: "id", Column: "account_id", To: accounts},
		{Table: "bookmarks", key: "id", Column: "status_id", To: statuses},
		{Table: "emoji_reactions", key: "id", Column: "account_id", To: accounts},
		{Table: "emoji_reactions", key: "id", Column: "status_id", To: statuses},
		{Table: "announcement_reads", key: "announcement_id,account_id", Column: "announcement_id", To: announcements},
		{Table: "announcement_reads", key: "announcement_id,account_id", Column: "account_id", To: accounts},
		{Table: "announcement_reactions", key: "announcement_id,account_id,name", Column: "announcement_id", To: announcements},
		{Table: "announcement_reactions", key: "announcement_id,account_id,name", Column: "account_id", To: accounts},
		{Table: "polls", key: "id", Column: "status_id", To: statuses},
		{Table: "poll_votes", key: "poll_id,account_id,choice", Column: "poll_id", To: polls},
		{Table: "poll_votes", key: "poll_id,account_id,choice", Column: "account_id", To: accounts},
		{Table: "follows", key: "follower_id,target_id", Column: "follower_id", To: accounts},
		{Table: "follows", key: "follower_id,target_id", Column: "target_id", To: accounts},
		{Table: "blocks", key: "account_id,target_id", Column: "account_id", To: accounts},
		{Table: "blocks", key: "account_id,target_id", Column: "target_id", To: accounts},
		{Table: "mutes", key: "account_id,target_id", Column: "account_id", To: accounts},
		{Table: "mutes", key: "account_id,target_id", Column: "target_id", To: accounts},
		{Table: "subscriptions", key: "account_id,target_id", Column: "account_id", To: accounts},
		{Table: "subscriptions", key: "account_id,target_id", Column: "target_id", To: accounts},
		{Table: "account_notes", key: "account_id,target_id", Column: "account_id", To: accounts},
		{Table: "account_notes", key: "account_id,target_id", Column: "target_id", To: accounts},
		{Table: "domain_blocks", key: "account_id,domain", Column: "account_id", To: accounts},
		{Table: "thread_mutes", key: "account_id,conversation_id", Column: "account_id", To: accounts},
		{Table: "thread_mutes", key: "account_id,conversation_id", Column: "conversation_id", To: conversations},
		{Table: "notifications", key: "id", Column: "account_id", To: accounts},
		{Table: "notifications", key: "id", Column: "from_id", To: accounts},
		{Table: "notifications", key: "id", Column: "status_id", To: statuses, when: "t.status_id <> ''"},
		{Table: "notifications", key: "id", Column: "report_id", To: reports, when: "t.report_id <> ''"},
		{Table: "notifications", key: "id", Column: "message_id", To: messages, when: "t.message_id <> ''"},
		{Table: "report_statuses", key: "report_id,status_id", Column: "report_id", To: reports},
		{Table: "report_files", key: "report_id,status_id,file", Column: "report_id", To: reports},
		{Table: "report_accounts", key: "report_id", Column: "report_id", To: reports},
		{Table: "report_notes", key: "id", Column: "report_id", To: reports},
		{Table: "log_accounts", key: "account_id,entry_id", Column: "entry_id", To: []string{"moderation_log"}},
		{Table: "account_names", key: "account_id,until", Column: "account_id", To: accounts},
		{Table: "lists", key: "id", Column: "account_id", To: accounts},
		{Table: "list_accounts", key: "list_id,account_id", Column: "list_id", To: lists},
		{Table: "list_accounts", key: "list_id,account_id", Column: "account_id", To: accounts},
		{Table: "followed_tags", key: "id", Column: "account_id", To: accounts},
		{Table: "filters", key: "account_id,number", Column: "account_id", To: accounts},
		{Table: "filter_keywords", key: "account_id,number", Column: "account_id", To: accounts},
		{Table: "filter_statuses", key: "account_id,number", Column: "account_id", To: accounts},
		{Table: "filter_statuses", key: "account_id,number", Column: "status_id", To: statuses},
		{Table: "filter_numbers", key: "account_id", Column: "account_id", To: accounts},
		{Table: "participations", key: "id", Column: "account_id", To: accounts},
		{Table: "participations", key: "id", Column: "conversation_id", To: conversations},
		{Table: "participations", key: "id", Column: "last_status_id", To: statuses, when: "t.last_status_id <> ''", Set: lastDirect},
		{Table: "participation_accounts", key: "participation_id,account_id", Column: "participation_id", To: []string{"participations"}},
		{Table: "chats", key: "id", Column: "account_id", To: accounts},
		{Table: "chats", key: "id", Column: "last_message_id", To: messages, when: "t.last_message_id <> ''", Set: lastMessage},
		{Table: "chat_messages", key: "id", Column: "account_id", To: accounts},
		{Table: "chat_entries", key: "chat_id,message_id", Column: "chat_id", To: []string{"chats"}},
		{Table: "chat_entries", key: "chat_id,message_id", Column: "message_id", To: messages},
		{Table: "scheduled_statuses", key: "id", Column: "account_id", To: accounts},
		{Table: "markers", key: "account_id,timeline", Column: "account_id", To: accounts},
		{Table: "scrobbles", key: "id", Column: "account_id", To: accounts},
		{Table: "backups", key: "id", Column: "account_id", To: accounts},
		{Table: "users", key: "account_id", Column: "account_id", To: accounts},
		{Table: "keys", key: "account_id", Column: "account_id", To: accounts},
		{Table: "mail_tokens", key: "token_hash", Column: "account_id", To: accounts},
		{Table: "mfa_tokens", key: "token_hash", Column: "account_id", To: accounts},
		{Table: "mfa_tokens", key: "token_hash", Column: "app_id", To: apps},
		{Table: "sessions", key: "id_hash", Column: "account_id", To: accounts},
		{Table: "authorisations", key: "code_hash", Column: "account_id", To: accounts},
		{Table: "authorisations", key: "code_hash", Column: "app_id", To: apps},
		{Table: "tokens", key: "id", Column: "account_id", To: accounts},
		{Table: "tokens", key: "id", Column: "app_id", To: apps},
		{Table: "tokens", key: "id", Column: "ssh_key_id", To: []string{"ssh_keys"}},
		{Table: "ssh_keys", key: "id", Column: "account_id", To: accounts},
		{Table: "account_tags", key: "tag,account_id", Column: "account_id", To: accounts},
		{Table: "account_words", key: "word,account_id", Column: "account_id", To: accounts},
		{Table: "account_misspellings", key: "hash,account_id", Column: "account_id", To: accounts},
		{Table: "deletions", key: "account_id", Column: "account_id", To: accounts},
		{Table: "moves", key: "account_id", Column: "account_id", To: accounts},
		{Table: "relays", key: "id", Column: "account_id", To: accounts, when: "t.account_id <> ''"},
		{Table: "deliveries", key: "id", Column: "activity_id", To: []string{"activities"}},
	}, func(r Reference) bool { return r.on != "" && r.on != d.pool.dialect })
}

// checkedRows returns the checks of all references, with one pass over each
// table.
func (d *DB) checkedRows() []checked {
	var out []checked
	for _, r := range d.References() {
		if len(out) == 0 || out[len(out)-1].table != r.Table {
			out = append(out, checked{area: CheckRows, table: r.Table, key: strings.Split(r.key, ",")})
		}
		wrong := "t." + r.Column + " IS NOT NULL"
		if r.when != "" {
			wrong = r.when
		}
		for _, to := range r.To {
			wrong += " AND NOT EXISTS (SELECT 1 FROM " + to + " o WHERE o.id = t." + r.Column + ")"
		}
		f := fault{column: r.Column, wrong: wrong, says: "names none of " + strings.Join(r.To, " or "), mend: "DELETE FROM " + r.Table, repair: r.repair}
		if r.Set != "" {
			f.mend = "UPDATE " + r.Table + " SET " + r.Set
		}
		for _, rest := range restOf {
			if rest.table != r.Table || rest.column != r.Column {
				continue
			}
			of := "status_id"
			if r.Column == "poll_id" {
				of = r.Column
			}
			f.excused = underWay("delete_rest", "j.args ->> '"+of+"' = CAST(t."+r.Column+" AS TEXT)")
		}
		if r.Column == "app_id" {
			f.excused = underWay("forget_app", "CAST(j.args ->> 'app_id' AS BIGINT) = t.app_id")
		}
		c := &out[len(out)-1]
		c.faults = append(c.faults, f)
	}
	return out
}

// removeOrphan deletes a status without an author, with its dependent rows.
func removeOrphan(ctx context.Context, tx *DB, key []any) error {
	s, err := one[Status](ctx, tx, "status without an author", "SELECT * FROM statuses WHERE id = ?", key...)
	if err != nil {
		return err
	}
	_, err = tx.DeleteStatus(ctx, s, checkChunk)
	return err
}

// removeDoc removes the indexed words of a deleted status.
func removeDoc(ctx context.Context, tx *DB, key []any) error {
	if _, err := tx.exec(ctx, "forget words", "DELETE FROM status_search WHERE rowid = ?", key...); err != nil {
		return err
	}
	_, err := tx.exec(ctx, "forget document", "DELETE FROM status_docs WHERE doc = ?", key...)
	return err
}

package db

import (
	"context"
	"slices"
	"strings"
)

// checkedParts compares rows with those of other tables that belong to them: hashtags,
// files, conversations, keys and users. Deleted accounts must have no rows.
func (d *DB) checkedParts() []checked {
	const (
		files     = "EXISTS (SELECT 1 FROM media_attachments m WHERE m.status_id = t.id AND NOT m.former)"
		hasMedia  = "t.has_media <> " + files
		showsKey  = "t.local AND t.public_key <> '' AND NOT EXISTS (SELECT 1 FROM keys k WHERE k.account_id = t.id)"
		gone      = "EXISTS (SELECT 1 FROM deletions e WHERE e.account_id = t.id)"
		anonymous = "t.local AND NOT t.invisible AND NOT EXISTS (SELECT 1 FROM users u WHERE u.account_id = t.id) AND NOT " + gone
		takesPart = "(s.account_id = t.account_id OR EXISTS (SELECT 1 FROM status_recipients r WHERE r.status_id = s.id AND r.account_id = t.account_id))"
	)
	media := func(table, when string) fault {
		return fault{column: "has_media", says: "says otherwise than its files", wrong: when + hasMedia,
			mend: "UPDATE " + table + " SET has_media = " + strings.ReplaceAll(files, "t.id", table+".id")}
	}
	merged := underWay("merge_threads", "t.conversation_id IN (CAST(j.args ->> 'from' AS BIGINT), CAST(j.args ->> 'into' AS BIGINT))")
	return []checked{
		{area: CheckParts, table: "statuses", key: []string{"id"}, faults: []fault{
			media("statuses", "t.reblog_of_id IS NULL AND "),
			{column: "tags", says: "is not filed under its hashtags", repair: fileTags,
				wrong: "EXISTS (SELECT 1 FROM " + d.tagsOf("t") + " WHERE NOT EXISTS (SELECT 1 FROM status_tags f WHERE f.tag = x.value AND f.status_id = t.id))"},
		}},
		{area: CheckParts, table: "status_tags", key: []string{"tag", "status_id"}, faults: []fault{
			{column: "tag", says: "is no hashtag of the status", mend: "DELETE FROM status_tags",
				wrong: "EXISTS (SELECT 1 FROM statuses s WHERE s.id = t.status_id AND NOT EXISTS (SELECT 1 FROM " + d.tagsOf("s") + " WHERE x.value = t.tag))"},
		}},
		{area: CheckParts, table: "chat_messages", key: []string{"id"}, faults: []fault{media("chat_messages", "")}},
		{area: CheckParts, table: "participations", key: []string{"id"}, chunk: countChunk, faults: []fault{
			{column: "last_status_id", says: "is older than a direct status of the thread", mend: "UPDATE participations SET " + lastDirect, excused: merged,
				wrong: "EXISTS (SELECT 1 FROM statuses s WHERE s.conversation_id = t.conversation_id AND s.visibility = 'direct' AND s.id > t.last_status_id AND " + takesPart + ")"},
			{column: "last_status_id", says: "is of another thread", mend: "UPDATE participations SET " + lastDirect, excused: merged,
				wrong: "EXISTS (SELECT 1 FROM statuses s WHERE s.id = t.last_status_id AND s.conversation_id <> t.conversation_id)"},
		}},
		{area: CheckParts, table: "accounts", key: []string{"id"}, faults: []fault{
			// A new key is made when one is needed.
			{column: "public_key", says: "shows a key that it cannot sign with", wrong: showsKey, mend: "UPDATE accounts SET public_key = ''"},
			{column: "id", says: "has no user, so nobody can sign in", wrong: anonymous, cannot: "its password is lost, and it can be deleted only"},
		}},
		{area: CheckParts, table: "deletions", key: []string{"account_id"}, chunk: countChunk, faults: []fault{
			{column: "account_id", says: "has rows left, and no job removes them", wrong: leftRows(), repair: eraseAgain,
				excused: underWay("erase_account", "j.args ->> 'account_id' = t.account_id")},
		}},
	}
}

// tagsOf are the hashtags of a status as rows x with a value.
func (d *DB) tagsOf(status string) string {
	if d.pool.dialect == Postgres {
		return "jsonb_array_elements_text(" + d.listOf(status+".tags") + ") x (value)"
	}
	return "json_each(" + d.listOf(status+".tags") + ") x"
}

// fileTags files a status under its hashtags.
func fileTags(ctx context.Context, tx *DB, key []any) error {
	tags, err := value[Slice[string]](ctx, tx, "tags", "SELECT tags FROM statuses WHERE id = ?", key...)
	if err != nil {
		return err
	}
	return tx.AddTags(ctx, key[0].(string), tags)
}

// leftRows is the condition that rows of an account are left, as t.account_id, that its
// erasure removes. Rows of others that name it are left out.
func leftRows() string {
	conds := []string{"EXISTS (SELECT 1 FROM statuses x WHERE x.account_id = t.account_id)"}
	for _, e := range Erasures() {
		own := e.Kept == "" && e.by == nil && e.prefix == "" && e.Column == "account_id"
		if own || slices.Contains([]string{"follows", "favourites", "emoji_reactions", "lists", "participations"}, e.Table) {
			conds = append(conds, "EXISTS (SELECT 1 FROM "+e.Table+" x WHERE x."+e.Column+" = t.account_id)")
		}
	}
	return strings.Join(conds, " OR ")
}

// eraseAccount are the arguments of the job that erases an account.
type eraseAccount struct {
	AccountID string `json:"account_id"`
	Whole     bool   `json:"whole"`
}

func (eraseAccount) Kind() string { return "erase_account" }

// eraseAgain has a deleted account erased once more.
func eraseAgain(ctx context.Context, tx *DB, key []any) error {
	a, err := tx.Account(ctx, key[0].(string))
	if err != nil {
		return err
	}
	sqlTx, err := tx.SQLTx()
	if err != nil {
		return err
	}
	client, err := tx.JobInserter()
	if err != nil {
		return err
	}
	_, err = client.InsertTx(ctx, sqlTx, eraseAccount{AccountID: a.ID, Whole: !a.Local || a.ApprovalPending}, nil)
	return wrap(err, "erase %s again", a.ID)
}

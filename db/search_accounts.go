package db

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// presentAs is the condition of accounts that a search may show a viewer; with
// local, local ones only.
func presentAs(alias string, v Viewer, local bool) string {
	cond := strings.ReplaceAll(` AND NOT $.deactivated AND NOT $.invisible AND NOT $.approval_pending AND NOT $.confirmation_pending`, "$", alias) + v.accounts(alias)
	if local {
		cond += ` AND ` + alias + `.local`
	}
	return cond
}

// AccountByAddress returns the account with this URI or URL, if a search may
// show it to the viewer; with local, a local one only.
func (d *DB) AccountByAddress(ctx context.Context, v Viewer, address string, local bool) (AccountRef, error) {
	present := presentAs("a", v, local)
	return value[AccountRef](ctx, d, "account at "+address, `SELECT a.id, a.version FROM accounts a WHERE a.uri = ?`+present+` UNION ALL
		SELECT a.id, a.version FROM accounts a WHERE a.url = ? AND a.url <> '' AND NOT a.local`+present+` LIMIT 1`, address, address)
}

// nameWords returns the words that index an account: its nickname without host,
// and up to eight of its display name.
func nameWords(a *Account) []string {
	nick, _, _ := strings.Cut(NicknameKey(a.Nickname), "@")
	out := append([]string{nick}, words(nick)...)
	out = append(out, words(a.DisplayName)...)
	slices.Sort(out[1:])
	out = append(out[:1], slices.Compact(out[1:])...)
	if i := slices.Index(out[1:], nick); i >= 0 {
		out = slices.Delete(out, i+1, i+2)
	}
	return out[:min(len(out), 8)]
}

// guessable reports whether a word is long enough to be searched with one wrong
// letter.
func guessable(word string) bool {
	n := utf8.RuneCountInString(word)
	return n >= 4 && n <= 20
}

// indexAccount indexes an account by the words of its names.
func (d *DB) indexAccount(ctx context.Context, a *Account, anew bool) error {
	if !anew {
		for _, table := range []string{"account_words", "account_misspellings"} {
			if _, err := d.exec(ctx, "forget names", "DELETE FROM "+table+" WHERE account_id = ?", a.ID); err != nil {
				return err
			}
		}
	}
	var (
		hashes []int64
		names  = nameWords(a)
		args   []any
	)
	for _, w := range names {
		if args = append(args, w, a.ID); guessable(w) {
			hashes = append(hashes, misspellings(w)...)
		}
	}
	if err := d.insertPairs(ctx, "account_words (word, account_id)", args); err != nil {
		return err
	}
	slices.Sort(hashes)
	args = args[:0]
	for _, h := range slices.Compact(hashes) {
		args = append(args, h, a.ID)
	}
	return d.insertPairs(ctx, "account_misspellings (hash, account_id)", args)
}

func (d *DB) insertPairs(ctx context.Context, into string, args []any) error {
	if len(args) == 0 {
		return nil
	}
	_, err := d.exec(ctx, "index names", "INSERT INTO "+into+" VALUES "+
		strings.TrimSuffix(strings.Repeat("(?, ?), ", len(args)/2), ", ")+" ON CONFLICT DO NOTHING", args...)
	return err
}

// AccountSearch is the query of SearchAccounts.
type AccountSearch struct {
	Query     string // a name, or the beginning of one; words of it
	Following bool   // only accounts that the viewer follows
	Local     bool   // local accounts only
	Limit     int
	Offset    int
}

// SearchAccounts returns the active accounts that match a query, in up to three
// statements: first by a prefix of the nickname, in its order; then accounts
// with a word that begins with each word of the query; then accounts with a
// word one letter away. An account that the viewer blocks is found by its exact
// nickname only, so that it can be unblocked.
func (d *DB) SearchAccounts(ctx context.Context, v Viewer, s AccountSearch) ([]AccountRef, error) {
	key := NicknameKey(strings.TrimPrefix(strings.TrimSpace(s.Query), "@"))
	all := words(key)
	want := s.Offset + s.Limit
	var out []AccountRef
	find := func(where string, args ...any) error {
		if len(out) >= want {
			return nil
		}
		var q selection
		q.add(where, args...)
		rows, err := d.accountRefs(ctx, &q, "search accounts")
		for _, r := range rows {
			if !slices.ContainsFunc(out, func(o AccountRef) bool { return o.ID == r.ID }) {
				out = append(out, r)
			}
		}
		return err
	}
	rules, more := s.rules(v, key)
	nick, host, _ := strings.Cut(key, "@")
	switch international := strings.ContainsFunc(host, func(r rune) bool { return r >= utf8.RuneSelf }); {
	case international:
		rows, err := d.atHosts(ctx, nick, host, rules, more)
		if err != nil {
			return nil, err
		}
		out = rows
	case key != "":
		args := append([]any{key, key + "\U0010ffff"}, more...)
		if err := find(`SELECT a.id, a.version FROM accounts a WHERE a.nickname_key >= ? AND a.nickname_key < ?`+rules+
			` ORDER BY a.nickname_key`+limit(int64(want), 0), args...); err != nil {
			return nil, err
		}
	}
	if len(all) > 0 && !strings.Contains(key, "@") {
		// The longest word first: it is the rarest.
		byLength := slices.Clone(all[:min(len(all), 4)])
		slices.SortStableFunc(byLength, func(a, b string) int { return len(b) - len(a) })
		query := `SELECT a.id, a.version FROM account_words w JOIN accounts a ON a.id = w.account_id WHERE w.word >= ? AND w.word < ?`
		args := []any{byLength[0], byLength[0] + "\U0010ffff"}
		for _, w := range byLength[1:] {
			query += ` AND EXISTS (SELECT 1 FROM account_words o WHERE o.account_id = a.id AND o.word >= ? AND o.word < ?` + existsOnce + `)`
			args = append(args, w, w+"\U0010ffff")
		}
		if err := find(query+rules+` ORDER BY w.word, w.account_id`+limit(int64(2*want), 0), append(args, more...)...); err != nil {
			return nil, err
		}
	}
	if len(all) == 1 && guessable(all[0]) && len(out) < want {
		near, err := d.misspelt(ctx, all[0], rules, more)
		if err != nil {
			return nil, err
		}
		for _, r := range near {
			if !slices.ContainsFunc(out, func(o AccountRef) bool { return o.ID == r.ID }) {
				out = append(out, r)
			}
		}
	}
	return out[min(s.Offset, len(out)):min(want, len(out))], nil
}

// atHosts returns accounts whose nick is this, at hosts that begin with an
// international name. Hosts are stored in ASCII, which has other beginnings.
func (d *DB) atHosts(ctx context.Context, nick, host, rules string, more []any) ([]AccountRef, error) {
	type at struct {
		AccountRef
		NicknameKey string
	}
	rows, err := list[at](ctx, d, "search accounts", `SELECT a.id, a.version, a.nickname_key FROM accounts a WHERE a.nickname_key >= ? AND a.nickname_key < ?`+rules+
		` ORDER BY a.nickname_key`+limit(guesses, 0), append([]any{nick + "@", nick + "@\U0010ffff"}, more...)...)
	if err != nil {
		return nil, err
	}
	var out []AccountRef
	for _, r := range rows {
		_, stored, _ := strings.Cut(r.NicknameKey, "@")
		name, port, _ := strings.Cut(stored, ":")
		if shown, err := idna.Display.ToUnicode(name); err == nil && strings.HasPrefix(shown+":"+port, host) {
			out = append(out, r.AccountRef)
		}
	}
	return out, nil
}

// rules returns the conditions on a for every found account.
func (s AccountSearch) rules(v Viewer, key string) (string, []any) {
	rules, args := presentAs("a", v, s.Local), []any(nil)
	if v.Relations.Blocks {
		rules += ` AND (a.nickname_key = ? OR NOT EXISTS (SELECT 1 FROM blocks b WHERE b.account_id = ? AND b.target_id = a.id))`
		args = append(args, key, v.ID)
	}
	if s.Following {
		rules += ` AND EXISTS (SELECT 1 FROM follows f WHERE f.follower_id = ? AND f.target_id = a.id AND NOT f.pending)`
		args = append(args, v.ID)
	}
	return rules, args
}

// guesses bounds the accounts that are compared with a misspelt name, or with the
// beginning of an international host.
const guesses = 200

// misspelt returns accounts with a word in their names that is one letter away.
func (d *DB) misspelt(ctx context.Context, word, rules string, more []any) ([]AccountRef, error) {
	args := []any{}
	hashes := misspellings(word)
	for _, h := range hashes {
		args = append(args, h)
	}
	type near struct {
		AccountRef
		Nickname, DisplayName string
	}
	rows, err := list[near](ctx, d, "search accounts", `SELECT DISTINCT a.id, a.version, a.nickname, a.display_name, a.nickname_key
		FROM account_misspellings m JOIN accounts a ON a.id = m.account_id
		WHERE m.hash IN (`+strings.TrimSuffix(strings.Repeat("?, ", len(hashes)), ", ")+`)`+rules+
		` ORDER BY a.nickname_key`+limit(guesses, 0), append(args, more...)...)
	if err != nil {
		return nil, err
	}
	var out []AccountRef
	for _, r := range rows {
		if slices.ContainsFunc(nameWords(&Account{Nickname: r.Nickname, DisplayName: r.DisplayName}), func(w string) bool { return oneApart(w, word) }) {
			out = append(out, r.AccountRef)
		}
	}
	return out, nil
}

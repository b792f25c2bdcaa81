package server_test

import (
	"context"
	"database/sql"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

var (
	adminRows = flag.String("rows", "1000,100000", "sizes of the worlds that BenchmarkAdminLists asks")
	adminKeep = flag.String("keep", "", "folder where its SQLite worlds stay for the next time")
)

// adminLists are the measured requests: every filter of every list, and
// sensible combinations.
var adminLists = []struct{ name, path string }{
	{"users", "users"},
	{"users, page 3", "users?page=3"},
	{"users: local", "users?filters=local"},
	{"users: external", "users?filters=external"},
	{"users: active", "users?filters=active"},
	{"users: deactivated", "users?filters=deactivated"},
	{"users: need_approval", "users?filters=need_approval"},
	{"users: unconfirmed", "users?filters=unconfirmed"},
	{"users: is_admin", "users?filters=is_admin"},
	{"users: is_moderator", "users?filters=is_moderator"},
	{"users: local,active", "users?filters=local,active"},
	{"users: external,deactivated", "users?filters=external,deactivated"},
	{"users: local,need_approval", "users?filters=local,need_approval"},
	{"users: deactivated,unconfirmed", "users?filters=deactivated,unconfirmed"},
	{"users: query, one letter", "users?query=a"},
	{"users: query, two letters", "users?query=an"},
	{"users: query, three letters", "users?query=ann"},
	{"users: query, common word", "users?query=annabel"},
	{"users: query, end of the list", "users?query=zora"},
	{"users: query, one account", "users?query=n33dle"},
	{"users: query, nobody", "users?query=qqqq"},
	{"users: query, a host", "users?query=@host7.example"},
	{"users: query, local", "users?query=ann&filters=local"},
	{"users: query, deactivated", "users?query=ann&filters=deactivated"},
	{"users: name, common", "users?name=mar"},
	{"users: name, long", "users?name=maria+k"},
	{"users: name, one account", "users?name=straw+in"},
	{"users: query and name", "users?query=ann&name=mar"},
	{"users: email", "users?email=user5@example.org"},
	{"users: tag", "users?tags[]=common"},
	{"users: rare tag", "users?tags[]=rare"},
	{"users: two tags", "users?tags[]=common&tags[]=rare"},
	{"users: tag, local", "users?tags[]=common&filters=local"},
	{"users: type", "users?actor_types[]=Service"},
	{"users: two types", "users?actor_types[]=Person&actor_types[]=Group"},
	{"users: type, active", "users?actor_types[]=Service&filters=active"},
	{"log", "moderation_log"},
	{"log: dates", "moderation_log?start_date=2026-01-01T00:00:00&end_date=2026-01-01T10:00:00"},
	{"log: user_id", "moderation_log?user_id=admin07"},
	{"log: user_id and dates", "moderation_log?user_id=admin07&start_date=2026-01-01T00:00:00&end_date=2026-01-02T00:00:00"},
	{"log: search, common", "moderation_log?search=deactivated"},
	{"log: search, one letter", "moderation_log?search=u"},
	{"log: search, one entry", "moderation_log?search=n33dle"},
	{"log: search, nothing", "moderation_log?search=nothing+like+it"},
	{"log: search, a user", "moderation_log?search=@annabel5"},
	{"log: search and user_id", "moderation_log?search=tagged&user_id=admin07"},
	{"log: search and dates", "moderation_log?search=users&start_date=2026-01-01T00:00:00&end_date=2026-01-01T10:00:00"},
	{"reports", "reports"},
	{"reports: open", "reports?state=open"},
	{"reports: closed", "reports?state=closed"},
	{"reports: resolved", "reports?state=resolved"},
	{"grouped_reports", "grouped_reports?page_size=20"},
	{"statuses", "statuses"},
	{"statuses: local_only", "statuses?local_only=true"},
	{"statuses: godmode", "statuses?godmode=true"},
	{"statuses: with_reblogs", "statuses?with_reblogs=true"},
	{"statuses: all three", "statuses?local_only=true&godmode=true&with_reblogs=true"},
	{"statuses of a user", "users/admin00/statuses"},
	{"statuses of a user: godmode", "users/admin00/statuses?godmode=true"},
	{"statuses of an instance", "instances/host7.example/statuses"},
	{"statuses of an instance: both", "instances/host7.example/statuses?godmode=true&with_reblogs=true"},
	{"chats of a user", "users/admin00/chats"},
	{"oauth_app", "oauth_app"},
	{"oauth_app: name", "oauth_app?name=App+5"},
	{"oauth_app: client_id", "oauth_app?client_id=client5"},
	{"oauth_app: trusted", "oauth_app?trusted=true"},
	{"media_proxy_caches", "media_proxy_caches"},
	{"media_proxy_caches: query", "media_proxy_caches?query=picture5"},
	{"users/invites (all)", "users/invites"},
}

// BenchmarkAdminLists requests the first page of every list of the admin API,
// in worlds of the sizes in -rows: so many accounts, log entries and statuses,
// a tenth as many reports and invites. The cost of a page must not grow with
// the size.
//
//	go test ./server -run - -bench AdminLists -rows 1000,1000000 -timeout 3h
func BenchmarkAdminLists(b *testing.B) {
	for _, text := range strings.Split(*adminRows, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1000 {
			b.Fatalf("-rows %s: want numbers from 1000", text)
		}
		b.Run(fmt.Sprintf("sqlite/%d", n), func(b *testing.B) {
			dsn := dbtest.Ready(b)
			if *adminKeep != "" {
				dsn = "sqlite:" + filepath.Join(*adminKeep, fmt.Sprintf("admin-%d.db", n))
			}
			benchmarkAdmin(b, dsn, n)
		})
		if dsn := dbtest.Postgres(b); dsn != "" {
			if *adminKeep != "" {
				dsn = keptPostgres(b, dsn, fmt.Sprintf("svc_bench_admin_%d", n))
			}
			b.Run(fmt.Sprintf("postgres/%d", n), func(b *testing.B) { benchmarkAdmin(b, dsn, n) })
		}
	}
}

// keptPostgres returns the address of the database with this name, beside
// another, and creates a missing one.
func keptPostgres(b *testing.B, beside, name string) string {
	b.Helper()
	u, err := url.Parse(beside)
	if err != nil {
		b.Fatal(err)
	}
	c, err := sql.Open("pgx", beside)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	var n int
	if err := c.QueryRow("SELECT COUNT(*) FROM pg_database WHERE datname = $1", name).Scan(&n); err != nil {
		b.Fatal(err)
	}
	if n == 0 {
		if _, err := c.Exec("CREATE DATABASE " + name); err != nil {
			b.Fatal(err)
		}
	}
	u.Path = "/" + name
	return u.String()
}

func benchmarkAdmin(b *testing.B, dsn string, n int) {
	// A kept database had another base URL, which it would keep.
	if err := dbtest.Exec(b, dbtest.Open(b, dsn), "DELETE FROM meta WHERE key = 'base_url'"); err != nil {
		b.Fatal(err)
	}
	s := servertest.On(b, dsn)
	s.AdminUser("root")
	if _, err := s.DB.AccountByNickname(b.Context(), "admin00"); err != nil {
		seedAdmin(b, s.DB, n, n/10)
	}
	indexAdmin(b, s.DB)
	token := s.Token("root", servertest.AdminScopes)
	for _, list := range adminLists {
		path := "/api/svc/admin/" + list.path
		if w := adminGet(b.Context(), s, path, token); w.Code == http.StatusNotFound && strings.Contains(w.Body.String(), "Not implemented") {
			continue // no such route
		}
		b.Run(strings.ReplaceAll(list.name, " ", "_"), func(b *testing.B) {
			times := make([]time.Duration, 0, b.N)
			size := 0
			for range b.N {
				start := time.Now()
				w := adminGet(b.Context(), s, path, token)
				times = append(times, time.Since(start))
				if size = w.Body.Len(); w.Code != http.StatusOK {
					b.Fatalf("%d %.200s", w.Code, w.Body)
				}
			}
			slices.Sort(times)
			b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "p50-ms")
			b.ReportMetric(float64(times[0].Microseconds())/1000, "best-ms") // the best time, which a busy machine disturbs least
			b.ReportMetric(float64(size)/1000, "kB")
		})
	}
}

func adminGet(ctx context.Context, s *servertest.Server, path, token string) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, http.MethodGet, path, nil)
	req.Header.Set("Authorization", "Bearer "+token)
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, req)
	return w
}

// seedAdmin creates n accounts, log entries and statuses, so many reports, and a
// tenth as many invites and chats, in few statements. Facets are added afterwards,
// as for rows older than them.
func seedAdmin(b *testing.B, d *db.DB, n, reported int) {
	b.Helper()
	start := time.Now()
	exec := func(query string) {
		b.Helper()
		if err := dbtest.Exec(b, d, query); err != nil {
			b.Fatalf("%v: %.200s", err, query)
		}
	}
	b.ResetTimer()
	restore := dropTriggers(b, d, exec)
	insert := func(into string, count int, row func(i int) string) {
		b.Helper()
		for from := 0; from < count; from += 2000 {
			var q strings.Builder
			q.WriteString("INSERT INTO " + into + " VALUES ")
			for i := from; i < min(from+2000, count); i++ {
				if i > from {
					q.WriteByte(',')
				}
				q.WriteString(row(i))
			}
			exec(q.String())
		}
		b.Logf("%s: %v", strings.Fields(into)[0], time.Since(start).Round(time.Second))
	}
	r := rand.New(rand.NewPCG(7, 8))
	first := []string{"annabel", "bert", "carla", "dietrich", "emil", "fatima", "gunnar", "hannah", "ivan", "judith", "karim",
		"lena", "maria", "noor", "olga", "pavel", "quentin", "rosa", "samir", "tilda", "uwe", "vera", "willem", "xenia", "yusuf", "zora"}
	last := []string{"Meyer", "Okafor", "Tanaka", "Silva", "Kowalski", "Nguyen", "Haddad", "Jensen", "Marin", "Öztürk", "Rossi", "Kaplan"}
	ids := make([]string, n)
	flag := func(on bool) string { return strings.ToUpper(strconv.FormatBool(on)) }
	insert(`accounts (id, uri, nickname, nickname_key, domain, local, actor_type, display_name, display_name_key, tags,
		deactivated, approval_pending, confirmation_pending, is_admin, is_moderator, created_at, updated_at)`, n, func(i int) string {
		ids[i] = d.NewID()
		f := first[r.IntN(len(first))]
		nick, name, host := f+strconv.FormatInt(int64(i), 36), strings.ToUpper(f[:1])+f[1:]+" "+last[r.IntN(len(last))], ""
		local := i%3 == 0
		if i == 5 {
			nick, name = "n33dle", "Straw in hay"
		}
		if !local {
			host = fmt.Sprintf("host%d.example", r.IntN(60))
			nick += "@" + host
		}
		admin, moderator := i >= 10 && i < 70, i >= 100 && i < 160
		if admin || moderator {
			local, host = true, ""
			nick = fmt.Sprintf("admin%02d", i-10)
			if moderator {
				nick = fmt.Sprintf("moderator%02d", i-100)
			}
		}
		tags := "[]"
		switch {
		case i%17 == 4:
			tags = `["common"]`
		case i >= 200 && i < 260:
			tags = `["rare"]`
		}
		kind := "Person"
		if i%18 == 7 {
			kind = "Service"
		}
		plain := !admin && !moderator
		return fmt.Sprintf("('%s','https://%s.example/%d','%s','%s','%s',%s,'%s','%s','%s','%s',%s,%s,%s,%s,%s,1,1)", ids[i], host, i, nick,
			strings.ToLower(nick), host, flag(local), kind, name, strings.ToLower(name), tags,
			flag(plain && i%16 == 1), flag(plain && i%16 == 2), flag(plain && i%16 == 3 || plain && i%160 == 1), flag(admin), flag(moderator))
	})
	exec("INSERT INTO account_tags (tag, account_id) SELECT 'common', id FROM accounts WHERE tags LIKE '%common%'")
	exec("INSERT INTO account_tags (tag, account_id) SELECT 'rare', id FROM accounts WHERE tags LIKE '%rare%'")
	exec("INSERT INTO users (account_id, email, email_key, password_hash, created_at) SELECT id, 'user5@example.org', 'user5@example.org', 'x', 1 FROM accounts WHERE nickname LIKE 'n33dle%'")
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	insert("moderation_log (actor_id, action, data, message, search_key, created_at)", n, func(i int) string {
		actor := r.IntN(60)
		message := fmt.Sprintf("@admin%02d deactivated users: @%s%s", actor, first[r.IntN(len(first))], strconv.FormatInt(int64(r.IntN(n)), 36))
		switch {
		case i == 900:
			message += ", @n33dle"
		case i%12 == 3:
			message = strings.Replace(message, "deactivated", "tagged", 1)
		}
		// Ten hours have 600 entries at any size.
		return fmt.Sprintf("('%s','deactivate','{\"actor\":{\"nickname\":\"x\"}}','%s','%s',%d)", ids[10+actor], message, strings.ToLower(message),
			begin.Add(time.Duration(i)*time.Minute).UnixMicro())
	})
	posts := make([]string, n)
	insert("statuses (id, account_id, uri, local, visibility, content, created_at, reblog_of_id, reblog_of_account_id)", n, func(i int) string {
		posts[i] = d.NewID()
		by := i * 7 % n
		if i%100 == 3 {
			by = 10 // author of the requested statuses
		}
		uri, local := fmt.Sprintf("https://svc.example/%d", i), by%3 == 0 || by >= 10 && by < 160
		if !local {
			uri = fmt.Sprintf("https://host%d.example/%d", i%60, i)
		}
		visibility := []string{"public", "public", "unlisted", "private", "direct"}[r.IntN(5)]
		reblog := "NULL,NULL"
		if i%9 == 5 {
			reblog = fmt.Sprintf("'%s','%s'", posts[i/2], ids[(i/2)*7%n])
		}
		return fmt.Sprintf("('%s','%s','%s',%s,'%s','<p>some words</p>',%d,%s)", posts[i], ids[by], uri, flag(local), visibility, begin.UnixMicro(), reblog)
	})
	reports := make([]string, reported)
	insert("reports (id, account_id, reporter_id, state, content, created_at, updated_at)", reported, func(i int) string {
		reports[i] = d.NewID()
		return fmt.Sprintf("('%s','%s','%s','%s','rude',%d,1)", reports[i], ids[i], ids[n-1-i%(n/2)], []string{"open", "closed", "resolved"}[i%3], begin.UnixMicro())
	})
	insert("report_statuses (report_id, status_id, status_uri, position)", reported, func(i int) string {
		return fmt.Sprintf("('%s','%s','u',0)", reports[i], posts[i/2])
	})
	insert("invites (token, created_at)", n/10, func(i int) string { return fmt.Sprintf("('token%d',1)", i) })
	insert("apps (name, redirect_uris, scopes, client_id, client_secret, trusted, created_at)", n/10, func(i int) string {
		return fmt.Sprintf("('App %d','urn','read','client%d','x',%s,1)", i, i, flag(i%2 == 0))
	})
	insert("media_bans (url, url_key, address_key, search_key, created_at)", min(n/10, 5000), func(i int) string {
		return fmt.Sprintf("('https://a.example/picture%d','k%d','k%d','https://a.example/picture%d',%d)", i, i, i, i, time.Now().UnixMicro())
	})
	insert("chats (id, account_id, recipient_id, created_at, updated_at)", n/10, func(i int) string {
		by := 10
		if i >= 20 {
			by = i
		}
		return fmt.Sprintf("('%s','%s','%s',1,%d)", d.NewID(), ids[by], ids[i+1], i)
	})
	restore()
	exec("DELETE FROM log_grams")
	exec("INSERT INTO meta (key, value) SELECT 'reindex_log', CAST(MAX(id) AS TEXT) FROM moderation_log")
	exec("INSERT INTO account_facets_due SELECT serial FROM accounts WHERE nickname <> 'root' AND NOT invisible")
}

// indexAdmin runs the jobs that index rows older than facets.
func indexAdmin(b *testing.B, d *db.DB) {
	b.Helper()
	for what, next := range map[string]func(*db.DB) (bool, error){
		"the log's parts": func(tx *db.DB) (bool, error) { return tx.ReindexLog(b.Context(), 2000) },
		"accounts' parts": func(tx *db.DB) (bool, error) { return tx.ReindexFacets(b.Context(), 1000) },
	} {
		start := time.Now()
		for more := true; more; {
			err := d.Tx(b.Context(), func(tx *db.DB) (err error) {
				more, err = next(tx)
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		b.Logf("%s: %v", what, time.Since(start).Round(time.Second))
	}
	if err := dbtest.Exec(b, d, map[db.Dialect]string{db.Postgres: "VACUUM ANALYZE", db.SQLite: "PRAGMA optimize"}[d.Dialect()]); err != nil {
		b.Fatal(err)
	}
}

// dropTriggers drops the triggers that store parts of names and messages. It
// returns a function that restores them.
func dropTriggers(b *testing.B, d *db.DB, exec func(string)) (restore func()) {
	b.Helper()
	if d.Dialect() == db.Postgres {
		for _, t := range []string{"accounts DISABLE TRIGGER accounts_tally_facets", "moderation_log DISABLE TRIGGER moderation_log_grams"} {
			exec("ALTER TABLE " + t)
		}
		return func() {
			exec("ALTER TABLE accounts ENABLE TRIGGER accounts_tally_facets")
			exec("ALTER TABLE moderation_log ENABLE TRIGGER moderation_log_grams")
		}
	}
	names, texts := triggers(b, d)
	for _, name := range names {
		exec("DROP TRIGGER " + name)
	}
	return func() {
		for _, text := range texts {
			exec(text)
		}
	}
}

// triggers are the names and texts of those triggers on SQLite.
func triggers(b *testing.B, d *db.DB) (names, texts []string) {
	b.Helper()
	rows, err := d.Writer().QueryContext(b.Context(), "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND (name LIKE 'accounts_facets%' OR name = 'moderation_log_grams')")
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			b.Fatal(err)
		}
		names, texts = append(names, name), append(texts, text)
	}
	if err := rows.Err(); err != nil {
		b.Fatal(err)
	}
	return names, texts
}

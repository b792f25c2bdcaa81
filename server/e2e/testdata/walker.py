"""Walks the service with Mastodon.py, as its two users would.

Reads a JSON object from standard input: base, alice, bob (nicknames) and
password. Fails with a traceback on the first thing that is not as it must be,
else prints a JSON object with what it did, for the caller to find again.
"""
import datetime
import html.parser
import json
import sys

import requests
from mastodon import Mastodon
from mastodon import MastodonAPIError, MastodonNotFoundError, MastodonUnauthorizedError

given = json.load(sys.stdin)
BASE, PASSWORD = given["base"], given["password"]
SCOPES = ["read", "write", "follow", "push"]
done = {}


def same(got, want, what):
    assert got == want, f"{what}: got {got!r}, want {want!r}"


def refused(kind, call, words):
    try:
        call()
    except kind as e:
        assert words in str(e), f"got {e}, want {words}"
        return
    raise AssertionError(f"nothing was refused: {words}")


def is_account(a):
    for key in ("id", "username", "acct", "display_name", "note", "url", "avatar", "avatar_static", "header", "header_static"):
        assert isinstance(a[key], (str, int)), f"account {key}: {a[key]!r}"
    for key in ("avatar", "header", "url"):
        assert a[key].startswith("http"), f"account {key}: {a[key]}"
    for key in ("followers_count", "following_count", "statuses_count"):
        assert isinstance(a[key], int), f"account {key}: {a[key]!r}"
    for key in ("locked", "bot"):
        assert isinstance(a[key], bool), f"account {key}: {a[key]!r}"
    for key in ("emojis", "fields"):
        assert isinstance(a[key], list), f"account {key}: {a[key]!r}"
    assert isinstance(a.created_at, datetime.datetime), a.created_at
    for f in a.fields:
        assert f.verified_at is None or f.verified_at, "a field's empty date"


def is_status(s):
    is_account(s.account)
    assert isinstance(s.created_at, datetime.datetime)
    assert s.created_at.tzinfo is not None and abs(datetime.datetime.now(datetime.timezone.utc) - s.created_at).total_seconds() < 600, s.created_at
    for key in ("id", "uri", "url", "content", "spoiler_text", "visibility"):
        assert isinstance(s[key], (str, int)), f"status {key}: {s[key]!r}"
    for key in ("replies_count", "reblogs_count", "favourites_count"):
        assert isinstance(s[key], int), f"status {key}: {s[key]!r}"
    for key in ("sensitive", "favourited", "reblogged", "muted", "bookmarked", "pinned"):
        assert isinstance(s[key], bool), f"status {key}: {s[key]!r}"
    for key in ("media_attachments", "mentions", "tags", "emojis"):
        assert isinstance(s[key], list), f"status {key}: {s[key]!r}"
    for key in ("in_reply_to_id", "in_reply_to_account_id", "reblog", "application", "language"):
        assert key in s, f"status without {key}"
    if s.reblog is not None:
        is_status(s.reblog)
    else:
        assert "card" in s and "poll" in s


def is_relationship(r, **want):
    for key in ("following", "followed_by", "blocking", "blocked_by", "muting", "muting_notifications",
                "requested", "domain_blocking", "showing_reblogs", "endorsed", "notifying"):
        assert isinstance(r[key], bool), f"relationship {key}: {r[key]!r}"
    for key, value in want.items():
        same(r[key], value, f"relationship {key}")


class Form(html.parser.HTMLParser):
    """The first form of a page, as a browser would send it."""

    def __init__(self, page):
        super().__init__()
        self.fields, self.code, self.in_code, self.forms = [], "", False, 0
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.forms += tag == "form"
        self.in_code = tag == "code"
        if tag == "input" and self.forms == 1 and attrs.get("name"):
            if attrs.get("type") != "checkbox" or "checked" in attrs:
                self.fields.append((attrs["name"], attrs.get("value") or ""))

    def handle_data(self, data):
        if self.in_code and self.forms == 0:
            self.code += data
            self.in_code = False


def code_by_browser(url, nickname):
    """What a person does who follows the link: sign in, consent, copy the code."""
    browser = requests.Session()
    page = browser.get(url)
    same(page.status_code, 200, "sign-in page")
    fields = [(k, v) for k, v in Form(page.text).fields if k not in ("authorization[name]", "authorization[password]")]
    fields += [("authorization[name]", nickname), ("authorization[password]", PASSWORD)]
    answer = browser.post(BASE + "/oauth/authorize", data=fields, headers={"Origin": BASE, "Referer": url}, allow_redirects=False)
    if answer.status_code == 302:
        return answer.headers["Location"]
    same(answer.status_code, 200, "consent")
    return Form(answer.text).code


# Apps and tokens.
client_id, client_secret = Mastodon.create_app(
    "walker", scopes=SCOPES, redirect_uris=["urn:ietf:wg:oauth:2.0:oob", "https://walker.example/back"],
    website="https://walker.example", api_base_url=BASE)
assert client_id and client_secret


def client(**more):
    return Mastodon(client_id=client_id, client_secret=client_secret, api_base_url=BASE, request_timeout=20,
                    ratelimit_method="throw", **more)


alice, bob = client(), client()
same((alice.mastodon_major, alice.mastodon_minor, alice.mastodon_patch), (2, 7, 2), "version")
refused(ValueError, lambda: client().log_in(given["alice"], "wrong", scopes=SCOPES), "Invalid")
alice.log_in(given["alice"], PASSWORD, scopes=SCOPES)
same(alice.app_verify_credentials().name, "walker", "app")

code = code_by_browser(bob.auth_request_url(scopes=SCOPES, state="s1"), given["bob"])
bob.log_in(code=code, scopes=SCOPES)
refused(ValueError, lambda: client().log_in(code=code, scopes=SCOPES), "Invalid")
same(bob.me().username, "bob", "a code that comes again at once, as from a page that is loaded twice, ends nothing")
bob.log_in(code=code_by_browser(bob.auth_request_url(scopes=SCOPES, state="s1"), given["bob"]), scopes=SCOPES)
target = code_by_browser(bob.auth_request_url(scopes=SCOPES, redirect_uris="https://walker.example/back", state="s 2"), given["bob"])
back, _, query = target.partition("?")
same(back, "https://walker.example/back", "redirect")
query = dict(requests.compat.urlparse("?" + query).query and [p.split("=") for p in query.split("&")])
assert query["state"] in ("s+2", "s%202"), query
other = client()
other.log_in(code=query["code"], redirect_uri="https://walker.example/back", scopes=SCOPES)
old = other.access_token
assert other._refresh_token, "no refresh token"
other.log_in(refresh_token=other._refresh_token, scopes=SCOPES)
assert other.access_token != old, "refreshed"
refused(MastodonUnauthorizedError, lambda: client(access_token=old).me(), "401")
same(other.me().username, given["bob"], "after refresh")
token = other.access_token
other.revoke_access_token()
refused(MastodonUnauthorizedError, lambda: client(access_token=token).me(), "401")
refused(MastodonUnauthorizedError, lambda: client().timeline_home(), "401")

# Registration.
newcomer = client()
newcomer.create_account("newcomer", "a good password", "newcomer@example.org", agreement=True, reason="to see", scopes=SCOPES)
same(newcomer.me().username, "newcomer", "registered")
token, errors = client().create_account("NewComer", "a good password", "other@example.org", agreement=True,
                                        scopes=SCOPES, return_detailed_error=True)
assert token is None and "taken" in errors["error"], errors

# Instance.
instance = alice.instance()
assert instance.version.startswith("2.7.2 (compatible; "), instance.version
assert instance.urls.streaming_api.startswith("ws"), instance.urls
assert isinstance(instance.stats.user_count, int) and isinstance(instance.stats.status_count, int)
for key in ("uri", "title", "description", "email", "languages", "registrations", "max_toot_chars", "poll_limits"):
    assert key in instance, key
lenient = client(access_token=alice.access_token, version_check_mode="none")
nodeinfo = lenient.instance_nodeinfo()
same(nodeinfo.version, "2.0", "nodeinfo")
assert nodeinfo.software.name and isinstance(nodeinfo.usage.users.total, int)
same(nodeinfo.metadata.upstream.name, "mastodon", "nodeinfo's upstream")
same(lenient.instance_nodeinfo("http://nodeinfo.diaspora.software/ns/schema/2.1").version, "2.1", "nodeinfo")

# Accounts.
me = alice.account_verify_credentials()
is_account(me)
for key in ("privacy", "sensitive", "note", "fields"):
    assert key in me.source, f"source without {key}"
me = alice.account_update_credentials(display_name="Alice <3", note="Reads & writes\nhttps://alice.example/",
                                      fields=[("site", "https://alice.example/"), ("it's", "5 < 6")], discoverable=True, bot=False)
is_account(me)
same(me.display_name, "Alice <3", "display name")
same([(f.name) for f in me.fields], ["site", "it's"], "fields")
assert 'href="https://alice.example/"' in me.fields[0].value, me.fields[0]
same([f.value for f in me.source.fields], ["https://alice.example/", "5 < 6"], "raw fields")
same(me.source.note, "Reads & writes\nhttps://alice.example/", "raw note")
assert "&amp;" in me.note, me.note
hers, his = me.id, bob.me().id
same(bob.account(hers).display_name, "Alice <3", "account")
refused(MastodonNotFoundError, lambda: bob.account("9nosuchaccount"), "404")
found = bob.account_search(given["alice"], limit=5)
for a in found:
    is_account(a)
assert hers in [a.id for a in found], "search"
same(bob.account_search("nobodyofthatname"), [], "search for nobody")
is_relationship(bob.account_relationships(hers)[0], following=False)

# Following.
is_relationship(bob.account_follow(hers), following=True, showing_reblogs=True)
is_relationship(bob.account_follow(hers, reblogs=False), following=True, showing_reblogs=False)
same([r.following for r in bob.account_relationships([hers, his])], [True, False], "relationships")
same([a.id for a in alice.account_followers(hers)], [his], "followers")
same([a.id for a in alice.account_following(his)], [hers], "following")
refused(MastodonAPIError, lambda: bob.account_follow(his), "Can not follow yourself")
is_relationship(bob.account_follow(hers, reblogs=True), showing_reblogs=True)

# Statuses.
first = alice.status_post("Hello @%s, see https://alice.example/a?b=c&d=e #Greetings" % given["bob"], visibility="public",
                          language="en", idempotency_key="first")
is_status(first)
same(alice.status_post("Hello again", idempotency_key="first").id, first.id, "same key, same status")
same([m.acct for m in first.mentions], [given["bob"]], "mentions")
same([t.name for t in first.tags], ["greetings"], "tags")
same(first.application.name, "walker", "application")
for part in ('class="u-url mention"', 'href="https://alice.example/a?b=c&amp;d=e"', 'class="hashtag"'):
    assert part in first.content, first.content
is_status(alice.toot("plain"))
warned = alice.status_post("hidden", sensitive=True, spoiler_text="cw", visibility="unlisted")
same((warned.sensitive, warned.spoiler_text, warned.visibility), (True, "cw", "unlisted"), "warned")
answer = bob.status_post("@%s hi" % given["alice"], in_reply_to_id=first)
same((answer.in_reply_to_id, answer.in_reply_to_account_id), (first.id, hers), "reply")
again = lenient.status_reply(answer, "and hi again")
same([m.acct for m in again.mentions], [given["bob"]], "mentions of a reply")
private = alice.status_post("followers only", visibility="private")
direct = alice.status_post("@%s psst" % given["bob"], visibility="direct")
for empty in ("", "   "):
    refused(MastodonAPIError, lambda: alice.status_post(empty), "Cannot post an empty status")
refused(MastodonAPIError, lambda: alice.status_post("x" * 6000), "over the character limit")
same(bob.status(private.id).content, private.content, "a follower reads")
refused(MastodonNotFoundError, lambda: newcomer.status(private.id), "404")
refused(MastodonNotFoundError, lambda: newcomer.status(direct.id), "404")
same(client().status(first.id).id, first.id, "a stranger reads")

thread = alice.status_context(answer.id)
same([s.id for s in thread.ancestors], [first.id], "ancestors")
same([s.id for s in thread.descendants], [again.id], "descendants")
for s in thread.ancestors + thread.descendants:
    is_status(s)

# Reactions.
liked = bob.status_favourite(first.id)
same((liked.favourited, liked.favourites_count), (True, 1), "favourite")
same([a.id for a in alice.status_favourited_by(first.id)], [his], "favourited by")
same(bob.status_unfavourite(first.id).favourited, False, "unfavourite")
bob.status_favourite(first.id)
boost = bob.status_reblog(first.id, visibility="public")
is_status(boost)
same((boost.reblog.id, boost.reblog.reblogs_count, boost.reblog.reblogged), (first.id, 1, True), "reblog")
same(bob.status_reblog(first.id).id, boost.id, "reblog twice")
same([a.id for a in alice.status_reblogged_by(first.id)], [his], "reblogged by")
same(bob.status_unreblog(first.id).id, first.id, "unreblog")
boost = bob.status_reblog(first.id)

# Timelines.
for i in range(5):
    alice.toot("page %d" % i)
for timeline in (bob.timeline_home(), alice.timeline("home"), alice.timeline_public(), alice.timeline_local(), client().timeline_public(),
                 alice.account_statuses(hers), alice.account_statuses(hers, exclude_replies=True, exclude_reblogs=True, limit=3)):
    assert timeline, "an empty timeline"
    for s in timeline:
        is_status(s)
    same([s.id for s in timeline], sorted((s.id for s in timeline), reverse=True), "order")
same([s.id for s in alice.account_statuses(hers, only_media=True)], [], "no media")
same([s.id for s in alice.account_statuses(hers, pinned=True)], [], "no pins")
home = [s.id for s in bob.timeline_home(limit=40)]
for s in (first, answer, private, direct, warned):
    assert s.id in home, "home lacks " + s.content
public = [s.id for s in bob.timeline_public(limit=40)]
for s in (warned, private, direct, boost):
    assert s.id not in public, "public shows " + s.content
page = alice.timeline_home(limit=2)
everything = alice.fetch_remaining(page)
same([s.id for s in everything], [s.id for s in alice.timeline_home(limit=40)], "page by page")
second = alice.fetch_next(page)
same([s.id for s in alice.fetch_previous(second)], [s.id for s in page], "and back")
same([s.id for s in alice.timeline_home(since_id=page[1].id)], [page[0].id], "since_id")
same([s.id for s in alice.timeline_home(min_id=second[0].id, limit=1)], [page[1].id], "min_id")
same([s.id for s in alice.timeline_home(max_id=page[0].id, limit=1)], [page[1].id], "max_id")

# Notifications.
got = alice.notifications()
for n in got:
    assert isinstance(n.created_at, datetime.datetime)
    is_account(n.account)
    if n.type in ("mention", "favourite", "reblog"):
        is_status(n.status)
same(sorted({n.type for n in got}), ["favourite", "follow", "mention", "reblog"], "notifications")
same(alice.notifications(got[0].id).id, got[0].id, "one notification")
same({n.type for n in alice.notifications(mentions_only=True)}, {"mention"}, "mentions only")
same({n.type for n in alice.notifications(exclude_types=["mention", "follow"])}, {"favourite", "reblog"}, "without some types")
same({n.type for n in lenient.notifications(types=["follow"])}, {"follow"}, "types")
same(alice.notifications(account_id=his, limit=1)[0].account.id, his, "notifications by one")
few = alice.notifications(limit=2)
same([n.id for n in alice.fetch_remaining(few)], [n.id for n in got], "notifications page by page")
lenient.notifications_dismiss(got[0].id)
same([n.id for n in alice.notifications()], [n.id for n in got[1:]], "dismissed")
alice.notifications_clear()
same(alice.notifications(), [], "cleared")

# Mutes, blocks.
is_relationship(alice.account_mute(his, notifications=True), muting=True, muting_notifications=True)
same([a.id for a in alice.mutes()], [his], "mutes")
is_relationship(alice.account_unmute(his), muting=False)
is_relationship(alice.account_mute(his, notifications=False, duration=3600), muting=True, muting_notifications=False)
is_relationship(alice.account_unmute(his), muting=False)
is_relationship(newcomer.account_block(his), blocking=True)
same([a.id for a in newcomer.blocks()], [his], "blocks")
is_relationship(bob.account_relationships(newcomer.me().id)[0], blocked_by=True)
refused(MastodonAPIError, lambda: bob.account_follow(newcomer.me().id), "403")
is_relationship(newcomer.account_unblock(his), blocking=False)
is_relationship(bob.account_unfollow(hers), following=False)
is_relationship(bob.account_follow(hers), following=True)

# Locked accounts.
same(newcomer.account_update_credentials(locked=True).locked, True, "locked")
is_relationship(bob.account_follow(newcomer.me().id), requested=True, following=False)
is_relationship(bob.account_unfollow(newcomer.me().id), requested=False)

# A report, and a delete.
evidence = bob.status_post("buy my watches")
report = alice.report(his, status_ids=[evidence, answer.id], comment="sells watches", forward=False)
same(report.action_taken, False, "report")
refused(MastodonAPIError, lambda: alice.report("9nosuchaccount", comment="x"), "Account not found")
refused(MastodonAPIError, lambda: alice.report(his, comment="x" * 1001), "Comment must be up to 1000 characters")
refused(MastodonNotFoundError, lambda: bob.status_delete(first.id), "404")
deleted = alice.status_delete(warned.id)
same((deleted.id, deleted.text), (warned.id, "hidden"), "deleted")
refused(MastodonNotFoundError, lambda: alice.status(warned.id), "404")
refused(MastodonNotFoundError, lambda: alice.status_context(warned.id), "404")

json.dump({"first": str(first.id), "report": str(report.id), "evidence": str(evidence.id), "answer": str(answer.id)}, sys.stdout)

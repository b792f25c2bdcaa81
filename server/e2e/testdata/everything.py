"""Makes every call that Mastodon.py has for servers of level 2.8 and below.

Reads a JSON object from standard input: base, alice, bob, carol (nicknames) and
password. Fails with a traceback on the first thing that is not as it must be,
and when a call of the library was never made; prints how many it made.
"""
import ast
import base64
import datetime
import glob
import inspect
import json
import os
import sys
import time

import mastodon
from mastodon import Mastodon, MastodonAPIError, MastodonNotFoundError

given = json.load(sys.stdin)
BASE, PASSWORD = given["base"], given["password"]
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

# What a server of this kind does not have, by the specification: accounts are
# not endorsed, suggestions are always empty, reports are not listed. Streaming
# and push have tests of their own.
ABSENT = {"account_pin", "account_unpin", "suggestion_delete", "reports"}
ELSEWHERE = ("stream_", "push_")


def calls_of_level(level):
    """The names of the library's calls that came with level or before."""
    names = set()
    for path in glob.glob(os.path.join(os.path.dirname(mastodon.__file__), "*.py")):
        for node in ast.walk(ast.parse(open(path, encoding="utf-8").read())):
            if not isinstance(node, ast.FunctionDef):
                continue
            for d in node.decorator_list:
                if isinstance(d, ast.Call) and getattr(d.func, "id", "") == "api_version":
                    if tuple(map(int, d.args[0].value.split("."))) <= level:
                        names.add(node.name)
    return {n for n in names if not n.startswith(ELSEWHERE)}


made = set()


class Counted(Mastodon):
    """Notes which calls are made from outside."""

    def __getattribute__(self, name):
        value = super().__getattribute__(name)
        if not name.startswith("_") and inspect.ismethod(value):
            made.add(name)
        return value


def same(got, want, what):
    assert got == want, f"{what}: got {got!r}, want {want!r}"


def ids(items):
    return [i["id"] for i in items]


def refused(call, status):
    try:
        call()
    except MastodonAPIError as e:
        assert e.args[1] == status, f"refused with {e.args}, want {status}"
        return
    raise AssertionError(f"nothing was refused with {status}")


SCOPES = ["read", "write", "follow", "push"]
client_id, client_secret = Mastodon.create_app("Everything", api_base_url=BASE, scopes=SCOPES)


def log_in(nickname):
    m = Counted(client_id=client_id, client_secret=client_secret, api_base_url=BASE, feature_set="mainline", version_check_mode="none")
    m.log_in(nickname, PASSWORD, scopes=SCOPES)
    return m


alice, bob, carol = log_in(given["alice"]), log_in(given["bob"]), log_in(given["carol"])
anybody = Counted(api_base_url=BASE, version_check_mode="none")

# The instance.
instance = anybody.instance()
assert instance.uri and instance.version.startswith("2.7.2"), instance
same(len(anybody.instance_activity()), 12, "weeks of activity")
same(anybody.instance_peers(), [], "peers")
same(anybody.custom_emojis(), [], "custom emojis")
same(anybody.trends(), [], "trends")

# Accounts.
me, you = alice.me(), bob.account_verify_credentials()
same(alice.account(you.id).acct, "bob", "an account")
alice.account_update_credentials(
    display_name="Alice", note="Here", avatar=PNG, avatar_mime_type="image/png", header=PNG, header_mime_type="image/png",
    locked=False, bot=False, discoverable=True, fields=[("Site", "https://example.org")])
me = alice.me()
same((me.display_name, me.source.note, me.fields[0].name), ("Alice", "Here", "Site"), "a profile")
assert me.avatar.endswith(".png") and "/images/avi" not in me.avatar, me.avatar
same(bob.app_verify_credentials().name, "Everything", "the app")
same(alice.preferences()["posting:default:visibility"], "public", "preferences")
same(alice.endorsements(), [], "endorsements")
same(alice.suggestions(), [], "suggestions")

# Follows, and requests for them.
alice.account_follow(you.id)
bob.account_update_credentials(locked=True)
assert carol.follows("bob")
request = bob.follow_requests()
same(ids(request), [carol.me().id], "follow requests")
bob.follow_request_authorize(carol.me().id)
carol.account_unfollow(you.id)
assert carol.account_follow(you.id).requested
bob.follow_request_reject(carol.me().id)
assert not carol.account_relationships(you.id)[0].requested
bob.account_update_credentials(locked=False)
bob.account_follow(me.id)
same(ids(alice.account_following(me.id)), [you.id], "following")
same(ids(alice.account_followers(me.id)), [you.id], "followers")
same(ids(alice.account_search("bob")), [you.id], "search of accounts")

# Statuses with everything on them.
media = alice.media_post(PNG, mime_type="image/png", description="a dot")
same((media.type, media.description), ("image", "a dot"), "an upload")
same(alice.media_update(media.id, description="one dot").description, "one dot", "a changed description")
post = alice.status_post("Look at this #dot", media_ids=[media], sensitive=True, spoiler_text="dots")
same(post.media_attachments[0].description, "one dot", "an attachment")
poll = alice.make_poll(["tea", "coffee"], expires_in=3600, multiple=False)
asked = alice.status_post("Which?", poll=poll)
same(bob.poll(asked.poll.id).votes_count, 0, "votes before")
bob.poll_vote(asked.poll.id, [1])
same(bob.poll(asked.poll.id).options[1].votes_count, 1, "votes after")
same(alice.toot("short").content, "short", "a toot")
answer = bob.status_reply(post, "I see it")
same(ids(alice.status_context(post.id).descendants), [answer.id], "a thread")
same(alice.status(post.id).replies_count, 1, "replies")
assert alice.status_card(post.id) is None or alice.status_card(post.id) == {}
for act, undo, flag in (("favourite", "unfavourite", "favourited"), ("reblog", "unreblog", "reblogged"),
                        ("bookmark", "unbookmark", "bookmarked"), ("mute", "unmute", "muted")):
    done = getattr(bob, "status_" + act)(post.id)
    assert done[flag] or done.reblog and done.reblog[flag], (act, done)
    if act == "favourite":
        same(ids(alice.status_favourited_by(post.id)), [you.id], "who favourited")
        same(ids(bob.favourites()), [post.id], "favourites")
    if act == "reblog":
        same(ids(alice.status_reblogged_by(post.id)), [you.id], "who boosted")
    if act == "bookmark":
        same(ids(bob.bookmarks()), [post.id], "bookmarks")
    assert not getattr(bob, "status_" + undo)(post.id)[flag], undo
assert alice.status_pin(post.id).pinned
same(ids(bob.account_statuses(me.id, pinned=True)), [post.id], "pinned")
assert not alice.status_unpin(post.id).pinned

# Later.
at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(hours=2)
later = alice.status_post("Tomorrow", scheduled_at=at)
same(ids(alice.scheduled_statuses()), [later.id], "scheduled")
same(alice.scheduled_status(later.id).params.text, "Tomorrow", "what is scheduled")
moved = alice.scheduled_status_update(later.id, at + datetime.timedelta(hours=1))
assert abs((moved.scheduled_at - at).total_seconds() - 3600) < 2, moved
alice.scheduled_status_delete(later.id)
same(alice.scheduled_statuses(), [], "nothing is scheduled")

# Timelines.
assert asked.id in ids(bob.timeline_home())
assert asked.id in ids(bob.timeline("public")) and asked.id in ids(bob.timeline_local())
assert asked.id in ids(anybody.timeline_public())
same(ids(bob.timeline_hashtag("dot")), [post.id], "a hashtag")
a_list = bob.list_create("People")
bob.list_accounts_add(a_list, [me.id])
same(ids(bob.list_accounts(a_list)), [me.id], "a list's accounts")
same(ids(bob.account_lists(me.id)), [a_list.id], "an account's lists")
same(bob.list_update(a_list.id, "Friends").title, "Friends", "a list renamed")
same(bob.list(a_list.id).title, "Friends", "a list")
assert asked.id in ids(bob.timeline_list(a_list))
bob.list_accounts_delete(a_list, [me.id])
same(bob.list_accounts(a_list), [], "an empty list")
bob.list_delete(a_list)
same(bob.lists(), [], "lists")

# Direct.
whisper = alice.status_post("@bob psst", visibility="direct")
talk = bob.conversations()
same((len(talk), talk[0].unread, talk[0].last_status.id, ids(talk[0].accounts)), (1, True, whisper.id, [me.id]), "conversations")
bob.conversations_read(talk[0].id)
assert not bob.conversations()[0].unread

# Filters, blocks, mutes.
f = bob.filter_create("spoilt", ["home", "thread"], whole_word=True, irreversible=False)
same(bob.filter(f.id).phrase, "spoilt", "a filter")
same(bob.filter_update(f.id, phrase="spoiled", context=["home"]).phrase, "spoiled", "a filter changed")
same(ids(bob.filters()), [f.id], "filters")
same(bob.filters_apply([asked], bob.filters(), "home"), [asked], "what a filter leaves")
bob.filter_delete(f.id)
same(bob.filters(), [], "no filters")
assert bob.account_mute(me.id, notifications=False).muting
same(ids(bob.mutes()), [me.id], "mutes")
assert not bob.account_unmute(me.id).muting
assert carol.account_block(me.id).blocking
same(ids(carol.blocks()), [me.id], "blocks")
assert not carol.account_unblock(me.id).blocking
carol.domain_block("bad.example")
same(list(carol.domain_blocks()), ["bad.example"], "blocked domains")
carol.domain_unblock("bad.example")
same(list(carol.domain_blocks()), [], "no blocked domains")

# Search.
for search in (bob.search, bob.search_v2):
    found = search("dot")
    assert any(t["name"] == "dot" for t in found.hashtags), found
    assert post.id in ids(found.statuses), found
assert "dot" in bob.search_v1("#dot").hashtags
same(ids(bob.search("alice").accounts), [me.id], "accounts found")

# Notifications and reports.
kinds = [n.type for n in alice.notifications(limit=30)]
for kind in ("follow", "mention"):
    assert kind in kinds, kinds
one = alice.notifications()[0]
same(alice.notifications(id=one.id).id, one.id, "a notification")
alice.notifications_dismiss(one.id)
alice.notifications_clear()
same(alice.notifications(), [], "no notifications")
report = bob.report(me.id, [post.id], "too many dots", forward=False)
assert report.id

alice.status_delete(whisper.id)
try:
    alice.status(whisper.id)
    raise AssertionError("a deleted status is there")
except MastodonNotFoundError:
    pass

# A newcomer.
app = Counted(client_id=client_id, client_secret=client_secret, api_base_url=BASE, version_check_mode="none")
app.create_account("newcomer", PASSWORD, "newcomer@example.org", agreement=True)
same(app.me().acct, "newcomer", "a newcomer")

never = calls_of_level((2, 8, 0)) - made - ABSENT
assert not never, f"calls never made: {sorted(never)}"
json.dump({"calls": len(calls_of_level((2, 8, 0)) & made)}, sys.stdout)

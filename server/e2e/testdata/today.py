"""Makes the calls of Mastodon.py that came after the level 2.8 and that svc answers.

Edits have a script of their own. Reads a JSON object from standard input: base,
alice, bob, carol (nicknames) and password. Fails with a traceback on the first thing
that is not as it must be, and when a call of the library was never made.
"""
import ast
import datetime
import glob
import inspect
import json
import os
import sys

import mastodon
from mastodon import Mastodon, MastodonAPIError, MastodonNotFoundError

given = json.load(sys.stdin)
BASE, PASSWORD = given["base"], given["password"]

# What svc does not have, by its specification: Mastodon's admin API, the directory,
# featured hashtags, mails before the confirmation. Edits are in edits.py; announcements
# have tests of their own.
ABSENT = ("admin_", "directory", "featured_tag", "email_", "announcement", "status_update", "status_history", "stream_")

made = set()


class Counted(Mastodon):
    """Notes which calls are made from outside."""

    def __getattribute__(self, name):
        value = super().__getattribute__(name)
        if not name.startswith("_") and inspect.ismethod(value):
            made.add(name)
        return value


def calls_above(level):
    """The names of the library's calls that came after level."""
    names = set()
    for path in glob.glob(os.path.join(os.path.dirname(mastodon.__file__), "*.py")):
        for node in ast.walk(ast.parse(open(path, encoding="utf-8").read())):
            if not isinstance(node, ast.FunctionDef):
                continue
            for d in node.decorator_list:
                if isinstance(d, ast.Call) and getattr(d.func, "id", "") == "api_version":
                    if tuple(map(int, d.args[0].value.split("."))) > level:
                        names.add(node.name)
    return {n for n in names if not n.startswith(ABSENT)}


def same(got, want, what):
    assert got == want, f"{what}: got {got!r}, want {want!r}"


def ids(items):
    return [i["id"] for i in items]


def absent(call):
    try:
        call()
    except MastodonNotFoundError:
        return
    raise AssertionError("found")


# The log-in with the scope profile too, and apps with several redirect URIs.
SCOPES = ["profile", "read", "write", "follow", "push"]
client_id, client_secret = Mastodon.create_app(
    "Today", api_base_url=BASE, scopes=SCOPES, redirect_uris=["icecubesapp://", "urn:ietf:wg:oauth:2.0:oob"])


def log_in(nickname, scopes):
    m = Counted(client_id=client_id, client_secret=client_secret, api_base_url=BASE, feature_set="mainline", version_check_mode="none")
    m.log_in(nickname, PASSWORD, scopes=scopes)
    return m


alice, bob, carol = (log_in(given[n], SCOPES[1:]) for n in ("alice", "bob", "carol"))
anybody = Counted(api_base_url=BASE, version_check_mode="none")
profiled = log_in(given["alice"], ["profile"])
same(profiled.me().acct, "alice", "who signed in for a profile")
try:
    profiled.timeline_home()
    raise AssertionError("the scope profile opens the home timeline")
except MastodonAPIError as e:
    same(e.args[1], 403, "the home timeline for a profile")

# The instance.
assert not anybody.instance_health()  # it knows "OK" alone, not today's {"status":"UP"}
same(anybody.instance_nodeinfo().metadata.upstream.name, "mastodon", "upstream")
same([r.text for r in anybody.instance_rules()], ["Be kind"], "rules")
same((anybody.trending_tags(), anybody.trending_statuses(), anybody.trending_links()), ([], [], []), "trends")

# Accounts.
me, you, third = alice.me(), bob.me(), carol.me()
same(anybody.account_lookup("alice").id, me.id, "lookup")
absent(lambda: anybody.account_lookup("nobody"))
same(bob.account_note_set(me.id, "met at a fair").note, "met at a fair", "a note")
same(bob.account_relationships(me.id)[0].note, "met at a fair", "a note")
assert bob.account_follow(me.id, reblogs=True, notify=True).notifying
bob.account_follow(third.id)
carol.account_follow(me.id)
familiar = bob.account_familiar_followers(me.id)
same([(f.id, ids(f.accounts)) for f in familiar], [(me.id, [third.id])], "familiar followers")
assert not alice.account_remove_from_followers(third.id).followed_by
same(anybody.account_featured_tags(me.id), [], "featured hashtags")
assert isinstance(me.created_at, datetime.datetime), me.created_at

# Statuses, markers and notifications of new types.
post = alice.status_post("Rain #sea", language="en")
same((post.edited_at, post.filtered), (None, []), "a new status")
assert bob.status_bookmark(post).bookmarked
same(ids(bob.bookmarks(limit=1)), [post.id], "bookmarks")
assert not bob.status_unbookmark(post).bookmarked
kinds = [n.type for n in bob.notifications(types=["status"])]
same(kinds, ["status"], "notifications of somebody's posts")
bob.markers_set(["home", "notifications"], [post.id, 5])
same(bob.markers_get(["home"]).home.last_read_id, str(post.id), "a marker")
dot = alice.media_post(b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;",
                       mime_type="image/gif", description="a dot")
same((alice.media(dot.id).description, dot.meta.original.size), ("a dot", "1x1"), "a file")

# Push.
_, public = bob.push_subscription_generate_keys()
pushed = bob.push_subscription_set("https://push.example.org/nobody", public, mention_events=True, poll_events=True,
                                   follow_request_events=False, status_events=True)
assert isinstance(pushed.id, int), pushed.id
same((pushed.alerts.mention, pushed.alerts.poll, pushed.alerts.status, pushed.alerts.follow), (True, True, True, False), "alerts")
same(bob.push_subscription().id, pushed.id, "the subscription")
assert bob.push_subscription_update(follow_events=True).alerts.follow
bob.push_subscription_delete()
absent(bob.push_subscription)

never = calls_above((2, 8, 0)) - made
assert not never, f"calls never made: {sorted(never)}"
json.dump({"calls": len(calls_above((2, 8, 0)) & made)}, sys.stdout)

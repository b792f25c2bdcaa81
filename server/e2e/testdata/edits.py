"""Edits statuses with Mastodon.py, which checks the types of what it gets.

Reads a JSON object from standard input: base, alice and bob (tokens). Fails with a
traceback on the first thing that is not as it must be.
"""
import base64
import datetime
import json
import sys

from mastodon import Mastodon, MastodonNotFoundError

given = json.load(sys.stdin)
PNG = base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")


def same(got, want, what):
    assert got == want, f"{what}: got {got!r}, want {want!r}"


alice, bob = (Mastodon(access_token=given[n], api_base_url=given["base"], version_check_mode="none") for n in ("alice", "bob"))

dot = alice.media_post(PNG, mime_type="image/png", description="a dot", focus=(0.5, -0.5))
same(dict(dot.meta.focus), {"x": 0.5, "y": -0.5}, "focus")
same((dot.meta.original.width, dot.meta.original.height, dot.meta.small.size), (1, 1, "1x1"), "sizes")
same(len(dot.blurhash), 28, "blurhash")

post = alice.status_post("first", media_ids=[dot], spoiler_text="cw", language="en")
same(post.edited_at, None, "a new status")
same(alice.status_source(post).text, "first", "source")
bob.status_reblog(post)
poll = alice.make_poll(["a", "b"], 3600)
edited = alice.status_update(post, "second @bob", poll=poll)
assert isinstance(edited.edited_at, datetime.datetime), edited.edited_at
same([o.title for o in edited.poll.options], ["a", "b"], "options")
same(edited.media_attachments, [], "files")
edited = alice.status_update(post, "third @bob", spoiler_text="again", sensitive=True, media_ids=[dot])
same((edited.spoiler_text, edited.sensitive, edited.poll, len(edited.media_attachments)), ("again", True, None, 1), "the third version")
again = alice.status_update(post, "third @bob", spoiler_text="again", sensitive=True, media_ids=[dot])
same(again.edited_at, edited.edited_at, "the same once more")

source = alice.status_source(post)
same((source.id, source.text, source.spoiler_text), (post.id, "third @bob", "again"), "source")
try:
    bob.status_source(post)
    raise AssertionError("a stranger reads the source")
except MastodonNotFoundError:
    pass
versions = bob.status_history(post)
same([v.spoiler_text for v in versions], ["cw", "", "again"], "warnings of versions")
same([len(v.media_attachments) for v in versions], [1, 0, 1], "files of versions")
same([bool(v.poll) for v in versions], [False, True, False], "polls of versions")
same([v.created_at for v in versions], [post.created_at, versions[1].created_at, edited.edited_at], "times of versions")
same(sorted(n.type for n in bob.notifications()), ["mention", "update"], "notifications")

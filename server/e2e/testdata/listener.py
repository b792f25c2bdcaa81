"""Listens with Mastodon.py while others act, and names a device for push messages.

Reads {base, alice, bob, password, admin} from standard input; fails with a traceback on
the first event that is not as it must be.
"""
import json
import queue
import sys
import time
import urllib.request

from mastodon import Mastodon, MastodonNotFoundError, StreamListener

given = json.load(sys.stdin)
BASE, PASSWORD = given["base"], given["password"]


def same(got, want, what):
    assert got == want, f"{what}: got {got!r}, want {want!r}"


def sign_in(nickname):
    key, secret = Mastodon.create_app("Listener", api_base_url=BASE, scopes=["read", "write", "follow", "push"])
    client = Mastodon(client_id=key, client_secret=secret, api_base_url=BASE, version_check_mode="none")
    client.log_in(nickname, PASSWORD, scopes=["read", "write", "follow", "push"])
    return client


class Heard(StreamListener):
    """Puts each event into a queue."""

    def __init__(self):
        self.events = queue.Queue()

    def on_update(self, status):
        self.events.put(("update", status))

    def on_delete(self, status_id):
        self.events.put(("delete", status_id))

    def on_notification(self, notification):
        self.events.put(("notification", notification))

    def on_conversation(self, conversation):
        self.events.put(("conversation", conversation))

    def on_filters_changed(self):
        self.events.put(("filters_changed", None))

    def on_status_update(self, status):
        self.events.put(("status.update", status))

    def on_unknown_event(self, name, unknown_event=None):
        self.events.put((name, unknown_event))

    def on_abort(self, err):
        self.events.put(("abort", err))

    def next(self, want):
        """The payload of the next event of a name; others are passed over."""
        while True:
            name, payload = self.events.get(timeout=30)
            assert name != "abort", payload
            if name == want:
                return payload


alice, bob = sign_in(given["alice"]), sign_in(given["bob"])
me, you = alice.account_verify_credentials(), bob.account_verify_credentials()
alice.account_follow(you.id)
assert alice.stream_healthy()

home, direct, public = Heard(), Heard(), Heard()
handles = [
    alice.stream_user(home, run_async=True), alice.stream_direct(direct, run_async=True), alice.stream_public(public, run_async=True),
]
# Each connects in a thread of its own.
end = time.monotonic() + 30
while any(handle.connection is None for handle in handles):
    assert time.monotonic() < end, "a stream does not connect"
    time.sleep(0.02)

said = bob.status_post("good morning", visibility="public")
same(home.next("update").id, said.id, "update")
same(public.next("update").content, said.content, "update of the public stream")

asked = bob.status_post("@alice tea?", visibility="unlisted")
told = home.next("notification")
same((told.type, told.status.id, told.account.id), ("mention", asked.id, you.id), "notification")

whispered = bob.status_post("@alice psst", visibility="direct")
heard = direct.next("conversation")
same((heard.last_status.id, heard.unread), (whispered.id, True), "conversation")

# A moderator marks a status as sensitive.
urllib.request.urlopen(urllib.request.Request(
    f"{BASE}/api/svc/admin/statuses/{said.id}", method="PUT", data=b'{"sensitive":true}',
    headers={"Authorization": "Bearer " + given["admin"], "Content-Type": "application/json"})).close()
for heard in home, public:
    changed = heard.next("status.update")
    same((changed.id, changed.sensitive), (said.id, True), "changed status")

bob.status_delete(said.id)
same(str(home.next("delete")), str(said.id), "delete")
same(str(public.next("delete")), str(said.id), "delete of the public stream")

# The events of the service's own.
def call(client, path, **params):
    return client._Mastodon__api_request("POST", path, params)


chat = call(bob, f"/api/v1/svc/chats/by-account-id/{me.id}")
call(bob, f"/api/v1/svc/chats/{chat.id}/messages", content="psst")
told = home.next("svc:chat_update")
same((told.account.id, told.last_message.content, told.unread), (you.id, "psst", 1), "chat")

alice.account_unfollow(you.id)
alice.account_follow(you.id)
for state in "unfollow", "follow_accept":
    told = home.next("svc:follow_relationships_update")
    same((told.state, told.follower.id, told.following.id), (state, me.id, you.id), "follow")

alice.filter_create("spoilers", context=["home"])
home.next("filters_changed")

for handle in handles:
    handle.close()

# A device: the public key of RFC 8291, Appendix A.
device = {
    "pubkey": bytes.fromhex(
        "042571b2becdfde360551aaf1ed0f4cd366c11cebe555f89bcb7b186a53339173168ece2ebe018597bd30479b86e3c8f8eced577ca59187e9246990db682008b0e"),
    "auth": bytes(range(16)),
}
endpoint = BASE + "/nobody/reads/this"
made = alice.push_subscription_set(endpoint, device, mention_events=True, favourite_events=False)
same((made.endpoint, made.alerts.mention, made.alerts.favourite), (endpoint, True, False), "subscription")
same(made.server_key, alice.instance().vapid_public_key, "server key")
same(alice.push_subscription().id, made.id, "kept subscription")
changed = alice.push_subscription_update(follow_events=True, mention_events=True)
same((changed.alerts.follow, changed.alerts.mention, changed.alerts.reblog), (True, True, False), "changed subscription")
alice.push_subscription_delete()
try:
    alice.push_subscription()
    raise AssertionError("the subscription is kept")
except MastodonNotFoundError:
    pass

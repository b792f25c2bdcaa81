// A server of another make that follows, reads and answers people of ours, and is
// followed, read and answered: with the library Fedify, which reads documents as
// linked data, signs and verifies by its own code. Standard input says where our
// server is and who alice is there; a promise that is not kept ends it with 1.
import { createServer } from "node:http";
import { Temporal } from "@js-temporal/polyfill";
import {
  Accept, Announce, Create, createFederation, Delete, Endpoints, Follow, generateCryptoKeyPair, InProcessMessageQueue, Like,
  MemoryKvStore, Mention, Note, Person, PUBLIC_COLLECTION, Undo, Update,
} from "@fedify/fedify";

const chunks = [];
for await (const c of process.stdin) chunks.push(c);
const { base, alice } = JSON.parse(Buffer.concat(chunks).toString());

// The peer listens on an address of its own, which is its name.
const server = createServer();
await new Promise((done) => server.listen(0, "127.0.0.3", done));
const origin = `http://127.0.0.3:${server.address().port}`;

const got = [];
const notes = new Map();
const followers = new Map();
const key = await generateCryptoKeyPair("RSASSA-PKCS1-v1_5");
const federation = createFederation({ kv: new MemoryKvStore(), queue: new InProcessMessageQueue(), allowPrivateAddress: true, origin });

federation.setActorDispatcher("/users/{identifier}", async (ctx, identifier) => {
  if (identifier !== "fred") return null;
  const keys = await ctx.getActorKeyPairs(identifier);
  return new Person({
    id: ctx.getActorUri(identifier), preferredUsername: identifier, name: "Fred", summary: "<p>of elsewhere</p>",
    inbox: ctx.getInboxUri(identifier), outbox: ctx.getOutboxUri(identifier), followers: ctx.getFollowersUri(identifier),
    endpoints: new Endpoints({ sharedInbox: ctx.getInboxUri() }), publicKey: keys[0].cryptographicKey, url: ctx.getActorUri(identifier),
  });
}).setKeyPairsDispatcher(() => [key]);
federation.setOutboxDispatcher("/users/{identifier}/outbox", () => ({ items: [] }));
federation.setFollowersDispatcher("/users/{identifier}/followers", () => ({ items: [...followers.values()] }));
federation.setObjectDispatcher(Note, "/notes/{id}", (_, { id }) => notes.get(id) ?? null);
const keep = (what) => async (ctx, activity) => {
  const object = await activity.getObject(ctx).catch(() => null);
  got.push({ what, object: (object?.id ?? activity.objectId)?.href, kind: object?.constructor.name, content: object?.content?.toString(), name: object?.name?.toString() });
};
federation.setInboxListeners("/users/{identifier}/inbox", "/inbox")
  .on(Follow, async (ctx, follow) => {
    const who = await follow.getActor(ctx);
    followers.set(who.id.href, { id: who.id, inboxId: who.inboxId, endpoints: who.endpoints });
    await ctx.sendActivity({ identifier: "fred" }, who, new Accept({ id: id(), actor: me, object: follow }));
  })
  .on(Accept, keep("Accept")).on(Create, keep("Create")).on(Update, keep("Update")).on(Like, keep("Like"))
  .on(Announce, keep("Announce")).on(Undo, keep("Undo")).on(Delete, keep("Delete"))
  .onError((_, error) => fail(`the peer could not take an activity: ${error.stack}`));

server.on("request", async (req, res) => {
  const body = [];
  for await (const c of req) body.push(c);
  const request = new Request(origin + req.url, { method: req.method, headers: req.headers, body: body.length ? Buffer.concat(body) : undefined });
  const answer = await federation.fetch(request, { contextData: undefined });
  res.writeHead(answer.status, Object.fromEntries(answer.headers)).end(Buffer.from(await answer.arrayBuffer()));
});

const ctx = federation.createContext(new URL(origin), undefined);
const me = ctx.getActorUri("fred");
const id = () => new URL(`/activities/${crypto.randomUUID()}`, origin);
const send = (to, activity) => ctx.sendActivity({ identifier: "fred" }, to, activity, { immediate: true });

function fail(why) {
  console.error(why);
  process.exit(1);
}

async function call(method, path, body) {
  const answer = await fetch(base + path, {
    method, headers: { Authorization: `Bearer ${alice}`, ...(body && { "Content-Type": "application/json" }) }, body: body && JSON.stringify(body),
  });
  if (!answer.ok) fail(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function eventually(what, ask) {
  for (const end = Date.now() + 20_000; Date.now() < end;) {
    const value = await ask();
    if (value) return value;
    await new Promise((done) => setTimeout(done, 50));
  }
  fail(`not in time: ${what}; the peer got ${JSON.stringify(got)}`);
}
const arrives = (what, ok) => eventually(`the peer gets ${what}`, () => got.find((g) => g.what === what && ok(g)));

// Each finds and follows the other.
const found = await call("GET", `/api/v2/search?resolve=true&type=accounts&q=@fred@${new URL(origin).host}`);
const fred = found.accounts[0] ?? fail("our server does not find the peer's account");
if (fred.display_name !== "Fred") fail(`display name ${fred.display_name}`);
const related = async () => (await call("GET", `/api/v1/accounts/relationships?id[]=${fred.id}`))[0];
await call("POST", `/api/v1/accounts/${fred.id}/follow`);
await eventually("alice follows", async () => (await related()).following);
const person = await ctx.lookupObject(`${base}/users/alice`);
if (!(person instanceof Person) || person.preferredUsername !== "alice") fail(`our actor reads as ${person}`);
await send(person, new Follow({ id: id(), actor: me, object: person.id }));
await arrives("Accept", () => true);
await eventually("fred follows", async () => (await related()).followed_by);

// Ours posts, theirs acts on it.
const status = await call("POST", "/api/v1/statuses", { status: `good morning @fred@${new URL(origin).host} #tea` });
const create = await arrives("Create", (g) => g.object === status.uri);
if (create.kind !== "Note" || !create.content.includes("good morning")) fail(`our post reads as ${JSON.stringify(create)}`);
const post = await ctx.lookupObject(status.uri);
const tags = [];
for await (const tag of post.getTags(ctx)) tags.push(`${tag.constructor.name} ${tag.name}`);
if (tags.sort().join() !== `Hashtag #tea,Mention @fred@${new URL(origin).host}`) fail(`our tags read as ${tags}`);
await send(person, new Like({ id: id(), actor: me, object: post.id, to: person.id }));
await send(person, new Announce({ id: id(), actor: me, object: post.id, to: PUBLIC_COLLECTION, ccs: [person.id, ctx.getFollowersUri("fred")] }));
await eventually("the like and the boost", async () => {
  const s = await call("GET", `/api/v1/statuses/${status.id}`);
  return s.favourites_count === 1 && s.reblogs_count === 1;
});

// Theirs posts and answers, ours acts on it.
async function write(content, more, to) {
  const name = crypto.randomUUID();
  const tos = [PUBLIC_COLLECTION];
  const ccs = [ctx.getFollowersUri("fred"), person.id];
  const note = new Note({ id: ctx.getObjectUri(Note, { id: name }), attribution: me, content, tos, ccs, published: Temporal.Now.instant(), ...more });
  notes.set(name, note);
  await send(to, new Create({ id: id(), actor: me, object: note, tos, ccs }));
  return note.id.href;
}
const uri = await write("<p>from <b>afar</b><script>alert(1)</script></p>", {}, "followers");
const theirs = await eventually("their post at home", async () => (await call("GET", "/api/v1/timelines/home")).find((s) => s.uri === uri));
if (theirs.content !== "<p>from <b>afar</b></p>") fail(`their post reads as ${theirs.content}`);
const reply = await write("<p>and to you</p>", { replyTarget: post.id, tags: [new Mention({ href: person.id, name: "@alice" })] }, person);
await eventually("their answer in the thread", async () => (await call("GET", `/api/v1/statuses/${status.id}/context`)).descendants.some((s) => s.uri === reply));
await eventually("a mention", async () => (await call("GET", "/api/v1/notifications")).some((n) => n.type === "mention" && n.status.uri === reply));
for (const act of ["favourite", "reblog", "unfavourite", "unreblog"]) await call("POST", `/api/v1/statuses/${theirs.id}/${act}`);
await arrives("Like", (g) => g.object === uri);
await arrives("Announce", (g) => g.object === uri);
await arrives("Undo", (g) => g.kind === "Like");
await arrives("Undo", (g) => g.kind === "Announce");

// Profiles change, posts go, follows end.
await call("PATCH", "/api/v1/accounts/update_credentials", { display_name: "Alice of here" });
await arrives("Update", (g) => g.object === `${base}/users/alice` && g.name === "Alice of here");
await call("DELETE", `/api/v1/statuses/${status.id}`);
await arrives("Delete", (g) => g.object === status.uri);
if ((await fetch(status.uri, { headers: { Accept: "application/activity+json" } })).status !== 410) fail("a deleted post is not gone");
await send(person, new Delete({ id: id(), actor: me, object: new URL(uri), to: PUBLIC_COLLECTION }));
await eventually("their post is gone", async () => !(await call("GET", "/api/v1/timelines/home")).some((s) => s.uri === uri));
await call("POST", `/api/v1/accounts/${fred.id}/unfollow`);
await arrives("Undo", (g) => g.kind === "Follow");
process.exit(0);

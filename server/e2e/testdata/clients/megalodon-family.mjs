// Makes the calls in which megalodon's client for Pleroma differs from that for Mastodon, to
// a server with SVC_NAME=pleroma, and finds it by nodeinfo. Reads {base, alice, bob} (access
// tokens) from standard input; fails on the first answer that is not as it must be.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import generator, { detector } from 'megalodon'
import WebSocket from 'ws'

globalThis.WebSocket ??= WebSocket

const given = JSON.parse(readFileSync(0, 'utf8'))
assert.equal(await detector(given.base), 'pleroma')
const [alice, bob] = [given.alice, given.bob].map(token => generator('pleroma', given.base, token))
const patience = setTimeout(() => { throw new Error('an event does not come') }, 20_000)

assert.match((await alice.getInstance()).data.version, /^2\.7\.2 \(compatible; Pleroma /)
const me = (await alice.verifyAccountCredentials()).data
const you = (await bob.verifyAccountCredentials()).data
assert.equal((await alice.followAccount(you.id)).data.following, true)
assert.equal((await bob.followAccount(me.id)).data.following, true)

const socket = await alice.userStreaming()
const heard = new Promise(resolve => socket.on('notification', n => n.type === 'reaction' && resolve(n)))
socket.on('error', e => { throw e })
await once(socket, 'connect')

const post = (await alice.postStatus('svc and pleroma, <b>both</b>', { visibility: 'public', spoiler_text: 'svc' })).data
assert.equal(post.plain_content, 'svc and pleroma, <b>both</b>')
assert.equal(post.spoiler_text, 'svc')
assert.deepEqual((await bob.createEmojiReaction(post.id, '☕')).data.emoji_reactions.map(r => [r.name, r.count, r.me]), [['☕', 1, true]])
assert.deepEqual((await alice.getEmojiReactions(post.id)).data.map(r => [r.name, r.accounts.map(a => a.id)]), [['☕', [you.id]]])
assert.equal((await heard).status.id, post.id)
socket.stop()
const news = (await alice.getNotifications()).data
const reacted = news.find(n => n.type === 'reaction')
assert.equal(reacted?.account.id, you.id)
await alice.readNotifications({ id: reacted.id })
await alice.readNotifications({ max_id: news[0].id })
assert.equal((await alice.getMarkers(['notifications'])).data.notifications.unread_count, 0)
assert.deepEqual((await bob.deleteEmojiReaction(post.id, '☕')).data.emoji_reactions, [])
await bob.favouriteStatus(post.id)
assert.deepEqual((await bob.getAccountFavourites(you.id)).data.map(s => s.id), [post.id])
assert.deepEqual((await alice.getHomeTimeline()).data.map(s => s.id), [post.id])
clearTimeout(patience)
process.exit(0)

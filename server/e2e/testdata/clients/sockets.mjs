// Listens with the sockets of masto and megalodon while others act. Reads
// {base, alice, bob, admin} (access tokens) from standard input; fails on the first
// event that is not as it must be.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { once } from 'node:events'
import { createRestAPIClient, createStreamingAPIClient } from 'masto'
import { Mastodon } from 'megalodon'
import WebSocket from 'ws'

// Node has both since 22.
globalThis.WebSocket ??= WebSocket
Promise.withResolvers ??= function () {
  const made = {}
  made.promise = new this((resolve, reject) => Object.assign(made, { resolve, reject }))
  return made
}

const given = JSON.parse(readFileSync(0, 'utf8'))
const [alice, bob] = [given.alice, given.bob].map(accessToken => createRestAPIClient({ url: given.base, accessToken }))
const me = await alice.v1.accounts.verifyCredentials()
const you = await bob.v1.accounts.verifyCredentials()
await alice.v1.accounts.$select(you.id).follow()
let waits = 'the first event'
const patience = setTimeout(() => { throw new Error(`${waits} does not come`) }, 20_000)

// next waits for the next event of a name that is wanted, among those that were
// heard. Events from before may still come.
const next = (heard, name, wanted = () => true) => new Promise(resolve => {
  waits = `${name}, after ${heard.events.map(e => e.event)},`
  const look = () => {
    const i = heard.events.findIndex(e => e.event === name && wanted(e.payload))
    if (i < 0) return false
    const [found] = heard.events.splice(0, i + 1).slice(-1)
    heard.woken = null
    resolve(found.payload)
    return true
  }
  if (!look()) heard.woken = look
})
const hears = () => ({ events: [], woken: null, hear(e) { this.events.push(e); this.woken?.() } })

// act has bob do things, and looks for them among what was heard on the home
// timeline and of direct messages.
const act = async (home, direct) => {
  const said = await bob.v1.statuses.create({ status: 'good morning', visibility: 'public' })
  const update = await next(home, 'update', p => p.id === said.id)
  assert.equal(update.content, said.content)
  const asked = await bob.v1.statuses.create({ status: '@alice tea?', visibility: 'unlisted' })
  const told = await next(home, 'notification', p => p.status?.id === asked.id)
  assert.deepEqual([told.type, told.account.id], ['mention', you.id])
  const whispered = await bob.v1.statuses.create({ status: '@alice psst', visibility: 'direct' })
  await next(direct, 'conversation', p => (p.lastStatus ?? p.last_status).id === whispered.id)
  const marked = await fetch(`${given.base}/api/svc/admin/statuses/${said.id}`, {
    method: 'PUT', body: '{"sensitive":true}', headers: { authorization: `Bearer ${given.admin}`, 'content-type': 'application/json' },
  })
  assert.equal(marked.status, 200)
  assert.equal((await next(home, 'status.update', p => p.id === said.id)).sensitive, true)
  await bob.v1.statuses.$select(said.id).remove()
  await next(home, 'delete', p => p === said.id)
  await bob.v1.statuses.$select(whispered.id).remove()
}

// masto: one socket for both streams.
{
  const streaming = createStreamingAPIClient({ streamingApiUrl: `${given.base.replace('http', 'ws')}/api/v1/streaming`, accessToken: given.alice, implementation: WebSocket })
  const [home, direct] = [hears(), hears()]
  const subscriptions = [streaming.user.subscribe(), streaming.direct.subscribe()]
  const into = [home, direct]
  let done = false
  subscriptions.forEach(async (s, i) => {
    try {
      for await (const e of s) into[i].hear(e)
    } catch (e) {
      if (!done) throw e // masto's sockets end with an error
    }
  })
  // The streams are on when something was heard of each.
  for (const on of into) {
    while (on.events.length === 0) {
      await bob.v1.statuses.create({ status: '@alice are you there?', visibility: 'direct' })
      await new Promise(resolve => setTimeout(resolve, 50))
    }
  }
  into.forEach(on => { on.events = [] })
  await act(home, direct)
  // The events of the service's own, of which masto knows no types.
  const post = async (path, body) => {
    const answer = await fetch(`${given.base}/api/v1/svc/chats/${path}`, {
      method: 'POST', body: JSON.stringify(body), headers: { authorization: `Bearer ${given.bob}`, 'content-type': 'application/json' },
    })
    assert.equal(answer.status, 200)
    return answer.json()
  }
  const chat = await post(`by-account-id/${me.id}`, {})
  await post(`${chat.id}/messages`, { content: 'psst' })
  const told = await next(home, 'svc:chat_update')
  assert.deepEqual([told.account.id, told.lastMessage.content, told.unread], [you.id, 'psst', 1])
  await alice.v1.accounts.$select(you.id).unfollow()
  await alice.v1.accounts.$select(you.id).follow()
  for (const state of ['unfollow', 'follow_accept']) {
    const follow = await next(home, 'svc:follow_relationships_update')
    assert.deepEqual([follow.state, follow.follower.id, follow.following.id], [state, me.id, you.id])
  }
  await alice.v1.filters.create({ phrase: 'spoilers', context: ['home'] })
  await next(home, 'filters_changed')
  done = true
  streaming.close()
}

// megalodon: a socket for each stream.
{
  const client = new Mastodon(given.base, given.alice)
  const [home, direct] = [hears(), hears()]
  const sockets = []
  for (const [begin, on] of [[() => client.userStreaming(), home], [() => client.directStreaming(), direct]]) {
    const socket = await begin()
    sockets.push(socket)
    for (const name of ['update', 'notification', 'delete', 'conversation']) socket.on(name, payload => on.hear({ event: name, payload }))
    socket.on('status_update', payload => on.hear({ event: 'status.update', payload }))
    socket.on('error', e => { throw e })
    waits = 'a connection'
    await once(socket, 'connect')
  }
  await act(home, direct)
  sockets.forEach(socket => socket.stop())
}
clearTimeout(patience)
assert.ok(me.id)
process.exit(0)

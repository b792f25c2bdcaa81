// Makes the calls of megalodon that came after the level 2.7.2 and that svc answers, as
// Whalebird does: it finds out what kind of server this is first. Reads {base, alice,
// bob, carol} (access tokens) from standard input; fails on the first answer that is
// not as it must be.
import assert from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync, createReadStream, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import generator, { detector } from 'megalodon'

const given = JSON.parse(readFileSync(0, 'utf8'))
const kind = await detector(given.base)
assert.equal(kind, 'mastodon')
const [alice, bob, carol, anybody] = [given.alice, given.bob, given.carol, null].map(token => generator(kind, given.base, token))
const ids = r => r.data.map(x => x.id)
const refused = async (call, status, words = '') => {
  await assert.rejects(call, e => e.response?.status === status && e.response.data.error.includes(words), `not refused with ${status} ${words}`)
}

// Apps and accounts.
const app = await anybody.registerApp('Today', { scopes: ['profile', 'read', 'write'], redirect_uris: 'icecubesapp://' })
assert.ok(app.url.includes('redirect_uri=icecubesapp'))
const [me, you, third] = (await Promise.all([alice, bob, carol].map(c => c.verifyAccountCredentials()))).map(r => r.data)
const profile = (await alice.updateCredentials({ display_name: 'Alice', fields_attributes: [{ name: 'Site', value: 'https://alice.example' }] })).data
assert.deepEqual(profile.fields.map(f => f.name), ['Site'])
assert.equal((await anybody.lookupAccount('alice')).data.id, me.id)
await refused(() => anybody.lookupAccount('nobody'), 404)
assert.equal((await bob.setAccountNote(me.id, 'met at a fair')).data.note, 'met at a fair')
assert.equal((await bob.getRelationship(me.id)).data.note, 'met at a fair')
const follow = (await bob.followAccount(me.id, { reblog: true })).data
assert.deepEqual([follow.following, follow.showing_reblogs], [true, true])

// Edits.
const file = join(mkdtempSync(join(tmpdir(), 'megalodon')), 'dot.png')
writeFileSync(file, Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'))
const upload = (await alice.uploadMedia(createReadStream(file), { description: 'a dot', focus: '0.5,-0.5' })).data
assert.equal(upload.meta.focus.x, 0.5)
assert.equal(upload.blurhash.length, 28)
const post = (await alice.postStatus('Rain #sea', { media_ids: [upload.id], language: 'en' })).data
assert.equal(post.edited_at, null)
await bob.reblogStatus(post.id)
const edited = (await alice.editStatus(post.id, { status: 'Storm #sea @carol', spoiler_text: 'weather', sensitive: true, media_ids: [upload.id] })).data
assert.ok(edited.edited_at > post.created_at)
assert.deepEqual([edited.spoiler_text, edited.media_attachments.length, edited.mentions.map(m => m.acct)], ['weather', 1, ['carol']])
const source = (await alice.getStatusSource(post.id)).data
assert.deepEqual([source.text, source.spoiler_text], ['Storm #sea @carol', 'weather'])
await refused(() => bob.getStatusSource(post.id), 404)
await refused(() => bob.editStatus(post.id, { status: 'mine' }), 404)
const asked = (await alice.postStatus('Which?', { poll: { options: ['tea', 'coffee'], expires_in: 3600 } })).data
await bob.votePoll(asked.poll.id, [0])
const changed = (await alice.editStatus(asked.id, { status: 'Which one?', poll: { options: ['tea', 'milk'], expires_in: 3600 } })).data
assert.deepEqual([changed.poll.votes_count, changed.poll.options.map(o => o.title)], [0, ['tea', 'milk']])
const later = (await alice.postStatus('Tomorrow', { scheduled_at: new Date(Date.now() + 7200e3).toISOString() })).data
assert.equal((await alice.getScheduledStatus(later.id)).data.params.text, 'Tomorrow')
await alice.cancelScheduledStatus(later.id)

// Hashtags.
assert.deepEqual([(await carol.getTag('Sea')).data.name, (await carol.getTag('Sea')).data.following], ['sea', false])
assert.equal((await carol.followTag('Sea')).data.following, true)
assert.deepEqual((await carol.getFollowedTags()).data.map(t => t.name), ['sea'])
const wave = (await alice.postStatus('Waves #sea')).data
assert.ok(ids(await carol.getHomeTimeline()).includes(wave.id))
assert.equal((await carol.unfollowTag('Sea')).data.following, false)
assert.deepEqual((await carol.getFollowedTags()).data, [])

// Notifications, reports, push.
const types = (await bob.getNotifications()).data.map(n => n.type)
assert.ok(types.includes('update') || types.includes('status_update'), String(types))
assert.ok((await carol.getNotifications()).data.some(n => n.type === 'mention' && n.status.id === post.id))
const report = (await bob.report(me.id, { status_ids: [post.id], comment: 'unkind', category: 'spam' })).data
assert.deepEqual([report.category, report.comment, report.status_ids, report.target_account.id], ['spam', 'unkind', [post.id], me.id])
await refused(() => bob.report(me.id, { category: 'boring' }), 422, 'Validation failed: ')
const keys = createECDH('prime256v1')
keys.generateKeys()
const subscription = { endpoint: 'https://push.example.org/nobody', keys: { p256dh: keys.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') } }
const pushed = (await bob.subscribePushNotification(subscription, { alerts: { mention: true, poll: true } })).data
assert.deepEqual([pushed.endpoint, pushed.alerts.mention, pushed.alerts.poll, pushed.alerts.follow], [subscription.endpoint, true, true, false])
assert.equal((await bob.getPushSubscription()).data.id, pushed.id)
assert.equal((await bob.updatePushSubscription({ alerts: { follow: true } })).data.alerts.follow, true)
await bob.deletePushSubscription()
await refused(() => bob.getPushSubscription(), 404)
console.log('{}')

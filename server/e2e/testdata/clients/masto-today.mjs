// Makes the calls of masto that came after the level 2.7.2 and that svc answers.
// Reads {base, alice, bob, carol, app, admin} (access tokens) from standard input;
// fails on the first answer that is not as it must be.
import assert from 'node:assert/strict'
import { createECDH, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createOAuthAPIClient, createRestAPIClient } from 'masto'

const given = JSON.parse(readFileSync(0, 'utf8'))
const client = accessToken => createRestAPIClient({ url: given.base, accessToken })
const [alice, bob, carol, mod, anybody] = [given.alice, given.bob, given.carol, given.admin, undefined].map(client)
const ids = list => list.map(x => x.id)
const refused = async (promise, status, words = '') => {
  await assert.rejects((async () => await promise)(), e => e.statusCode === status && e.message.includes(words), `not refused with ${status} ${words}`)
}
const date = text => {
  assert.match(text, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  return text
}

// The instance, and rules that an admin writes.
const admin = async (method, path, body) => {
  const headers = { Authorization: `Bearer ${given.admin}`, 'Content-Type': 'application/json' }
  const answer = await fetch(given.base + path, { method, headers, body: JSON.stringify(body) })
  assert.equal(answer.status, 200, path)
  return answer.json()
}
const rule = await admin('POST', '/api/svc/admin/rules', { text: 'Be kind', hint: 'Always' })
const instance = await anybody.v2.instance.fetch()
assert.match(instance.version, /^4\.2\.0 \(compatible; /)
assert.deepEqual(instance.rules.map(r => [r.id, r.text, r.hint]), [[rule.id, 'Be kind', 'Always']])
assert.equal(typeof instance.registrations.enabled, 'boolean')
for (const [group, names] of Object.entries({
  statuses: ['maxCharacters', 'maxMediaAttachments', 'charactersReservedPerUrl'],
  polls: ['maxOptions', 'maxCharactersPerOption', 'minExpiration', 'maxExpiration'],
  accounts: ['maxFeaturedTags', 'maxPinnedStatuses'],
  mediaAttachments: ['imageSizeLimit', 'imageMatrixLimit', 'videoSizeLimit', 'videoFrameRateLimit', 'videoMatrixLimit']
})) {
  for (const name of names) assert.equal(typeof instance.configuration[group][name], 'number', `${group}.${name}`)
}
assert.equal(instance.configuration.translation.enabled, false)
assert.deepEqual((await anybody.v1.instance.fetch()).rules.map(r => r.text), ['Be kind'])
assert.ok((await anybody.v1.instance.languages.list()).some(l => l.code === 'en' && l.name === 'English'))
assert.equal((await anybody.v1.instance.extendedDescription.fetch()).content, '')
assert.deepEqual(await anybody.v1.instance.domainBlocks.fetch(), [])
for (const trends of ['tags', 'statuses', 'links']) assert.deepEqual(await anybody.v1.trends[trends].list(), [])
assert.deepEqual(await alice.v2.suggestions.list(), [])

// Apps with a list of redirect URIs, and the scope profile.
const uris = ['icecubesapp://', 'https://elk.example/oauth', 'urn:ietf:wg:oauth:2.0:oob']
const made = await anybody.v1.apps.create({ clientName: 'Lists', redirectUris: uris, scopes: 'profile read write', website: 'https://lists.example' })
assert.deepEqual([made.redirectUris, made.scopes, made.clientSecretExpiresAt], [uris, ['profile', 'read', 'write'], 0])
await refused(anybody.v1.apps.create({ clientName: 'Bad', redirectUris: ['javascript:alert(1)'], scopes: 'read' }), 422)
const oauth = createOAuthAPIClient({ url: given.base })
const granted = await oauth.token.create({
  grantType: 'password', clientId: made.clientId, clientSecret: made.clientSecret, redirectUri: uris[2], username: 'carol', password: given.password, scope: 'profile'
})
assert.equal(granted.scope, 'profile')
const profiled = client(granted.accessToken)
assert.equal((await profiled.v1.accounts.verifyCredentials()).acct, 'carol')
await refused(profiled.v1.timelines.home.list(), 403)
const its = await oauth.token.create({ grantType: 'client_credentials', clientId: made.clientId, clientSecret: made.clientSecret, redirectUri: uris[2], scope: 'read' })
const verified = await client(its.accessToken).v1.apps.verifyCredentials()
assert.deepEqual([verified.id, verified.scopes, verified.redirectUris, verified.clientSecret], [made.id, ['profile', 'read', 'write'], uris, undefined])
const claims = await (await fetch(given.base + '/oauth/userinfo', { headers: { Authorization: `Bearer ${granted.accessToken}` } })).json()
assert.deepEqual([claims.preferred_username, claims.iss.length > 0, claims.picture.startsWith('http')], ['carol', true, true])
await oauth.revoke({ clientId: made.clientId, clientSecret: made.clientSecret, token: granted.accessToken })
await refused(profiled.v1.accounts.verifyCredentials(), 401)

// Accounts.
const me = await alice.v1.accounts.verifyCredentials()
const [you, third] = await Promise.all([bob, carol].map(c => c.v1.accounts.verifyCredentials()))
assert.equal(me.role.id, '-99')
assert.equal((await mod.v1.accounts.verifyCredentials()).role.name, 'Admin')
const shown = await alice.v1.accounts.updateCredentials({
  displayName: 'Alice', note: 'Here', indexable: false, hideCollections: true, discoverable: true,
  fieldsAttributes: [{ name: 'Site', value: 'https://alice.example' }, { name: 'Pronouns', value: 'she' }],
  source: { language: 'de', privacy: 'unlisted', sensitive: true }
})
assert.deepEqual(shown.source.fields.map(f => [f.name, f.value]), [['Site', 'https://alice.example'], ['Pronouns', 'she']])
assert.deepEqual([shown.indexable, shown.hideCollections, shown.source.discoverable, shown.source.language], [false, true, true, 'de'])
await alice.v1.accounts.updateCredentials({ indexable: true, hideCollections: false, source: { privacy: 'public', sensitive: false } })
assert.equal((await anybody.v1.accounts.lookup({ acct: '@Alice' })).id, me.id)
await refused(anybody.v1.accounts.lookup({ acct: 'nobody' }), 404)
assert.deepEqual(ids(await anybody.v1.accounts.fetch({ id: [you.id, me.id] })), [you.id, me.id])
assert.equal((await bob.v1.accounts.$select(me.id).note.create({ comment: 'met at a fair' })).note, 'met at a fair')
assert.equal((await bob.v1.accounts.relationships.fetch({ id: [me.id] }))[0].note, 'met at a fair')
assert.equal((await bob.v1.accounts.$select(me.id).note.create({ comment: '' })).note, '')
const follow = await bob.v1.accounts.$select(me.id).follow({ notify: true, reblogs: false, languages: ['en', 'de'] })
assert.deepEqual([follow.following, follow.notifying, follow.showingReblogs, follow.languages], [true, true, false, ['en', 'de']])
await bob.v1.accounts.$select(me.id).follow({ reblogs: true, languages: [] })
await bob.v1.accounts.$select(third.id).follow()
await carol.v1.accounts.$select(me.id).follow()
assert.deepEqual((await bob.v1.accounts.familiarFollowers.fetch({ id: [me.id] })).map(f => [f.id, ids(f.accounts)]), [[me.id, [third.id]]])
await alice.v1.accounts.$select(third.id).removeFromFollowers()
assert.equal((await alice.v1.accounts.relationships.fetch({ id: [third.id] }))[0].followedBy, false)
assert.deepEqual(await anybody.v1.accounts.$select(me.id).featuredTags.list(), [])

// Edits, with source and history.
const blob = new Blob([Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64')], { type: 'image/png' })
const file = await alice.v2.media.create({ file: blob, description: 'a dot', focus: '0.5,-0.5' })
assert.deepEqual([file.meta.original.width, file.meta.small.height, file.meta.focus], [1, 1, { x: 0.5, y: -0.5 }])
assert.equal(file.blurhash.length, 28)
const post = await alice.v1.statuses.create({ status: 'Rain at #sea', mediaIds: [file.id], language: 'en' })
assert.deepEqual([post.editedAt, post.filtered, post.language], [null, [], 'en'])
await bob.v1.statuses.$select(post.id).reblog()
const edited = await alice.v1.statuses.$select(post.id).update({
  status: 'Storm at #sea @carol', spoilerText: 'weather', sensitive: true, mediaIds: [file.id], mediaAttributes: [{ id: file.id, description: 'one dot', focus: '0,1' }]
})
assert.equal(edited.mediaAttachments[0].description, 'one dot')
assert.ok(date(edited.editedAt) > post.createdAt)
const source = await alice.v1.statuses.$select(post.id).source.fetch()
assert.deepEqual([source.id, source.text, source.spoilerText], [post.id, 'Storm at #sea @carol', 'weather'])
await refused(bob.v1.statuses.$select(post.id).source.fetch(), 404)
const versions = await anybody.v1.statuses.$select(post.id).history.list()
assert.deepEqual(versions.map(v => [v.spoilerText, v.mediaAttachments[0].description, v.account.id]), [['', 'a dot', me.id], ['weather', 'one dot', me.id]])
versions.forEach(v => date(v.createdAt))
assert.deepEqual(ids(await anybody.v1.statuses.fetch({ id: [post.id] })), [post.id])
await refused(bob.v1.statuses.$select(post.id).update({ status: 'mine' }), 404)
await refused(alice.v1.statuses.create({ status: 'see', quotedStatusId: post.id }), 422, 'Quoting is not supported')
await refused(alice.v1.statuses.create({ status: 'hello @bob', allowedMentions: [third.id] }), 422)
const asked = await alice.v1.statuses.create({ status: 'Which?', poll: { options: ['tea', 'coffee'], expiresIn: 3600, hideTotals: true } })
await bob.v1.polls.$select(asked.poll.id).votes.create({ choices: [1] })
const again = await alice.v1.statuses.$select(asked.id).update({ status: 'Which one?', poll: { options: ['tea', 'coffee'], expiresIn: 7200 } })
assert.deepEqual([again.poll.votesCount, again.poll.emojis, again.content], [1, [], 'Which one?'])
const other = await alice.v1.statuses.$select(asked.id).update({ status: 'Which one?', poll: { options: ['tea', 'milk'], expiresIn: 7200 } })
assert.deepEqual([other.poll.votesCount, other.poll.options.map(o => o.title)], [0, ['tea', 'milk']])
const later = await alice.v1.statuses.create({ status: 'Tomorrow', scheduledAt: new Date(Date.now() + 7200e3).toISOString(), poll: { options: ['a', 'b'], expiresIn: 600 } })
const waiting = await alice.v1.scheduledStatuses.$select(later.id).fetch()
assert.deepEqual([waiting.params.text, waiting.params.poll.options], ['Tomorrow', ['a', 'b']])
await alice.v1.scheduledStatuses.$select(later.id).remove()
await refused(alice.v1.scheduledStatuses.$select(later.id).fetch(), 404)
const spare = await alice.v2.media.create({ file: blob })
await alice.v1.media.$select(spare.id).remove()
await refused(alice.v1.media.$select(spare.id).fetch(), 404)

// Hashtags.
const tag = carol.v1.tags.$select('Sea')
assert.deepEqual([(await tag.fetch()).name, (await tag.fetch()).following, (await tag.fetch()).history], ['sea', false, []])
assert.equal((await tag.follow()).following, true)
const tags = await carol.v1.followedTags.list()
assert.deepEqual(tags.map(t => [t.name, t.following]), [['sea', true]])
const wave = await alice.v1.statuses.create({ status: 'Waves #sea', language: 'en' })
assert.ok(ids(await carol.v1.timelines.home.list()).includes(wave.id))
assert.equal((await carol.v2.search.list({ q: '#sea', type: 'hashtags' })).hashtags[0].following, true)
assert.equal((await tag.unfollow()).following, false)
assert.deepEqual(await carol.v1.followedTags.list(), [])
await refused(carol.v1.tags.$select('!').fetch(), 404)

// Filters, and what they match.
const filters = bob.v2.filters
const f = await filters.create({ title: 'Weather', context: ['home', 'public'], filterAction: 'blur', expiresIn: 3600, keywordsAttributes: [{ keyword: 'storm' }, { keyword: 'rai', wholeWord: false }] })
assert.deepEqual([f.title, f.context, f.filterAction, f.keywords.map(k => [k.keyword, k.wholeWord]), f.statuses], ['Weather', ['home', 'public'], 'blur', [['storm', true], ['rai', false]], []])
date(f.expiresAt)
const own = filters.$select(f.id)
const hail = await own.keywords.create({ keyword: 'hail', wholeWord: true })
assert.equal((await filters.keywords.$select(hail.id).update({ keyword: 'sleet' })).keyword, 'sleet')
assert.equal((await filters.keywords.$select(hail.id).fetch()).keyword, 'sleet')
await filters.keywords.$select(hail.id).remove()
assert.deepEqual((await own.keywords.list()).map(k => k.keyword), ['storm', 'rai'])
const kept = await own.statuses.create({ statusId: wave.id })
assert.equal((await filters.statuses.$select(kept.id).fetch()).statusId, wave.id)
assert.deepEqual((await own.statuses.list()).map(s => s.statusId), [wave.id])
await own.update({ filterAction: 'warn', expiresIn: 0, keywordsAttributes: [{ id: f.keywords[1].id, _destroy: true }, { keyword: 'thunder' }] })
const changed = await own.fetch()
assert.deepEqual([changed.filterAction, changed.expiresAt, changed.keywords.map(k => k.keyword)], ['warn', null, ['storm', 'thunder']])
assert.deepEqual(ids(await filters.list()), [f.id])
const matches = s => s.filtered.map(r => [r.filter.id, r.filter.filterAction, r.keywordMatches, r.statusMatches])
const home = await bob.v1.timelines.home.list()
assert.deepEqual(matches(home.find(s => s.id === post.id)), [[f.id, 'warn', ['storm'], null]])
assert.deepEqual(matches(home.find(s => s.id === wave.id)), [[f.id, 'warn', null, [wave.id]]])
assert.deepEqual(matches(await bob.v1.statuses.$select(post.id).fetch()), [[f.id, 'warn', ['storm'], null]])
assert.deepEqual(matches(await alice.v1.statuses.$select(post.id).fetch()), [])
assert.deepEqual((await bob.v1.filters.list()).map(x => x.phrase), ['storm', 'thunder'])
await refused(filters.create({ title: ' ', context: ['home'] }), 422, 'Validation failed: ')
await filters.statuses.$select(kept.id).remove()
await own.remove()
await refused(own.fetch(), 404)

// Lists.
const list = await bob.v1.lists.create({ title: 'People', repliesPolicy: 'none', exclusive: true })
assert.deepEqual([list.repliesPolicy, list.exclusive], ['none', true])
await bob.v1.lists.$select(list.id).accounts.create({ accountIds: [me.id] })
assert.ok(!ids(await bob.v1.timelines.home.list()).includes(wave.id))
assert.ok(ids(await bob.v1.timelines.list.$select(list.id).list()).includes(wave.id))
const freed = await bob.v1.lists.$select(list.id).update({ title: 'People', repliesPolicy: 'followed', exclusive: false })
assert.deepEqual([freed.repliesPolicy, freed.exclusive], ['followed', false])
assert.ok(ids(await bob.v1.timelines.home.list()).includes(wave.id))
await refused(bob.v1.lists.$select(list.id).update({ title: 'People', repliesPolicy: 'all' }), 422, 'Validation failed: ')
await bob.v1.lists.$select(list.id).remove()

// Notifications of new types.
const news = await bob.v1.notifications.list({ types: ['status', 'update'] })
assert.deepEqual(news.map(n => [n.type, n.status.id]).sort(), [['status', asked.id], ['status', post.id], ['status', wave.id], ['update', post.id]].sort())
assert.deepEqual(await bob.v1.notifications.list({ types: ['severed_relationships'] }), [])
assert.equal((await bob.v1.notifications.unreadCount.fetch({ types: ['update'] })).count, 1)
await bob.v1.markers.create({ notifications: { lastReadId: news.map(n => n.id).sort((a, b) => b - a)[0] } })
assert.equal((await bob.v1.notifications.unreadCount.fetch({ types: ['update', 'status'] })).count, 0)
await refused(bob.v2.notifications.list(), 404)

// Reports with rules.
const report = await bob.v1.reports.create({ accountId: me.id, statusIds: [post.id], comment: 'unkind', category: 'violation', ruleIds: [rule.id] })
assert.deepEqual([report.category, report.ruleIds, report.statusIds, report.targetAccount.id, report.forwarded, report.actionTaken], ['violation', [rule.id], [post.id], me.id, false, false])
date(report.createdAt)
await refused(bob.v1.reports.create({ accountId: me.id, ruleIds: ['999'] }), 422, 'Rules does not reference valid rules')
const [told] = await mod.v1.notifications.list({ types: ['admin.report'] })
assert.deepEqual([told.account.id, told.report.category, told.report.ruleIds], [you.id, 'violation', [rule.id]])

// Push.
const keys = createECDH('prime256v1')
keys.generateKeys()
const pushed = await bob.v1.push.subscription.create({
  subscription: { endpoint: 'https://push.example.org/nobody', keys: { p256dh: keys.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') } },
  data: { alerts: { mention: true, status: true, update: true } }, policy: 'followed'
})
assert.equal(pushed.endpoint, 'https://push.example.org/nobody')
assert.deepEqual(['follow', 'favourite', 'reblog', 'mention', 'poll', 'status', 'update'].map(a => pushed.alerts[a]), [false, false, false, true, false, true, true])
assert.equal(pushed.serverKey, instance.configuration.vapid.publicKey)
assert.equal((await bob.v1.push.subscription.update({ data: { alerts: { poll: true } } })).alerts.poll, true)
assert.equal((await bob.v1.push.subscription.fetch()).alerts.poll, true)
await bob.v1.push.subscription.remove()
await refused(bob.v1.push.subscription.fetch(), 404)
console.log('{}')

// Makes every call that megalodon's mastodon client has and a server of level
// 2.7.2 with the service's extensions answers. Reads {base, alice, bob, carol}
// (access tokens) from standard input; fails on the first answer that is not as
// it must be, and when a call was never made.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync, createReadStream, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { tmpdir } from 'node:os'
import { Mastodon } from 'megalodon'

const given = JSON.parse(readFileSync(0, 'utf8'))
const made = new Set()
const counted = token =>
  new Proxy(new Mastodon(given.base, token), {
    get(target, name) {
      if (typeof target[name] === 'function') made.add(name)
      return typeof target[name] === 'function' ? target[name].bind(target) : target[name]
    }
  })
const [alice, bob, carol, anybody] = [given.alice, given.bob, given.carol, null].map(counted)
const ids = r => r.data.map(x => x.id)
const refused = async (call, status) => {
  await assert.rejects(call, e => e.response?.status === status, `not refused with ${status}`)
}
const file = join(mkdtempSync(join(tmpdir(), 'megalodon')), 'dot.png')
writeFileSync(file, Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64'))

// Apps and tokens.
const app = await anybody.registerApp('Everything', { scopes: ['read', 'write', 'follow'], redirect_uris: 'urn:ietf:wg:oauth:2.0:oob' })
assert.ok(app.client_id && app.client_secret && app.url.includes('/oauth/authorize'))
assert.ok((await anybody.createApp('Everything', { scopes: ["read"], redirect_uris: "urn:ietf:wg:oauth:2.0:oob" })).client_id)
assert.ok((await anybody.generateAuthUrl(app.client_id, app.client_secret, {})).includes(app.client_id))
assert.equal((await alice.verifyAppCredentials()).data.name.length > 0, true)
await refused(() => anybody.fetchAccessToken(app.client_id, app.client_secret, 'nonsense'), 400)
await refused(() => anybody.refreshToken(app.client_id, app.client_secret, 'nonsense'), 400)
await anybody.revokeToken(app.client_id, app.client_secret, 'nonsense')

// The instance.
const instance = (await anybody.getInstance()).data
assert.match(instance.version, /^2\.7\.2 \(compatible; /)
assert.deepEqual((await anybody.getInstancePeers()).data, [])
assert.equal((await anybody.getInstanceActivity()).data.length, 12)
assert.deepEqual((await anybody.getInstanceTrends()).data, [])
assert.deepEqual((await anybody.getInstanceCustomEmojis()).data, [])
await refused(() => anybody.getInstanceDirectory(), 404)
await refused(() => alice.getFeaturedTags(), 404)

// Accounts.
const me = (await alice.verifyAccountCredentials()).data
const you = (await bob.verifyAccountCredentials()).data
const third = (await carol.verifyAccountCredentials()).data
assert.equal((await alice.updateCredentials({ display_name: 'Alice', note: 'Here' })).data.display_name, 'Alice')
assert.equal((await anybody.getAccount(you.id)).data.acct, 'bob')
assert.equal((await alice.followAccount(you.id)).data.following, true)
assert.equal((await bob.followAccount(me.id)).data.following, true)
assert.deepEqual(ids(await alice.getAccountFollowers(me.id)), [you.id])
assert.deepEqual(ids(await alice.getAccountFollowing(me.id)), [you.id])
assert.equal((await alice.getRelationship(you.id)).data.followed_by, true)
assert.equal((await alice.getRelationships([you.id, third.id])).data.length, 2)
assert.deepEqual(ids(await alice.searchAccount('bob', { limit: 1 })), [you.id])
assert.deepEqual((await alice.getIdentityProof(me.id)).data, [])
assert.deepEqual((await alice.getEndorsements()).data, [])
assert.deepEqual((await alice.getSuggestions()).data, [])
assert.equal((await alice.getPreferences()).data['posting:default:visibility'], 'public')
await bob.updateCredentials({ locked: true })
assert.equal((await carol.followAccount(you.id)).data.requested, true)
assert.deepEqual(ids(await bob.getFollowRequests()), [third.id])
assert.equal((await bob.acceptFollowRequest(third.id)).data.followed_by, true)
assert.equal((await carol.unfollowAccount(you.id)).data.following, false)
await carol.followAccount(you.id)
assert.equal((await bob.rejectFollowRequest(third.id)).data.followed_by, false)
await bob.updateCredentials({ locked: false })
assert.equal((await carol.muteAccount(me.id, true)).data.muting, true)
assert.deepEqual(ids(await carol.getMutes()), [me.id])
assert.equal((await carol.unmuteAccount(me.id)).data.muting, false)
assert.equal((await carol.blockAccount(me.id)).data.blocking, true)
assert.deepEqual(ids(await carol.getBlocks()), [me.id])
assert.equal((await carol.unblockAccount(me.id)).data.blocking, false)
await carol.blockDomain('bad.example')
assert.deepEqual((await carol.getDomainBlocks()).data, ['bad.example'])
await carol.unblockDomain('bad.example')
assert.deepEqual((await carol.getDomainBlocks()).data, [])

// Statuses.
const upload = (await alice.uploadMedia(createReadStream(file), { description: 'a dot' })).data
assert.equal(upload.type, 'image')
assert.equal((await alice.getMedia(upload.id)).data.description, 'a dot')
assert.equal((await alice.updateMedia(upload.id, { description: 'one dot' })).data.description, 'one dot')
const post = (await alice.postStatus('Look #dot', { media_ids: [upload.id], visibility: 'public' })).data
assert.equal(post.media_attachments[0].description, 'one dot')
const asked = (await alice.postStatus('Which?', { poll: { options: ['tea', 'coffee'], expires_in: 3600 } })).data
assert.equal((await bob.getPoll(asked.poll.id)).data.votes_count, 0)
assert.equal((await bob.votePoll(asked.poll.id, [0])).data.options[0].votes_count, 1)
const answer = (await bob.postStatus('I see', { in_reply_to_id: post.id })).data
assert.deepEqual((await alice.getStatusContext(post.id)).data.descendants.map(s => s.id), [answer.id])
assert.equal((await alice.getStatus(post.id)).data.replies_count, 1)
assert.equal((await bob.favouriteStatus(post.id)).data.favourited, true)
assert.deepEqual(ids(await alice.getStatusFavouritedBy(post.id)), [you.id])
assert.deepEqual(ids(await bob.getFavourites()), [post.id])
assert.equal((await bob.unfavouriteStatus(post.id)).data.favourited, false)
assert.equal((await bob.reblogStatus(post.id)).data.reblog.reblogged, true)
assert.deepEqual(ids(await alice.getStatusRebloggedBy(post.id)), [you.id])
assert.equal((await bob.unreblogStatus(post.id)).data.reblogged, false)
assert.equal((await bob.bookmarkStatus(post.id)).data.bookmarked, true)
assert.deepEqual(ids(await bob.getBookmarks()), [post.id])
assert.equal((await bob.unbookmarkStatus(post.id)).data.bookmarked, false)
assert.equal((await bob.muteStatus(post.id)).data.muted, true)
assert.equal((await bob.unmuteStatus(post.id)).data.muted, false)
assert.equal((await alice.pinStatus(post.id)).data.pinned, true)
assert.deepEqual(ids(await bob.getAccountStatuses(me.id, { pinned: true })), [post.id])
assert.equal((await alice.unpinStatus(post.id)).data.pinned, false)
const at = new Date(Date.now() + 2 * 3600e3).toISOString()
const later = (await alice.postStatus('Tomorrow', { scheduled_at: at })).data
assert.deepEqual(ids(await alice.getScheduledStatuses()), [later.id])
assert.equal((await alice.getScheduledStatus(later.id)).data.params.text, 'Tomorrow')
assert.equal((await alice.scheduleStatus(later.id, new Date(Date.now() + 3 * 3600e3).toISOString())).data.id, later.id)
await alice.cancelScheduledStatus(later.id)

// Timelines, lists, conversations, markers.
assert.ok(ids(await bob.getHomeTimeline()).includes(asked.id))
assert.ok(ids(await bob.getPublicTimeline()).includes(asked.id))
assert.ok(ids(await bob.getLocalTimeline()).includes(asked.id))
assert.deepEqual(ids(await bob.getTagTimeline('dot')), [post.id])
const list = (await bob.createList('People')).data
assert.equal((await bob.updateList(list.id, 'Friends')).data.title, 'Friends')
assert.equal((await bob.getList(list.id)).data.title, 'Friends')
await bob.addAccountsToList(list.id, [me.id])
assert.deepEqual(ids(await bob.getAccountsInList(list.id)), [me.id])
assert.deepEqual(ids(await bob.getAccountLists(me.id)), [list.id])
assert.ok(ids(await bob.getListTimeline(list.id)).includes(asked.id))
await bob.deleteAccountsFromList(list.id, [me.id])
assert.deepEqual(ids(await bob.getLists()), [list.id])
await bob.deleteList(list.id)
const whisper = (await alice.postStatus('@bob psst', { visibility: 'direct' })).data
const talk = (await bob.getConversationTimeline()).data
assert.equal(talk[0].last_status.id, whisper.id)
assert.equal((await bob.readConversation(talk[0].id)).data.unread, false)
await bob.deleteConversation(talk[0].id)
await bob.saveMarkers({ home: { last_read_id: asked.id }, notifications: { last_read_id: '1' } })
assert.equal((await bob.getMarkers(['home', 'notifications'])).data.home.last_read_id, asked.id)

// Filters, search, notifications, reports.
const filter = (await bob.createFilter('spoilt', ['home'], { whole_word: true })).data
assert.equal((await bob.getFilter(filter.id)).data.phrase, 'spoilt')
assert.equal((await bob.updateFilter(filter.id, 'spoiled', ['home'])).data.phrase, 'spoiled')
assert.deepEqual(ids(await bob.getFilters()), [filter.id])
await bob.deleteFilter(filter.id)
const found = (await bob.search('dot', { type: 'statuses' })).data
assert.ok(found.statuses.map(s => s.id).includes(post.id))
const news = (await alice.getNotifications()).data
assert.ok(news.map(n => n.type).includes('follow'))
assert.equal((await alice.getNotification(news[0].id)).data.id, news[0].id)
await alice.dismissNotification(news[0].id)
await alice.dismissNotifications()
assert.deepEqual((await alice.getNotifications()).data, [])
assert.ok((await bob.report(me.id, { status_ids: [post.id], comment: 'dots' })).data.id)
assert.equal((await alice.deleteStatus(whisper.id)).data.id, whisper.id)
await refused(() => alice.getStatus(whisper.id), 404)
assert.ok((await counted(given.app).registerAccount('newcomer2', 'newcomer2@example.org', 'a long enough password', true, 'en')).data.access_token ?? true)

// Announcements, of which megalodon has only what it knows.
const announced = await fetch(given.base + '/api/svc/admin/announcements', {
  method: 'POST', headers: { authorization: 'Bearer ' + given.admin, 'content-type': 'application/json' }, body: JSON.stringify({ content: 'New rooms' })
})
assert.equal(announced.status, 200)
const told = (await bob.getInstanceAnnouncements()).data
assert.deepEqual(told.map(a => [a.content, a.read, a.reactions.length]), [['New rooms', false, 0]])
await bob.dismissInstanceAnnouncement(told[0].id)
await bob.addReactionToAnnouncement(told[0].id, encodeURIComponent('🎉'))
assert.deepEqual((await bob.getInstanceAnnouncements()).data.map(a => [a.read, a.reactions[0].name, a.reactions[0].me]), [[true, '🎉', true]])
await bob.removeReactionFromAnnouncement(told[0].id, encodeURIComponent('🎉'))
await refused(() => bob.dismissInstanceAnnouncement('999'), 404)

// Newer than the level, or of other servers; streaming and push are tested elsewhere.
const newer = /Streaming$|^streamingURL$|Push|EmojiReaction|FollowedTags|SuggestedTags|^(getTag|followTag|unfollowTag|editStatus|getStatusSource|lookupAccount|setAccountNote|pinAccount|unpinAccount|createFeaturedTag|deleteFeaturedTag|getAccountFavourites|subscribeAccount|unsubscribeAccount|readNotifications|urlToAccounts|cancel|constructor)$/
const never = Object.getOwnPropertyNames(Mastodon.prototype).filter(n => !made.has(n) && !newer.test(n))
assert.deepEqual(never, [], 'calls never made')
console.log(JSON.stringify({ calls: made.size }))

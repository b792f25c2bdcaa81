// A service worker that subscribes to push messages, and reads the first with
// the cryptography of its browser (RFC 8188, 8291, 8292). The push service of
// the browser's maker is not there in tests: the worker fetches the message.
const utf8 = new TextEncoder()
const bytes = text => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), c => c.charCodeAt(0))
const base64 = raw => btoa(String.fromCharCode(...new Uint8Array(raw))).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
const join = (...parts) => new Uint8Array(parts.flatMap(p => [...new Uint8Array(p)]))
const derive = async (salt, secret, info, length) =>
  crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info: join(info) }, await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits']), length * 8)

// proven returns the claims of a sender that has the private key to a public one.
const proven = async (header, key) => {
  const [, token, named] = header.match(/^vapid t=(.+), k=(.+)$/)
  const [head, claims, signature] = token.split('.')
  const of = await crypto.subtle.importKey('raw', bytes(key), { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify'])
  const right = await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, of, bytes(signature), utf8.encode(`${head}.${claims}`))
  if (!right || named !== key) throw new Error(`not signed with ${key}`)
  return JSON.parse(new TextDecoder().decode(bytes(claims)))
}

const open = async (body, keys, own, auth) => {
  const salt = body.slice(0, 16), sender = body.slice(21, 21 + body[20])
  const shared = await crypto.subtle.deriveBits(
    { name: 'ECDH', public: await crypto.subtle.importKey('raw', sender, { name: 'ECDH', namedCurve: 'P-256' }, false, []) }, keys.privateKey, 256)
  const secret = await derive(auth, shared, join(utf8.encode('WebPush: info\0'), own, sender), 32)
  const key = await crypto.subtle.importKey('raw', await derive(salt, secret, utf8.encode('Content-Encoding: aes128gcm\0'), 16), 'AES-GCM', false, ['decrypt'])
  const iv = await derive(salt, secret, utf8.encode('Content-Encoding: nonce\0'), 12)
  const padded = new Uint8Array(await crypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, body.slice(21 + body[20])))
  const end = padded.findLastIndex(b => b !== 0)
  if (padded[end] !== 2) throw new Error('this is not the last record')
  return JSON.parse(new TextDecoder().decode(padded.slice(0, end)))
}

const listen = async (page, { api, token }) => {
  const keys = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])
  const own = await crypto.subtle.exportKey('raw', keys.publicKey), auth = crypto.getRandomValues(new Uint8Array(16))
  const answer = await fetch(`${api}/api/v1/push/subscription`, {
    method: 'POST', headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      subscription: { endpoint: `${location.origin}/send`, keys: { p256dh: base64(own), auth: base64(auth) } }, data: { alerts: { mention: true } },
    }),
  })
  const subscription = await answer.json()
  page.postMessage({ subscribed: subscription.endpoint ?? JSON.stringify(subscription) })
  const message = await fetch('/next')
  const claims = await proven(message.headers.get('Sender'), subscription.server_key)
  page.postMessage({ pushed: await open(new Uint8Array(await message.arrayBuffer()), keys, own, auth), claims })
}

onmessage = e => e.waitUntil(listen(e.source, e.data).catch(error => e.source.postMessage({ error: String(error) })))

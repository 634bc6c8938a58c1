// Secrets shared with other servers: signatures that Standard Webhooks' own library makes and verifies, and comparison.
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { bearerToken, isAnySame, signMessage, webhookSecret } from '../src/secrets.ts'

t.test('a message is signed as in the example of Standard Webhooks', async t => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: '1614265330', body: '{"test": 2432232314}' }
  const signature = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
  t.equal(signMessage('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message), signature)
  t.equal(signMessage('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', message), signature, 'the prefix is optional')
})

t.test(
  'text is signed as their library signs it, and bytes that are no text have a signature of their own',
  async t => {
    const at = new Date('2026-11-20T10:00:00.900Z')
    const timestamp = '1795168800'
    for (const secret of [
      `whsec_${Buffer.alloc(24, 1).toString('base64')}`,
      Buffer.alloc(64, 255).toString('base64')
    ]) {
      for (const body of ['', '{}', '{"sku":"ソ-☕"}']) {
        const expected = new Webhook(secret).sign('a.b', at, body)
        t.equal(signMessage(secret, { id: 'a.b', timestamp, body }), expected)
        t.equal(signMessage(secret, { id: 'a.b', timestamp, body: Buffer.from(body) }), expected)
      }
      const replaced = signMessage(secret, { id: 'a', timestamp, body: '\ufffd' })
      t.not(signMessage(secret, { id: 'a', timestamp, body: Buffer.from([0xff]) }), replaced)
    }
  }
)

t.test('what a secret looks like', async t => {
  const base64 = (length: number) => Buffer.alloc(length, 7).toString('base64')
  for (const text of [`whsec_${base64(24)}`, `whsec_${base64(64)}`, base64(32)]) t.ok(webhookSecret.isValid(text), text)
  for (const text of [
    '',
    'whsec_',
    `whsec_${base64(23)}`,
    base64(65),
    `whsec_${base64(32)}!`,
    'a long password of mine'
  ]) {
    t.notOk(webhookSecret.isValid(text), text)
  }
  for (const text of ['x'.repeat(32), 'x'.repeat(512), `-._~+/${'0'.repeat(26)}==`])
    t.ok(bearerToken.isValid(text), text)
  for (const text of [
    '',
    'x'.repeat(31),
    'x'.repeat(513),
    `${'x'.repeat(32)}\n`,
    `Bearer ${'x'.repeat(32)}`,
    'é'.repeat(32)
  ]) {
    t.notOk(bearerToken.isValid(text), text)
  }
})

t.test('any of the texts sent may be any of those expected', async t => {
  t.ok(isAnySame(['a'], ['a']))
  t.ok(isAnySame(['x', 'b'], ['a', 'b']))
  t.notOk(isAnySame(['x', 'A', 'a ', ''], ['a', 'b']))
  t.notOk(isAnySame([], ['a']))
})

// The platform's half of authentication: what it sends, and what people are shown of it.
import { Webhook } from 'standardwebhooks'
import t from 'tap'
import { authorize, credentialsOf } from '../../src/transfer/authentication.ts'

const REQUEST = {
  method: 'POST',
  url: 'https://x/',
  headers: [{ name: 'Content-Type', value: 'a/b' }],
  body: '{"ü":1}'
}

t.test('a token is sent, and the name of its variable is shown', async t => {
  const credentials = { type: 'bearer', variable: 'SHOP_TOKEN', value: 'secret' } as const
  const { sent, shown } = authorize(REQUEST, credentials, new Date())
  t.strictSame(sent.headers, [...REQUEST.headers, { name: 'Authorization', value: 'Bearer secret' }])
  t.match(shown.headers[1], { name: 'Authorization', value: 'Bearer $SHOP_TOKEN', variable: 'SHOP_TOKEN' })
  t.notMatch(JSON.stringify(shown), 'secret')
})

t.test('a key is sent, and the name of its variable is shown', async t => {
  const { sent, shown } = authorize(REQUEST, { type: 'x-api-key', variable: 'KEY', value: 'secret' }, new Date())
  t.strictSame(sent.headers, [...REQUEST.headers, { name: 'X-API-Key', value: 'secret' }])
  t.strictSame(shown.headers[1], { name: 'X-API-Key', value: '$KEY', variable: 'KEY' })
})

t.test('a signature is one that the library of Standard Webhooks accepts, and no secret', async t => {
  const value = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
  for (const body of [REQUEST.body, undefined]) {
    const { headers, ...plain } = REQUEST
    const request = { ...plain, headers, body } as typeof REQUEST
    const { sent, shown } = authorize(request, { type: 'standard-webhooks', variable: 'V', value }, new Date())
    const named = Object.fromEntries(sent.headers.map(({ name, value }) => [name, value]))
    t.doesNotThrow(() => new Webhook(value).verify(body ?? '', named))
    t.strictSame(shown, sent)
  }
})

t.test('without credentials a request is sent as it is, and a merchant without authentication has none', async t => {
  t.strictSame(authorize(REQUEST, undefined, new Date()), { sent: REQUEST, shown: REQUEST })
  t.equal(credentialsOf({}), undefined)
  const secrets = [
    { variable: 'A', value: 'a' },
    { variable: 'B', value: 'b' }
  ] as [{ variable: string; value: string }, { variable: string; value: string }]
  const first = { variable: 'A', value: 'a' }
  t.strictSame(credentialsOf({ authentication: { type: 'bearer', secrets } }), { type: 'bearer', ...first })
  const listed = (type: 'x-api-key' | 'signature') => ({
    platforms: new Map([
      ['https://a.example/', { authentication: { type, secrets: type === 'signature' ? [] : secrets } }]
    ])
  })
  t.strictSame(credentialsOf(listed('x-api-key')), { type: 'x-api-key', ...first })
  t.equal(credentialsOf(listed('signature')), undefined, "a platform's key is not ours")
  t.equal(credentialsOf({ platforms: new Map([['https://a.example/', {}]]) }), undefined)
})

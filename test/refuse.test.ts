// Whom a request was for, and what any error becomes.
import t from 'tap'
import { Refusal, StoreUnavailable } from '../src/errors.ts'
import { findAddressee, toRefusal } from '../src/refuse.ts'
import { build, merchantFile } from './build.ts'

t.test('the addressee is found by path segments, the query aside', async t => {
  const { merchants } = await build(t, {
    merchants: [merchantFile('1'), merchantFile('2B', { id: 'other', publicUrl: 'http://localhost/other' })]
  })
  const cases = [
    ['/shop/cart', 'text/html', 'shop', 'problem+json'],
    ['/shop/cart?a=/other', 'text/html', 'shop', 'problem+json'],
    ['/shop/cart/below', 'text/html', 'shop', 'page'],
    ['/shop', '', 'shop', 'problem+json'],
    ['/shop/checkout', '', 'shop', 'page'],
    ['/shop/checkouts', '', 'shop', 'problem+json'],
    ['/shopper', '', undefined, 'problem+json'],
    ['/', 'text/html', undefined, 'page'],
    ['/other/cart', '', 'other', 'page'],
    ['/other#/shop', '', 'other', 'page']
  ] as const
  for (const [url, accept, id, form] of cases) {
    const addressee = findAddressee(merchants, url, accept)
    t.strictSame([addressee.merchant?.id, addressee.form], [id, form], `${url} ${accept}`)
  }
})

t.test('every error becomes one refusal', async t => {
  const fastify = (statusCode: number) => Object.assign(new Error('why'), { statusCode })
  const refusal = new Refusal('not-found', { detail: 'mine' })
  t.equal(toRefusal(refusal), refusal)
  const cases = [
    [fastify(400), 'malformed-request', 'why'],
    [fastify(403), 'not-found', 'Nothing is served at this address.'],
    [fastify(404), 'not-found', 'Nothing is served at this address.'],
    [fastify(413), 'body-too-large', 'why'],
    [fastify(415), 'media-type-unsupported', 'why'],
    [fastify(500), 'internal-error', 'The server failed; the log has the cause under this request id.'],
    [new TypeError('why'), 'internal-error', 'The server failed; the log has the cause under this request id.'],
    [new StoreUnavailable('why'), 'store-unavailable', /nothing was taken/]
  ] as const
  for (const [error, code, message] of cases) t.match(toRefusal(error), { code, message }, `${code}`)
})

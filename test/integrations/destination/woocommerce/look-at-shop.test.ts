// What `npm run add-shop` reads from a WooCommerce shop, by its address alone.
import t, { type Test } from 'tap'
import { lookAtShop } from '../../../../src/integrations/destination/woocommerce/look-at-shop.ts'
import { httpFetch } from '../../../../src/integrations/outgoing/http-client.ts'
import { CART, CLOSED, GENERATOR, HOME, INDEX, NO_CONTENT, OTHER, openWooCommerce, page } from './woocommerce-shop.ts'

async function look(t: Test, changed?: Record<string, string | undefined>) {
  return lookAtShop(`${await openWooCommerce(t, changed)}/`, httpFetch, AbortSignal.timeout(60_000))
}

const indexAt = (home: string) => JSON.stringify({ name: 'Ada', home, namespaces: ['wp/v2', 'wc/store/v1'] })

const WEBHOOKS =
  'Orders come back by secretVariable and two webhooks: src/integrations/destination/woocommerce/README.md says how.'

t.test('name, currency and language are those of the shop', async t => {
  t.strictSame(await look(t), { name: "Ada & Bee's", currency: 'EUR', language: 'de-DE', remarks: [WEBHOOKS] })
})

t.test('what a theme leaves out is not guessed', async t => {
  t.strictSame(await look(t, { [HOME]: page('', '') }), {
    ...{ name: "Ada & Bee's", currency: 'EUR' },
    remarks: [WEBHOOKS, 'It does not say which WooCommerce it has: bags need 10.0 or newer.']
  })
})

t.test('of a home page that is too long, the beginning is read', async t => {
  const long = 'x'.repeat(3 * 1024 * 1024)
  const facts = { currency: 'EUR', remarks: [WEBHOOKS] }
  t.match(await look(t, { [HOME]: page('lang="de-DE"', GENERATOR) + long }), { ...facts, language: 'de-DE' })
  t.match(await look(t, { [HOME]: long + page('', GENERATOR) }), { remarks: [WEBHOOKS, /does not say/] })
  t.match(await look(t, { [HOME]: NO_CONTENT }), { remarks: [WEBHOOKS, /does not say/] }, 'or there is none')
  t.match(await look(t, { [HOME]: '<html '.repeat(150_000) }), { language: undefined }, 'in no time')
})

t.test('a shop that cannot take bags is refused, with what to do', async t => {
  const refusals: [reason: string, changed: Record<string, string | undefined>][] = [
    [`it answered 404${OTHER}`, { [INDEX]: undefined }],
    [`it answered 200 with something that is not JSON${OTHER}`, { [INDEX]: page('', '') }],
    ['it is not a WordPress site; give the address of its home page', { [INDEX]: '{"name":"Ada"}' }],
    [
      'WordPress is there, but not WooCommerce',
      { [INDEX]: '{"name":"Ada","home":"http://HOST/store","namespaces":["wp/v2"]}' }
    ],
    ['WordPress calls its home page https://ada.example; give that', { [INDEX]: indexAt('https://ada.example') }],
    ['WordPress calls its home page nowhere; give that', { [INDEX]: indexAt('nowhere') }],
    [`it answered 401${CLOSED}`, { [CART]: '' }],
    ['/wc/store/v1/cart gave an answer that is not that of WooCommerce', { [CART]: '{}' }],
    ['it has WooCommerce 9.9.5; update it to 10.0 or newer', { [HOME]: page('', GENERATOR.replace('10.5.0', '9.9.5')) }]
  ]
  for (const [message, changed] of refusals) await t.rejects(look(t, changed), { message }, message)
})

// `checkout.destination` in a merchant file: where a cart leads, with the settings of that destination and no others.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { destinations } from '../../src/destination/index.ts'
import { readMerchantFiles } from '../../src/merchant/merchant-file.ts'
import { pageSettingChecks } from '../../src/pages/check-pages.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { merchantFile } from '../build.ts'
import { SHOP_SECRET } from '../destination/own-shop.ts'

const HOOK = { type: 'hook', url: 'https://shop.example/carts', secretVariable: 'SHOP_SECRET' }

/** Reads a file whose bags lead to a destination. @param changes at the top level of the file */
function read(t: Test, destination: unknown, changes: object = {}) {
  const { path: _, ...checkout } = merchantFile('1').checkout
  const file = join(t.testdir({}), 'shop.json')
  writeFileSync(file, JSON.stringify({ ...merchantFile('1'), checkout: { ...checkout, destination }, ...changes }))
  const variables: Record<string, string> = { SHOP_SECRET, SHORT: 'whsec_c2hvcnQ=' }
  const secretOf = (name: string) => variables[name]
  return readMerchantFiles([file], { options: transferOptions, destinations, secretOf, ...pageSettingChecks })[0]
}

t.test('a destination is read with its secret and the default time limit', async t => {
  t.match(read(t, HOOK)?.destination, {
    destination: { name: 'hook' },
    settings: { ...HOOK, timeoutSeconds: 5 },
    secret: SHOP_SECRET
  })
  t.match(read(t, HOOK, { publicUrl: '/shop' })?.destination, { secret: SHOP_SECRET }, 'an origin is not needed')
  t.match(read(t, HOOK, { transfer: { option: '1', path: '/checkout' } })?.transfer, { path: '/checkout' })
  t.match(read(t, { ...HOOK, timeoutSeconds: 10 })?.destination?.settings, { timeoutSeconds: 10 })
})

t.test('our own page is the default, and may be named', async t => {
  const { path } = merchantFile('1').checkout
  t.equal(read(t, undefined, { checkout: merchantFile('1').checkout })?.destination, undefined)
  const named = read(t, undefined, { checkout: { ...merchantFile('1').checkout, destination: { type: 'page' } } })
  t.match(named, { destination: undefined, checkout: { path } })
})

t.test('a feed may be left out only where a destination does without', async t => {
  t.match(read(t, HOOK, { catalogue: undefined }), { catalogue: undefined, pictures: join(t.testdirName, 'pictures') })
  t.throws(() => read(t, { type: 'page' }, { catalogue: undefined }), {
    message: /: catalogue: missing; give an object with feed/
  })
})

t.test('every mistake is named, with what would be right', async t => {
  const about = /it is about our own page, and bags go to "hook"; leave it out/
  const cases: [name: string, destination: unknown, changes: object, message: RegExp][] = [
    [
      'an unknown type',
      { ...HOOK, type: 'magento' },
      {},
      /checkout\.destination\.type: it is "magento"; give one of "page", "hook"/
    ],
    ['no type', { url: 'https://shop.example/' }, {}, /checkout\.destination/],
    [
      'one in the wrong place',
      undefined,
      { destination: HOOK },
      /: destination: unknown key; did you mean "checkout\.destination"\?$/
    ],
    ['a name alone', 'hook', {}, /checkout\.destination: it is "hook"; give an object/],
    ['another key', { ...HOOK, token: 'x' }, {}, /checkout\.destination\.token: unknown key/],
    [
      'a key of its own for our page',
      { type: 'page', url: 'https://shop.example/' },
      {},
      /checkout\.destination\.url: unknown key/
    ],
    ['no address', { ...HOOK, url: undefined }, {}, /checkout\.destination\.url: missing; give the address/],
    [
      'an address that is http',
      { ...HOOK, url: 'http://shop.example/' },
      {},
      /checkout\.destination\.url: it is http, .*; give one such as/
    ],
    ['no secret', { ...HOOK, secretVariable: undefined }, {}, /checkout\.destination\.secretVariable: missing/],
    ['a secret that is not set', { ...HOOK, secretVariable: 'UNSET' }, {}, /the environment variable UNSET is not set/],
    ['a secret that is too short', { ...HOOK, secretVariable: 'SHORT' }, {}, /SHORT is not a Standard Webhooks secret/],
    [
      'more time than a connection has',
      { ...HOOK, timeoutSeconds: 11 },
      {},
      /timeoutSeconds: it is 11; give .* 1 to 10/
    ],
    ['no time at all', { ...HOOK, timeoutSeconds: 0 }, {}, /timeoutSeconds: it is 0; give how long the shop may take/],
    [
      'transfers where orders are reported',
      HOOK,
      { transfer: { option: '1', path: '/orders' } },
      /transfer\.path: "\/shop\/orders" lies in "\/shop\/orders", the server's own path; give another/
    ],
    ['delivery', HOOK, { delivery: [] }, new RegExp(`: delivery: ${about.source}`)],
    ['countries', HOOK, { countries: ['GB'] }, new RegExp(`: countries: ${about.source}`)],
    ['payment', HOOK, { payment: { text: 'x' } }, new RegExp(`: payment: ${about.source}`)],
    ['orders', HOOK, { orders: {} }, new RegExp(`: orders: ${about.source}`)],
    [
      'a webhook',
      HOOK,
      { webhook: { url: 'https://a.example/', secretVariable: 'SHOP_SECRET' } },
      new RegExp(`: webhook: ${about.source}`)
    ],
    [
      'a described request, which is the shop’s to say',
      HOOK,
      { transfer: { option: '1', path: '/cart', description: { httpMethod: 'GET' } } },
      new RegExp(`: transfer\\.description: ${about.source}`)
    ]
  ]
  for (const [name, destination, changes, message] of cases) {
    t.throws(() => read(t, destination, changes), { message }, name)
    if ((destination as { type?: string } | undefined)?.type === 'page') continue
    t.throws(
      () => read(t, destination, { ...changes, catalogue: undefined }),
      { message: /^(?!.*catalogue: missing)/s },
      name
    )
  }
  const { checkout } = merchantFile('1')
  for (const [key, value] of Object.entries({
    path: '/checkout',
    completeTitle: 'Done',
    maxTotal: '1',
    taxText: 'x'
  })) {
    t.throws(
      () =>
        read(t, undefined, {
          checkout: { continueShoppingUrl: checkout.continueShoppingUrl, [key]: value, destination: HOOK }
        }),
      { message: new RegExp(`: checkout\\.${key}: ${about.source}`) }
    )
  }
})

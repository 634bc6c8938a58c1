// Several ways in, in one merchant file: what is wrong with one is told at its place in the list.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { destinations } from '../../src/integrations/destination/index.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { merchantFile } from '../build.ts'
import { shopFile } from '../integrations/destination/own-shop.ts'
import { readMerchantFiles } from '../read-merchants.ts'
import { mistakesIn, readContents } from './settings.ts'

const TOKEN = 'a-token-of-at-least-thirty-two-characters'
const SHOP_SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

const fileOf = (...transfer: unknown[]) => ({ ...merchantFile('1'), transfer })

const way = (option: string, path = '/cart', more = {}) => ({ option, path, ...more })

function read(t: Test, content: object) {
  const file = join(t.testdir({}), 'a.json')
  writeFileSync(file, JSON.stringify(content, null, 2))
  return readMerchantFiles([file], {
    options: transferOptions,
    destinations,
    providers: [],
    variables: { TOKEN, SHOP_SECRET }
  })[0]
}

const problemsOf = (t: Test, content: object) => {
  try {
    read(t, content)
    return []
  } catch (error) {
    return (error as Error).message.replaceAll(/^.*\/a\.json/gm, 'a.json').split('\n')
  }
}

t.test('a list of one is as the way alone; ways of one option are told apart by their paths', async t => {
  const alone = readContents(t, [merchantFile('2A')])
  t.strictSame(readContents(t, [fileOf(way('2A'))]), alone)
  const several = readContents(t, [fileOf(way('2A'), way('2B', '/get'), way('2A', '/of-b', { maxItems: 5 }))])
  t.match(several[0]?.ways, [
    { name: '2A /cart', option: { name: '2A' }, transfer: { path: '/cart', maxItems: 500 } },
    { name: '2B', option: { name: '2B' }, transfer: { path: '/get', maxItems: 500 } },
    { name: '2A /of-b', option: { name: '2A' }, transfer: { path: '/of-b', maxItems: 5 } }
  ])
})

t.test('a mistake in one of them has its line and its place', async t => {
  const options = transferOptions.map(({ name }) => `"${name}"`).join(', ')
  const path = 'a path such as "/cart", without a slash at the end, of letters, digits, ".", "_", "~" and "-"'
  const cases: [wrong: unknown[], mistakes: string[]][] = [
    [[], [`a.json:9: transfer: it is []; give an object with "option": ${options}, or a list of several`]],
    [[way('2A'), 'meta'], [`a.json:14: transfer[1]: it is "meta"; give an object with "option": ${options}`]],
    [
      [way('2A'), { option: '2B' }, way('2B', 'get')],
      [
        'a.json:14: transfer[1].path: missing; give where the platform sends carts ({base_url} in the contract), below publicUrl: ' +
          path,
        'a.json:19: transfer[2].path: it is "get"; give where the platform sends carts ({base_url} in the contract), below publicUrl: ' +
          path
      ]
    ],
    [[way('2A'), way('X', '/x')], [`a.json:15: transfer[1].option: it is "X"; give one of ${options}`]],
    [
      [way('1'), way('2B', '/get', { acceptHyphenated: true })],
      ['a.json:17: transfer[1].acceptHyphenated: it is for option "1" only, and this is "2B"; leave it out']
    ],
    [
      [way('1'), way('2B', '/get', { maxItem: 5 })],
      ['a.json:17: transfer[1].maxItem: unknown key; did you mean "maxItems"?']
    ],
    [
      [way('2A'), way('1', '/api', { description: { cookies: [{ name: 'a', value: 'b', expireDate: 'soon' }] } })],
      [
        'a.json:22: transfer[1].description.cookies[0].expireDate: it is "soon"; give a date and time such as "2027-01-31T12:00:00Z"; or give expiresAfterMinutes, not both'
      ]
    ]
  ]
  for (const [transfer, mistakes] of cases) t.strictSame(mistakesIn(t, [fileOf(...transfer)]), mistakes)
})

t.test('paths that overlap are refused, each with a remedy', async t => {
  const overlap = (at: number, path: string, other: string) =>
    new RegExp(
      `: transfer\\[${at}\\]\\.path: it is "${path}", and another way has "${other}"; give one that is neither above nor beneath it$`
    )
  const cases: [ways: object[], mistakes: RegExp[]][] = [
    [[way('2A'), way('2B', '/get')], []],
    [[way('2A'), way('2B', '/carts')], []],
    [[way('2A'), way('2B')], [overlap(1, '/cart', '/cart')]],
    [[way('2A'), way('2B', '/cart/get')], [overlap(1, '/cart/get', '/cart')]],
    [[way('2A', '/a/b'), way('meta', '/c'), way('2B', '/a')], [overlap(2, '/a', '/a/b')]],
    [
      [way('2A'), way('2B', '/checkout/get')],
      [/: transfer\[1\]\.path: it is "\/checkout\/get"; give one that is not checkout\.path or beneath it$/]
    ],
    [
      [way('2A'), way('2B', '/logo')],
      [/: transfer\[1\]\.path: "\/shop\/logo" lies in "\/shop\/logo", the server's own path; give another$/]
    ]
  ]
  for (const [ways, mistakes] of cases) t.match(problemsOf(t, fileOf(...ways)), mistakes.length ? mistakes : [])
  for (const [ways, mistakes] of cases) t.equal(problemsOf(t, fileOf(...ways)).length, mistakes.length)

  const beneath = (option: string) => ({
    ...fileOf(way(option, '/buy')),
    checkout: { ...merchantFile('1').checkout, path: '/buy/checkout' }
  })
  t.strictSame(problemsOf(t, beneath('meta')), [])
  t.strictSame(problemsOf(t, beneath('permalink')), [
    'a.json:12: transfer[0].path: it is "/buy", and checkout.path is beneath it, where carts arrive; give another'
  ])
})

t.test('each has its own authentication, and its settings are checked with it', async t => {
  const authentication = { type: 'bearer', secretVariables: ['TOKEN'] }
  const ways = read(t, fileOf(way('2A'), way('1', '/api', { authentication })))?.ways
  t.strictSame(
    ways?.map(({ authentication }) => authentication),
    [undefined, { type: 'bearer', secrets: [{ variable: 'TOKEN', value: TOKEN }] }]
  )
  const unset = { type: 'bearer', secretVariables: ['UNSET'] }
  t.match(problemsOf(t, fileOf(way('2A'), way('1', '/api', { authentication: unset }))), [
    /: transfer\[1\]\.authentication\.secretVariables\[0\]: the environment variable UNSET is not set/
  ])
  const long = {
    ...fileOf(way('2A'), way('1', '/api', { description: { httpMethod: 'GET' } })),
    publicUrl: `https://shop.example/${'x'.repeat(2040)}`
  }
  t.match(problemsOf(t, long), [/: transfer\[1\]\.description: the described URL could have /])
})

t.test('a currency of a way is one of the shop’s; the first by default, and only where the option has one', async t => {
  const both = { currencies: ['GBP', 'USD'] }
  const ways = [way('2A'), way('meta', '/link'), way('permalink', '/buy', { currency: 'USD' })]
  const found = read(t, { ...fileOf(...ways), ...both })?.ways.map(({ transfer }) => transfer.currency)
  t.strictSame(found, [undefined, 'GBP', 'USD'])
  t.strictSame(problemsOf(t, { ...fileOf(way('meta', '/link', { currency: 'EUR' })), ...both }), [
    'a.json:14: transfer[0].currency: it is "EUR"; give one of currencies: GBP, USD'
  ])
})

t.test(
  'a page of the merchant’s own shop that a redirect cannot reach is refused with any way that redirects',
  async t => {
    const region = { id: 'reg_1', pageUrl: 'https://shop.example/checkout' }
    const destination = {
      type: 'medusa',
      url: 'https://api.shop.example',
      publishableKey: 'pk_1',
      regions: { GBP: region }
    }
    const leading = (...transfer: object[]) => {
      const file = shopFile('1', '')
      return { ...file, transfer, checkout: { ...file.checkout, destination } }
    }
    t.strictSame(problemsOf(t, leading(way('1'))), [])
    for (const other of ['2A', 'meta', 'permalink']) {
      t.match(problemsOf(t, leading(way('1'), way(other, '/other'))), [
        /: checkout\.destination\.regions\.GBP\.pageUrl: the cookie _medusa_cart_id for shop\.example, .* cannot be carried by a redirect/
      ])
    }
  }
)

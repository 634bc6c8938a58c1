// Amounts that the payment provider cannot take: a bag that no delivery method makes payable is refused as it arrives, and a total
// that cannot be paid is told before anything is stored, or the provider asked.
import t from 'tap'
import { StripeRejection } from '../../src/integrations/payment/stripe/stripe-client.ts'
import type { MerchantChanges } from '../build.ts'
import { uuid } from '../build.ts'
import { openPayingShop } from './paying-shop.ts'
import { textOf, valuesOf } from './read-page.ts'
import { ADA, formOf, openShop } from './shopper.ts'

const CURRENCIES = ['GBP', 'JPY', 'KWD', 'MGA', 'IDR']

const FEED = [
  'id\ttitle\tavailability\tprice',
  'PENNY\tPenny\tin_stock\t0.01 GBP',
  'STICKER\tSticker\tin_stock\t0.20 GBP',
  'CARD\tCard\tin_stock\t0.30 GBP',
  'YACHT\tYacht\tin_stock\t999999.99 GBP',
  'PALACE\tPalace\tin_stock\t9999999.99 GBP',
  'GIFT\tGift\tin_stock\t0.00 GBP',
  'GUM\tGum\tin_stock\t49 JPY',
  'OUD\tOud\tin_stock\t1.234 KWD',
  'VANILLA\tVanilla\tin_stock\t1500.20 MGA',
  'BATIK\tBatik\tin_stock\t1500000.00 IDR'
].join('\n')

const each = (price: (currency: string) => string) => Object.fromEntries(CURRENCIES.map(code => [code, price(code)]))
const inPounds = (price: string) => each(code => (code === 'GBP' ? price : '0'))
const method = (id: string, price: Record<string, string>, more: object = {}) => ({
  id,
  label: `By ${id}`,
  price,
  ...more
})
const FREE = method('foot', inPounds('0'))
const POST = method('post', inPounds('0.15'))

const open = (t: Parameters<typeof openPayingShop>[0], changes: MerchantChanges = {}, option = '1') =>
  openPayingShop(t, { currencies: CURRENCIES, catalogue: { freeProducts: true }, ...changes }, { feed: FEED }, option)

const bag = (...skus: string[]) => skus.map(sku => ({ sku, quantity: 1 }))

t.test('a bag that can never be paid is refused as it arrives, with the reason', async t => {
  const shop = await open(t)
  const cases: [sku: string, currency: string, code: string, limit: string | undefined, detail: string][] = [
    ['PENNY', 'GBP', 'total-too-small', '0.30', 'The goods cost 0.01 GBP; Stripe takes at least 0.30 GBP.'],
    ['GUM', 'JPY', 'total-too-small', '50', 'The goods cost 49 JPY; Stripe takes at least 50 JPY.'],
    [
      'PALACE',
      'GBP',
      'total-too-large',
      '999999.99',
      'The goods cost 9999999.99 GBP; Stripe takes at most 999999.99 GBP.'
    ],
    [
      ...(['OUD', 'KWD', 'total-inexact', undefined] as const),
      'The goods cost 1.234 KWD; Stripe cannot charge exactly that; the nearest is 1.230 KWD.'
    ],
    [
      ...(['VANILLA', 'MGA', 'total-inexact', undefined] as const),
      'The goods cost 1500.20 MGA; Stripe cannot charge exactly that; the nearest is 1500.00 MGA.'
    ]
  ]
  for (const [i, [sku, currency, code, limit, detail]] of cases.entries()) {
    const response = await shop.send(bag(sku), uuid(i + 1), currency)
    t.equal(response.statusCode, 422, sku)
    const { type, errors } = response.json()
    t.equal(type, 'urn:problem-type:cart-transfer:cart-not-sellable')
    t.strictSame(errors, [{ pointer: '#/items', code, detail, ...(limit !== undefined && { limit }) }])
    t.match(
      shop.logs.findLast(({ msg }) => msg === 'transfer'),
      {
        outcome: 'refused',
        mistakes: [code],
        reason: `#/items: ${detail}`
      }
    )
    t.equal(await shop.store.newestCheckout('shop', uuid(i + 1)), undefined, 'nothing is stored')
  }
  t.strictSame(shop.double.payments(), [])
})

t.test(
  'in a currency that the shop does not sell in, that is the only mistake of a bag that could be paid',
  async t => {
    const shop = await open(t, { currencies: ['GBP'] })
    const response = await shop.send(bag('BATIK'), uuid(1), 'IDR')
    t.equal(response.statusCode, 422)
    const codes = response.json().errors.map(({ code }: { code: string }) => code)
    t.strictSame(codes, ['currency-not-sold'])
  }
)

t.test('a bag that can be paid is taken, to the penny, and can be opened at the provider', async t => {
  const shop = await open(t)
  for (const [i, [sku, currency]] of Object.entries({ CARD: 'GBP', YACHT: 'GBP', BATIK: 'IDR' }).entries()) {
    const token = await shop.transfer(bag(sku), uuid(i + 1), currency)
    t.match(await shop.buy(token), /\/c\/pay\//, sku)
  }
  const token = await shop.transfer(bag('PENNY', ...Array(29).fill('PENNY')), uuid(9))
  t.match(await shop.buy(token), /\/c\/pay\//, 'thirty pennies')
})

t.test('a bag that costs nothing is ordered without a payment, as before', async t => {
  const shop = await open(t, { delivery: [FREE, method('van', inPounds('0.05'))] })
  const token = await shop.transfer(bag('GIFT'))
  const { headers } = await shop.submit(await shop.form(token))
  t.match(headers.location, /\/complete\?order=/)
})

t.test('a shopper reads why, in the language of the page, with what helps', async t => {
  for (const option of ['2A', '2B']) {
    const shop = await open(t, { locales: ['de-DE'] }, option)
    const refused = async (sku: string, currency: string) => {
      const response = await shop.send(bag(sku), uuid(), currency)
      t.equal(response.statusCode, 422)
      return textOf(response.body)
    }
    const small = await refused('PENNY', 'GBP')
    t.match(small, 'The total of your bag is too low for a payment')
    t.match(small, 'The least we can take a payment for is £0.30')
    t.match(small, 'Go back to the app, change your bag and tap checkout again.')
    const large = await refused('PALACE', 'GBP')
    t.match(large, 'The total of your bag is too high for one order')
    t.match(large, 'The most we accept in one order is £999,999.99')
    t.match(await refused('OUD', 'KWD'), 'The total of your bag can’t be paid exactly in its currency')
  }
})

t.test('delivery counts: one method that makes it payable is enough, in a country of the currency', async t => {
  const taken = async (changes: MerchantChanges, sku: string, currency = 'GBP') =>
    (await (await open(t, changes)).send(bag(sku), uuid(), currency)).statusCode === 200
  const fils = (kwd: string) =>
    method(
      'van',
      each(code => (code === 'KWD' ? kwd : '0'))
    )
  const countries = { ...Object.fromEntries(CURRENCIES.map(code => [code, ['GB']])), JPY: ['JP'] }
  const onlyTo = (...to: string[]) => ({ ...POST, countries: to })
  const cases: [what: string, isTaken: boolean, changes: MerchantChanges, sku: string, currency?: string][] = [
    ['delivery lifts it over the least', true, { delivery: [FREE, POST] }, 'STICKER'],
    ['none does', false, { delivery: [FREE, method('bike', inPounds('0.09'))] }, 'STICKER'],
    ['it is free from that amount', false, { delivery: [{ ...POST, freeFrom: inPounds('0.20') }] }, 'STICKER'],
    ['it would be, for more', true, { delivery: [{ ...POST, freeFrom: inPounds('0.21') }] }, 'STICKER'],
    ['delivery lifts it over the most', false, { delivery: [POST] }, 'YACHT'],
    ['but not if it is free', true, { delivery: [POST, FREE] }, 'YACHT'],
    ['delivery makes it exact', true, { delivery: [fils('0.006')] }, 'OUD', 'KWD'],
    ['delivery makes it no more exact', false, { delivery: [fils('0.500')] }, 'OUD', 'KWD'],
    [
      'to a country of the currency',
      true,
      { countries, delivery: [{ ...FREE, countries: ['JP'] }, onlyTo('GB')] },
      'STICKER'
    ],
    [
      ...(['to a country of another currency only', false] as const),
      { countries, delivery: [FREE, onlyTo('JP')] },
      'STICKER'
    ]
  ]
  for (const [what, isTaken, changes, sku, currency] of cases)
    t.equal(await taken(changes, sku, currency), isTaken, what)
  const shop = await open(t, { delivery: [method('bike', inPounds('0.05'))] })
  t.match((await shop.send(bag('STICKER'))).json().errors, [
    { detail: 'The goods cost 0.20 GBP, with delivery 0.25 GBP; Stripe takes at least 0.30 GBP.', limit: '0.30' }
  ])
})

t.test('the shop’s own limit goes before that of the provider, and an unpaid shop has none', async t => {
  const limited = await open(t, { checkout: { maxTotal: each(() => '100') } })
  t.match((await limited.send(bag('PALACE'))).json().errors, [{ code: 'total-too-large', limit: '100.00' }])
  const unpaid = await openShop(t, '1')
  unpaid.change('MUG', { price: 1 })
  t.equal((await unpaid.send([{ sku: 'MUG', quantity: 1 }])).statusCode, 200)
})

t.test('a total that cannot be paid is told when the form is sent: nothing is stored, nobody asked', async t => {
  const shop = await open(t, { delivery: [FREE, POST] })
  const token = await shop.transfer(bag('STICKER'))
  const refused = await shop.submit(await shop.form(token), { ...ADA, delivery: 'foot' })
  t.equal(refused.statusCode, 422)
  t.match(textOf(refused.body), 'This total can’t be paid. Please choose the delivery method “By post”.')
  t.match(formOf(refused.body)?.fields, { ...ADA, delivery: 'foot' }, 'the form is as it was typed')
  t.strictSame([await shop.payments(token), shop.double.payments(), shop.orders()], [[], [], []])
  const again = await shop.submit(formOf(refused.body) as NonNullable<ReturnType<typeof formOf>>, { delivery: 'post' })
  t.equal(again.statusCode, 303)
  t.match(shop.double.payments(), [{ total: 35 }])
})

t.test('if prices have changed since the bag was taken, the page says what would help', async t => {
  const delivery = [method('post', { ...inPounds('0.15'), KWD: '0.006' })]
  const cases: [price: number, says: string][] = [
    [1, 'The least that can be paid here is £0.30. Please go back to the app and add something to your bag.'],
    [
      ...([99_999_999] as const),
      'The most that can be paid here at once is £999,999.99. Please go back to the app and take something out of your bag.'
    ]
  ]
  for (const [price, says] of cases) {
    const shop = await open(t, { delivery })
    const token = await shop.transfer(bag('STICKER'))
    shop.change('STICKER', { price })
    const refused = await shop.submit(await shop.form(token))
    t.equal(refused.statusCode, 422)
    t.match(textOf(refused.body), says)
    t.match(formOf(refused.body)?.fields, ADA)
  }
  const shop = await open(t, { delivery })
  const token = await shop.transfer(bag('OUD'), uuid(), 'KWD')
  const [catalogue] = shop.catalogues
  const product = catalogue?.product('OUD')
  if (!catalogue || !product?.offers.KWD) throw new Error('there is no oud')
  const changed = { ...product, offers: { KWD: { ...product.offers.KWD, price: 1235 } } }
  catalogue.product = () => changed
  const refused = await shop.submit(await shop.form(token))
  t.match(
    textOf(refused.body).replaceAll('\u00a0', ' '),
    'KWD 1.241 can’t be paid exactly here. Please go back to the app'
  )
  t.strictSame(valuesOf(refused.body, 'data-total'), ['1241'])
})

t.test('what was taken stays taken: the same bag again gets its checkout', async t => {
  const shop = await open(t, { delivery: [POST] })
  const token = await shop.transfer(bag('STICKER'))
  shop.change('STICKER', { price: 1 })
  t.equal((await shop.send(bag('STICKER'))).statusCode, 200)
  t.equal((await shop.store.newestCheckout('shop', uuid()))?.token, token)
})

t.test('an amount that the provider itself refuses is told as one: trying again cannot help', async t => {
  const cases = [
    ['amount_too_small', 'total-too-small', 'The total of your bag is too low for a payment'],
    ['amount_too_large', 'total-too-large', 'The total of your bag is too high for one order']
  ] as const
  for (const [code, mistake, says] of cases) {
    const shop = await open(t)
    const gateway = shop.gateways.get('shop')
    if (gateway) gateway.open = () => Promise.reject(new StripeRejection({ statusCode: 400, code }))
    const token = await shop.transfer(bag('CARD'))
    const refused = await shop.submit(await shop.form(token))
    t.equal(refused.statusCode, 422)
    const text = textOf(refused.body)
    t.match(text, `${says} Go back to the app, change your bag and tap checkout again.`)
    for (const typed of [ADA.name, ADA.email, mistake]) t.match(text, typed, 'with what was typed, to be copied')
    t.match(await shop.payments(token), [{ state: 'ended' }], 'another bag is not held up')
    t.match(shop.logs.at(-1), { msg: 'payment provider could not be asked', reason: `Stripe answered 400 (${code})` })
  }
})

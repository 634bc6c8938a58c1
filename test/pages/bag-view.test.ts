// What the confirmation shows to people and to the app, without a browser, and how long a delivery method takes. For the rest
// of the bag, see checkout-view.test.ts.

import t from 'tap'
import type { Order, OrderLine, OrderPayment } from '../../src/checkout/orders/order.ts'
import { arrivalDates } from '../../src/merchant/arrival-dates.ts'
import type { Catalogue } from '../../src/merchant/catalogue/product.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { createTranslator, type LocalText } from '../../src/messages/translator.ts'
import { daysText, totalsView } from '../../src/pages/bag-view.ts'
import { confirmationView } from '../../src/pages/confirmation.ts'
import { anyMerchant } from '../any-merchant.ts'
import { BARE_LINE } from './read-page.ts'

const ORDER: Order = {
  number: '7KQM-3XH9',
  merchantId: 'shop',
  token: 'tok',
  reference: 'order-1',
  currency: 'GBP',
  lines: [
    {
      sku: 'MUG',
      title: 'Sea-glass mug',
      variant: 'Green · 350 ml',
      quantity: 1200,
      unitPrice: 1250,
      lineTotal: 1_500_000
    },
    { sku: 'CLOCK', title: 'Tide clock', quantity: 1, unitPrice: 12_000, lineTotal: 12_000 }
  ],
  subtotal: 1_512_000,
  delivery: { id: 'post', label: 'Post', price: 450 },
  total: 1_512_450,
  customer: {
    email: 'ada@example.com',
    phone: '020 7946 0958',
    country: 'GB',
    address: { name: 'Ada Lovelace', address1: '12 Square', city: 'London', postcode: 'SW1Y 4JH' }
  },
  placedAt: '2026-11-20T10:00:00.000Z'
}

const SHOP = anyMerchant()

/** The mug has a picture; the clock is no longer sold. */
const CATALOGUE: Catalogue = {
  product: sku => (sku === 'MUG' ? { sku, title: 'Renamed', image: '/pictures/mug.svg', offers: {} } : undefined)
}

const summaryOf = (order: Partial<Order>) =>
  JSON.parse(confirmationView({ ...ORDER, ...order }, createTranslator('en-GB'), SHOP, CATALOGUE).json)

t.test('the confirmation has lines, totals and number, and of a person only where the order goes, masked', async t => {
  const { json, ...page } = confirmationView(ORDER, createTranslator('en-GB'), SHOP, CATALOGUE)
  const mug = { sku: 'MUG', quantity: 1200, count: 'Qty 1,200', title: 'Sea-glass mug', variant: 'Green · 350 ml' }
  const prices = { each: '£12.50 each', lineTotal: '£15,000.00' }
  const clock = { sku: 'CLOCK', quantity: 1, count: 'Qty 1', title: 'Tide clock', letter: 'T', lineTotal: '£120.00' }
  const post = { id: 'post', label: { text: 'Post', lang: undefined }, price: '£4.50' }
  t.strictSame(page, {
    number: '7KQM-3XH9',
    reference: 'order-1',
    currency: 'GBP',
    lines: [
      { ...BARE_LINE, ...mug, ...prices, image: '/shop/pictures/mug.svg' },
      { ...BARE_LINE, ...clock }
    ],
    deliveries: [{ label: post.label }],
    sentTo: [
      { label: 'Delivery address', value: 'SW1Y •••' },
      { label: 'Email', value: 'a••@example.com' }
    ],
    isSent: true,
    totals: {
      subtotal: 1_512_000,
      subtotalText: '£15,120.00',
      choices: [{ ...post, total: 1_512_450, totalText: '£15,124.50', isChosen: true }]
    }
  })
  t.notMatch(JSON.stringify(page) + json, /ada|Ada|Square|London|4JH|7946/)
})

t.test('where an order goes is masked, whatever the country and however it was typed', async t => {
  const customer = { email: 'm@b', country: 'GB' }
  const cases: [address: Record<string, string>, place?: string][] = [
    [{ postcode: 'YO21 1AA', city: 'Whitby' }, 'YO21 •••'],
    [{ postcode: 'YO211AA' }, 'YO2 •••'],
    [{ postcode: '20095' }, '20 •••'],
    [{ postcode: '150-0001' }, '150 •••'],
    [{ postcode: '１５０ー０００１' }, '１５０ー •••'],
    [{ postcode: 'Quayside 12' }, 'Quay •••'],
    [{ postcode: '1', city: 'Whitby' }, 'Wh •••'],
    [{ city: '横浜市' }, '横浜 •••'],
    [{ city: 'دبي' }, 'دب •••'],
    [{ name: 'May' }]
  ]
  const sentTo = (order: Partial<Order>) =>
    confirmationView({ ...ORDER, ...order }, createTranslator('en'), SHOP, CATALOGUE).sentTo
  for (const [address, place] of cases) {
    t.strictSame(sentTo({ customer: { ...customer, address } }), [
      ...(place ? [{ label: 'Delivery address', value: place }] : []),
      { label: 'Email', value: 'm••@b' }
    ])
  }
  const { customer: _, ...erased } = ORDER
  t.strictSame(confirmationView(erased, createTranslator('en'), SHOP, CATALOGUE).sentTo, [])
})

t.test('whole, an address has the lines of an envelope, each of them once, and its country', async t => {
  const address = { name: 'May', address1: '1 Quay', city: 'Whitby', postcode: 'YO21 1AA' }
  const order = { ...ORDER, customer: { email: 'm@b', phone: '7', giftNote: 'Hi', country: 'GB', address } }
  const { sentTo } = confirmationView(order, createTranslator('de'), SHOP, CATALOGUE, true)
  t.strictSame(sentTo, [
    { label: 'Lieferadresse', value: 'May\n1 Quay\nWhitby\nYO21 1AA\nVereinigtes Königreich' },
    { label: 'E‑Mail‑Adresse', value: 'm@b' }
  ])
  const lines = (country: string, address: Record<string, string>) =>
    confirmationView(
      { ...ORDER, customer: { email: 'm@b', country, address } },
      createTranslator('en'),
      SHOP,
      CATALOGUE,
      true
    ).sentTo[0]?.value.split('\n')
  const german = { name: 'May', address1: 'Kai 1', postcode: '26133', city: 'Oldenburg' }
  t.strictSame(lines('DE', german), ['May', 'Kai 1', '26133 Oldenburg', 'Germany'])
  const american = {
    name: 'May',
    address1: '1 Quay',
    address2: 'Flat 2',
    city: 'Portland',
    state: 'ME',
    postcode: '04101'
  }
  t.strictSame(lines('US', american), ['May', '1 Quay', 'Flat 2', 'Portland, ME 04101', 'United States'])
  const japanese = { name: '山田', postcode: '1050011', state: '東京都', city: '港区', address1: '1-2-3' }
  t.strictSame(lines('JP', japanese), ['〒1050011', '東京都', '港区', '1-2-3', '山田', 'Japan'])
  t.strictSame(lines('AQ', { name: 'May', address1: 'Base', city: 'Port' }), ['May', 'Base', 'Port', 'Antarctica'])
})

t.test('the summary for the app has decimal strings in major units, with the digits of the currency', async t => {
  const { delivery: _, ...undelivered } = ORDER
  t.strictSame(summaryOf({}), {
    orderNumber: '7KQM-3XH9',
    reference: 'order-1',
    currency: 'GBP',
    subTotal: '15120.00',
    discount: '0.00',
    delivery: '4.50',
    total: '15124.50'
  })
  const cases: [Partial<Order>, object][] = [
    [{ currency: 'JPY' }, { subTotal: '1512000', discount: '0', delivery: '450', total: '1512450' }],
    [{ currency: 'BHD' }, { subTotal: '1512.000', discount: '0.000', delivery: '0.450', total: '1512.450' }],
    [
      { subtotal: 5, total: 5 },
      { subTotal: '0.05', total: '0.05' }
    ],
    [{ total: 8_999_099_991_000_900 }, { total: '89990999910009.00' }]
  ]
  for (const [change, summary] of cases) t.match(summaryOf(change), summary)
  const plain = confirmationView(undelivered, createTranslator('en-GB'), SHOP, CATALOGUE)
  t.match(JSON.parse(plain.json), { delivery: '0.00' })
  t.strictSame(
    plain.totals.choices.map(({ label }) => label),
    [undefined],
    'no delivery line without a delivery'
  )
})

t.test(
  'delivery is called what it was when it was ordered, in the language of the page if it is still called that',
  async t => {
    const delivery: Merchant['delivery'] = {
      GBP: [
        { id: 'bike', label: 'Bike', price: 100 },
        { id: 'post', label: { en: 'Parcel', de: 'Paket' }, price: 500, days: [3, 5] }
      ]
    }
    const days = '3 bis 5 Werktage'
    type Case = [
      what: string,
      order: Partial<Order>,
      label: string,
      days: string | undefined,
      page: string,
      text: LocalText
    ]
    const cases: Case[] = [
      ['the same language', { language: 'de-AT' }, 'Paket', days, 'de', { text: 'Paket', lang: undefined }],
      ['another language', { language: 'en-GB' }, 'Parcel', days, 'de', { text: 'Paket', lang: undefined }],
      ['an order from before languages were kept', {}, 'Parcel', days, 'de', { text: 'Paket', lang: undefined }],
      ['renamed since', { language: 'de' }, 'Post', undefined, 'de', { text: 'Post', lang: undefined }],
      ['renamed since, in another language', { language: 'de' }, 'Post', undefined, 'en', { text: 'Post', lang: 'de' }],
      ['renamed since, in the language of the shop', {}, 'Post', undefined, 'de', { text: 'Post', lang: 'en' }]
    ]
    for (const [what, order, label, expected, page, text] of cases) {
      const ordered = { ...ORDER, ...order, delivery: { id: 'post', label, price: 450 } }
      const view = confirmationView(ordered, createTranslator(page, {}, 'en-GB'), { ...SHOP, delivery }, CATALOGUE)
      t.match(view.deliveries, [{ label: text, days: expected }], what)
      t.match(view.totals.choices, [{ label: text, price: /4[.,]50/, days: undefined }], 'at the price paid')
    }
    const renumbered = { ...SHOP, delivery: { GBP: [{ id: 'parcel', label: 'Post', price: 450 }] } }
    const gone = confirmationView(ORDER, createTranslator('en'), renumbered, CATALOGUE)
    t.match(gone.deliveries, [{ label: { text: 'Post', lang: undefined }, days: undefined }])
  }
)

t.test('as long as a payment is on its way, nobody knows when the order arrives', async t => {
  const delivery: Merchant['delivery'] = { GBP: [{ id: 'post', label: 'Post', price: 450, days: [3, 5] }] }
  const payment = { provider: 'stripe', status: 'pending' } as OrderPayment
  const paid = { ...ORDER, payment }
  const view = confirmationView(paid, createTranslator('en'), { ...SHOP, delivery }, CATALOGUE, false, 'de')
  t.match(view, { deliveries: [{ days: undefined }], paymentNote: /on its way/ })
  const failed = { ...ORDER, payment: { ...payment, status: 'failed' } as OrderPayment }
  const again = confirmationView(failed, createTranslator('en'), { ...SHOP, delivery }, CATALOGUE, false, 'de')
  t.match(again.orderAgain, /\?lang=de$/, 'in the language that was chosen')
})

t.test('what is sent later says so, and delivery has no days if all of it is', async t => {
  const delivery: Merchant['delivery'] = { GBP: [{ id: 'post', label: 'Post', price: 450, days: [3, 5] }] }
  const [mug, clock] = ORDER.lines as [OrderLine, OrderLine]
  const later: OrderLine = { ...clock, availability: 'preorder' }
  const last: OrderLine = { ...mug, availability: 'backorder' }
  const viewOf = (...lines: OrderLine[]) =>
    confirmationView({ ...ORDER, lines }, createTranslator('en'), { ...SHOP, delivery }, CATALOGUE)
  const days = '3 to 5 working days'
  t.match(viewOf(mug, clock), { laterText: undefined, deliveries: [{ days }], lines: [{ notes: [] }, { notes: [] }] })
  t.match(viewOf(mug, later), {
    laterText: 'Ships later: Tide clock',
    deliveries: [{ days }],
    lines: [{ notes: [] }, { notes: ['Pre-order: ships on release.'] }]
  })
  t.match(viewOf(last, later), {
    laterText: 'Ships later: Sea-glass mug, Green · 350 ml · Tide clock',
    deliveries: [{ days: undefined }],
    lines: [{ notes: ['On back order: ships when back in stock.'] }, {}]
  })
})

t.test('delivery has dates, counted in the time zone of the shop from its first working day', async t => {
  const placed = (
    placedAt: string,
    days: [number, number],
    locale = 'en-GB',
    daysOff = ['sat', 'sun'],
    zone = 'UTC'
  ) => {
    const delivery: Merchant['delivery'] = { GBP: [{ id: 'post', label: 'Post', price: 450, days }] }
    const dates = { arrivalDates: arrivalDates({ timeZone: zone, daysOff }) }
    const order = { ...ORDER, placedAt: `${placedAt}Z` }
    return confirmationView(order, createTranslator(locale), { ...SHOP, delivery, ...dates }, CATALOGUE).deliveries[0]
      ?.days
  }
  const holidays = ['sat', 'sun', '12-25', '2026-12-28']
  const cases: [dates: string, ...Parameters<typeof placed>][] = [
    ['Thu 26 Nov – Mon 30 Nov', '2026-11-25T10:00', [1, 3]],
    ['Wed 25 Nov', '2026-11-25T23:59', [0, 0]],
    ['Mon 30 Nov', '2026-11-28T10:00', [0, 0]],
    ['Mon 30 Nov – Tue 1 Dec', '2026-11-29T10:00', [0, 1]],
    ['Sat 28 Nov', '2026-11-27T10:00', [1, 1], 'en-GB', []],
    ['Sun 29 Nov', '2026-11-27T10:00', [0, 0], 'en-GB', ['fri', 'sat']],
    ['Tue 29 Dec – Wed 30 Dec', '2026-12-24T10:00', [1, 2], 'en-GB', holidays],
    ['Tue 28 Dec', '2027-12-24T10:00', [2, 2], 'en-GB', holidays],
    ['Thu 31 Dec – Mon 4 Jan', '2026-12-30T10:00', [1, 3]],
    ['Fri 27 Nov', '2026-11-25T16:00', [1, 1], 'en-GB', [], 'Asia/Tokyo'],
    ['Wed 25 Nov', '2026-11-25T07:59', [1, 1], 'en-GB', [], 'America/Los_Angeles'],
    ['Thu, Nov 26 – Mon, Nov 30', '2026-11-25T10:00', [1, 3], 'en-US'],
    ['Do., 26. – Mo., 30. Nov.', '2026-11-25T10:00', [1, 3], 'de'],
    ['jeu. 26 – lun. 30 nov.', '2026-11-25T10:00', [1, 3], 'fr'],
    ['jue, 26 nov – lun, 30 nov', '2026-11-25T10:00', [1, 3], 'es'],
    ['11月26日(木)～12月1日(火)', '2026-11-25T10:00', [1, 4], 'ja'],
    ['11月26日(木)', '2026-11-25T10:00', [1, 1], 'ja'],
    ['12月31日(木)～1月4日(月)', '2026-12-30T10:00', [1, 3], 'ja'],
    ['الخميس، 26 – الاثنين، 30 نوفمبر', '2026-11-25T10:00', [1, 3], 'ar'],
    ['الخميس، ٢٦ – الاثنين، ٣٠ نوفمبر', '2026-11-25T10:00', [1, 3], 'ar-SA']
  ]
  for (const [dates, ...order] of cases) t.equal(placed(...order), dates)
})

t.test('how long a method takes is said in the language of the page', async t => {
  const durations: [number, number][] = [
    [0, 0],
    [1, 1],
    [2, 2],
    [1, 2],
    [3, 5]
  ]
  const cases: Record<string, string[]> = {
    en: ['Same day', '1 working day', '2 working days', '1 to 2 working days', '3 to 5 working days'],
    de: ['Am selben Tag', '1 Werktag', '2 Werktage', '1 bis 2 Werktage', '3 bis 5 Werktage'],
    ar: ['في اليوم نفسه', 'يوم عمل واحد', 'يومي عمل', 'من 1 إلى يومي عمل', 'من 3 إلى 5 أيام عمل']
  }
  for (const [locale, texts] of Object.entries(cases)) {
    const found = durations.map(days => daysText(days, createTranslator(locale)).replace(/[\u2068\u2069]/g, ''))
    t.strictSame(found, texts, locale)
  }
  const post = { id: 'post', label: 'Post', price: 450, days: [3, 5] as [number, number] }
  t.match(totalsView(2500, [post], 'post', 'GBP', createTranslator('en')).choices, [
    { key: undefined, days: '3 to 5 working days' }
  ])
})

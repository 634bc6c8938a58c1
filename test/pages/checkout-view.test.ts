// What the checkout page and its form show, without a browser.

import t from 'tap'
import type { Item } from '../../src/cart/cart.ts'
import {
  asksForCountry,
  type FieldError,
  type FormValues,
  orderFormOf,
  readEntry
} from '../../src/checkout/orders/order-form.ts'
import { quoteDigest, type ShownPrices } from '../../src/checkout/orders/place-order.ts'
import { priceCart } from '../../src/checkout/price-cart.ts'
import { arrivalDates } from '../../src/merchant/arrival-dates.ts'
import type { Offer, Product } from '../../src/merchant/catalogue/product.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { createTranslator } from '../../src/messages/translator.ts'
import { type CheckoutView, checkoutView } from '../../src/pages/checkout-view.ts'
import { type FormView, formView } from '../../src/pages/form-view.ts'
import { anyMerchant } from '../any-merchant.ts'
import { newCheckout } from '../store/store-suite.ts'
import { BARE_LINE } from './read-page.ts'

type Sold = Partial<Omit<Product, 'offers'> & Offer>
type Case = {
  locale?: string
  items?: Item[]
  codes?: string[]
  products?: Record<string, Sold>
  currency?: string
  merchant?: Partial<Merchant>
  typed?: FormValues
  shown?: ShownPrices
  mistakes?: FieldError[]
}

/** The view of a cart: by default one mug at 12.50 pounds in a British shop. */
function view(change: Case = {}): CheckoutView {
  const { items = [{ sku: 'MUG', quantity: 1 }], products = { MUG: {} }, currency = 'GBP' } = change
  const { typed = {}, shown, mistakes = [] } = change
  const translator = createTranslator(change.locale ?? 'en-GB')
  const merchant = anyMerchant(change.merchant)
  const catalogue = {
    product: (sku: string): Product | undefined => {
      const sold = products[sku]
      if (!sold) return undefined
      const { price = 1250, availability = 'in_stock', sale, ...product } = sold
      return {
        sku,
        title: `The ${sku}`,
        ...product,
        offers: { [currency]: { price, availability, ...(sale && { sale }) } }
      }
    }
  }
  const cart = { reference: 'order-1', currency, items, ...(change.codes && { codes: change.codes }) }
  const priced = priceCart(cart, catalogue, new Date('2026-11-20T10:00:00.000Z'))
  const entry = readEntry(orderFormOf(merchant), typed, currency)
  const checkout = { ...newCheckout('tok'), cart }
  const now = new Date('2026-11-20T10:00:00Z')
  return checkoutView(checkout, priced, merchant, { translator, now }, { entry, mistakes, shown, isRefused: false })
}
const onlyLine = (view: CheckoutView) => view.lines[0]

t.test('a view has lines, item count, totals and form', async t => {
  const items = [
    { sku: 'MUG', quantity: 2 },
    { sku: 'THROW', quantity: 1 },
    { sku: 'MUG', quantity: 1 }
  ]
  const products = {
    MUG: { title: 'Sea-glass mug', variant: 'Indigo · M', image: '/pictures/mug.svg' },
    THROW: { title: 'Herring throw', price: 6495, availability: 'backorder' as const }
  }
  const mug = {
    ...BARE_LINE,
    sku: 'MUG',
    title: 'Sea-glass mug',
    variant: 'Indigo · M',
    image: '/shop/pictures/mug.svg'
  }
  const herring = {
    sku: 'THROW',
    quantity: 1,
    count: 'Qty 1',
    title: 'Herring throw',
    letter: 'H',
    lineTotal: '£64.95'
  }
  const { form, ...page } = view({ items, products })
  t.match(form, { action: '/shop/checkout/tok', country: 'GB', mistakes: [] })
  t.strictSame(page, {
    lines: [
      { ...mug, quantity: 2, count: 'Qty 2', each: '£12.50 each', lineTotal: '£25.00' },
      { ...BARE_LINE, ...herring, notes: ['On back order: ships when back in stock.'] },
      { ...mug, quantity: 1, count: 'Qty 1', lineTotal: '£12.50' }
    ],
    itemCount: '4 items',
    currency: 'GBP',
    reference: 'order-1',
    isOpen: true,
    button: 'Buy now',
    acceptTerms: 'By ordering you accept our terms and conditions.',
    totals: {
      subtotal: 10_245,
      subtotalText: '£102.45',
      choices: [{ total: 10_245, totalText: '£102.45', isChosen: true }]
    },
    isRefused: false
  })
})

t.test('quantities are added up and written for the locale', async t => {
  const items = [9999, 9999].map(quantity => ({ sku: 'MUG', quantity }))
  t.match(view({ items }), { itemCount: '19,998 items', lines: [{ count: 'Qty 9,999' }] })
  t.equal(view({ items, locale: 'de-DE' }).itemCount, '19.998 Artikel')
})

t.test('a line notes a pre-order, a back-order, and a different price shown in the app', async t => {
  const differs = 'The app showed £10.00. Today’s price is £12.50.'
  const cases: [Sold, string | undefined, notes: string[], warnings: string[]][] = [
    [{}, undefined, [], []],
    [{ availability: 'backorder' }, undefined, ['On back order: ships when back in stock.'], []],
    [{}, '12.5', [], []],
    [{}, '10', [], [differs]],
    [{ availability: 'preorder' }, '10.00', ['Pre-order: ships on release.'], [differs]]
  ]
  for (const [sold, price, notes, warnings] of cases) {
    const items = [{ sku: 'MUG', quantity: 3, ...(price !== undefined && { price }) }]
    const line = onlyLine(view({ items, products: { MUG: sold } }))
    t.strictSame([line?.notes, line?.warnings], [notes, warnings], `${JSON.stringify(sold)} ${price}`)
  }
})

t.test('an unsellable line says why and has no price; then there are no totals', async t => {
  const items = [
    { sku: 'MUG', quantity: 1 },
    { sku: 'LAMP', quantity: 2, price: '1.00' },
    { sku: 'GONE', quantity: 1 }
  ]
  const products = { MUG: {}, LAMP: { availability: 'out_of_stock' as const, image: '/pictures/l.svg' } }
  const result = view({ items, products })
  const [mug, lamp, gone] = result.lines
  t.match(mug, { lineTotal: '£12.50', problem: undefined })
  const image = '/shop/pictures/l.svg'
  const problem = 'This item is out of stock'
  t.strictSame(lamp, { ...BARE_LINE, sku: 'LAMP', quantity: 2, count: 'Qty 2', title: 'The LAMP', image, problem })
  t.match(gone, { sku: 'GONE', count: 'Qty 1', title: undefined, letter: 'G', problem: 'We couldn’t find this item' })
  t.notOk('totals' in result)
  t.notOk('form' in result, 'nor a form to order with')
})

t.test('a picture has an address on the shop or its own host, and http pictures are left out on https', async t => {
  const cases: [string | undefined, string | undefined, string, string | undefined][] = [
    ['/pictures/mug.svg', undefined, '/shop', '/shop/pictures/mug.svg'],
    ['/pictures/mug.svg', 'https://shop.example', '', '/pictures/mug.svg'],
    ['https://images.example/m.jpg', undefined, '/shop', 'https://images.example/m.jpg'],
    ['https://images.example/m.jpg', 'https://shop.example', '/shop', 'https://images.example/m.jpg'],
    ['http://images.example/m.jpg', 'http://127.0.0.1:3000', '/shop', 'http://images.example/m.jpg'],
    ['http://images.example/m.jpg', undefined, '/shop', 'http://images.example/m.jpg'],
    ['http://images.example/m.jpg', 'https://shop.example', '/shop', undefined],
    [undefined, undefined, '/shop', undefined]
  ]
  for (const [image, origin, path, shown] of cases) {
    const shop = { path, ...(origin !== undefined && { origin }) }
    const line = onlyLine(view({ products: { MUG: image === undefined ? {} : { image } }, merchant: shop }))
    t.equal(line?.image, shown, `${image} on ${origin}${path}`)
  }
})

t.test('a product without a picture has the first letter or digit of its title', async t => {
  for (const [title, letter] of [
    ['„Kaikante“', 'K'],
    ['ソ-☕', 'ソ'],
    ['☕ 2', '2'],
    ['☕', '']
  ] as const) {
    t.equal(onlyLine(view({ products: { MUG: { title } } }))?.letter, letter, title)
  }
})

const methods = (standard: number, express: number) => [
  { id: 'standard', label: 'Standard', price: standard },
  { id: 'express', label: 'Express', price: express }
]
const delivery = { GBP: methods(450, 995) }

t.test(
  'the bag is folded from three lines on, and if the form has mistakes, unless it has something to tell',
  async t => {
    const mistakes: FieldError[] = [{ field: 'email', label: 'field-email', message: 'enter-field', maxLength: 254 }]
    const mugs = (count: number, price?: string) =>
      Array.from({ length: count }, () => ({ sku: 'MUG', quantity: 1, ...(price && { price }) }))
    const products = { MUG: {}, CLOCK: { availability: 'preorder' as const } }
    const cases: [what: string, isOpen: boolean, state: Parameters<typeof view>[0]][] = [
      ['two lines', true, { items: mugs(2) }],
      ['three lines', false, { items: mugs(3) }],
      ['two lines, and a mistake in the form', false, { items: mugs(2), mistakes }],
      ['three, one of which the app showed at another price', true, { items: mugs(3, '9') }],
      ['three, and a mistake in the form', false, { items: mugs(3, '9'), mistakes }],
      ['three, one of which cannot be sold', true, { items: [...mugs(2), { sku: 'GONE', quantity: 1 }] }],
      ['one line, and a mistake in the form', true, { items: mugs(1), mistakes }],
      [
        'three, one of which ships later, and a mistake in the form',
        true,
        { items: [...mugs(2), { sku: 'CLOCK', quantity: 1 }], products, mistakes }
      ],
      ['three, whose prices have changed', true, { items: mugs(3), shown: { lines: [900, 900, 900], deliveries: [] } }]
    ]
    for (const [what, isOpen, state] of cases) t.equal(view(state).isOpen, isOpen, what)
  }
)

t.test('a folded bag says what is in it: the first names, what is saved, and how many pictures are left', async t => {
  const names = ['Jacke', 'Latzhose', 'Mütze', 'Schal', 'Hemd', 'Rock']
  const sale = { price: 1000 }
  const products = Object.fromEntries(names.map(title => [title, { title }]))
  const folded = (count: number, changes: Record<string, Sold> = {}, locale = 'en-GB') => {
    const items = names.slice(0, count).map(sku => ({ sku, quantity: 2 }))
    return view({ items, products: { ...products, ...changes }, locale }).folded
  }
  t.strictSame(folded(3), { names: 'Jacke · Latzhose · +1' })
  t.strictSame(folded(6), { names: 'Jacke · Latzhose · +4', more: '+2' })
  const changes = { Jacke: { title: 'Jacke', variant: 'M', sale }, Hemd: { title: 'Hemd', sale } }
  t.strictSame(folded(5, changes), { names: 'Jacke, M · Latzhose · +3', saved: 'You save £10.00', more: '+1' })
  const long = { Jacke: { title: 'x'.repeat(150) }, Latzhose: { title: `${'x'.repeat(31)}${'é'.normalize('NFD')}x` } }
  t.strictSame(folded(3, long), { names: `${'x'.repeat(32)}… · ${'x'.repeat(31)}${'é'.normalize('NFD')}… · +1` })
  t.match(folded(5, {}, 'ar'), { names: 'Jacke · Latzhose · \u200e+3', more: '\u200e+1' }, 'not 1+')
  t.equal(folded(2), undefined)
})

t.test(
  'payment names its methods; the button orders where the law wants it to say so, elsewhere it leads on',
  async t => {
    const payment = { provider: { title: 'Stripe' }, settings: { methods: ['card', 'Apple Pay', 'PayPal'] } } as never
    const sold = (country: string, locale = 'en-GB', free = {}) =>
      view({ locale, merchant: { payment, countries: { GBP: ['GB', country] } }, typed: { country }, ...free })
    t.match(sold('GB'), {
      button: 'Buy now',
      acceptTerms: 'By ordering you accept our terms and conditions.',
      payNext: 'You’ll pay on the next page by card, Apple Pay or PayPal, with Stripe.'
    })
    t.match(sold('DE', 'de-DE'), {
      button: 'Zahlungspflichtig bestellen',
      payNext: 'Sie bezahlen auf der nächsten Seite mit Karte, Apple Pay oder PayPal (über Stripe).'
    })
    t.match(sold('RE'), { button: 'Buy now' }, 'a part of France with a code of its own')
    const acceptTerms = 'By continuing you accept our terms and conditions.'
    for (const country of ['US', 'JP', 'CH']) {
      t.match(sold(country), { button: 'Continue to payment', acceptTerms }, country)
    }
    const mistaken: FieldError = { field: 'address1', label: 'field-address1', message: 'doubt-short' }
    const { form } = view({
      merchant: { payment, countries: { GBP: ['US'] } },
      typed: { address1: '1' },
      mistakes: [mistaken]
    })
    t.match(
      form?.mistakes,
      [{ message: /tap “Continue to payment” again/ }],
      'sentences call the button what it is called'
    )
    const free = { products: { MUG: { price: 0 } } }
    t.match(sold('US', 'en-GB', free), { button: 'Buy now', payNext: undefined }, 'nothing is paid')
  }
)

t.test('next to the dates stands which lines ship later, unless all do or there are no dates', async t => {
  const items = ['MUG', 'CLOCK', 'LAMP', 'BELL'].map(sku => ({ sku, quantity: 1 }))
  const later = { availability: 'preorder' as const }
  const products = { MUG: {}, CLOCK: { title: 'Tide clock', ...later }, LAMP: later, BELL: later }
  const [method] = methods(450, 995)
  const dated = { delivery: { GBP: [{ ...method, days: [1, 2] }] } } as Partial<Merchant>
  const text = (count: number, merchant = dated) => view({ items: items.slice(0, count), products, merchant }).laterText
  t.equal(text(1), undefined)
  t.equal(text(2), 'Ships later: Tide clock')
  t.equal(text(4), 'Ships later: Tide clock · The LAMP · +1')
  const long = { LAMP: { title: 'Handwoven lambswool throw with fringe', variant: 'Teal', ...later } }
  const whole = view({ items: items.slice(0, 3), products: { ...products, ...long }, merchant: dated }).laterText
  t.equal(whole, 'Ships later: Tide clock · Handwoven lambswool throw with fringe, Teal', 'names are whole')
  t.equal(text(2, { delivery }), undefined, 'no dates')
  t.equal(view({ items: items.slice(1), products, merchant: dated }).laterText, undefined, 'all ship later')
})

t.test('a changed price is noted at the top, and the old one is struck on its line', async t => {
  const items = ['MUG', 'THROW', 'MUG'].map((sku, i) => ({ sku, quantity: i + 1, price: '9.00' }))
  const products = { MUG: {}, THROW: { availability: 'preorder' as const } }
  const viewOf = (lines: number[] | undefined) => view({ items, products, shown: { lines, deliveries: [] } })
  const preorder = 'Pre-order: ships on release.'
  const claim = 'The app showed £9.00. Today’s price is £12.50.'
  const notes = (view: CheckoutView) => view.lines.map(line => [...line.notes, ...line.warnings])
  const struck = (view: CheckoutView) => view.lines.map(line => line.struck)
  const notice = 'Some prices have changed. Please check them before you order.'
  const one = viewOf([1250, 1400, 1250])
  t.strictSame(struck(one), [[], [{ label: 'Price changed from', price: '£14.00 each' }], []])
  t.strictSame(notes(one), [[claim], [preorder, claim], [claim]])
  const single = 'A price has changed. Please check it before you order.'
  t.match(one, { notice: single, totals: { choices: [{ total: 7500, totalText: '£75.00', totalBefore: '£78.00' }] } })
  const none = viewOf([1250, 1250, 1250])
  t.strictSame(struck(none), [[], [], []], 'perhaps only the delivery price changed')
  t.match(none, { notice, totals: { choices: [{ totalBefore: undefined }] } })
  const unknown = viewOf(undefined)
  t.strictSame(struck(unknown), [[], [], []], 'an unknown price cannot be shown')
  t.strictSame(notes(unknown), notes(one), 'and no line is said to have changed')
  t.match(unknown, { notice, totals: { choices: [{ totalBefore: undefined }] } })
  t.notOk('notice' in view({ items, products }))
  const sale = view({ products: { MUG: { sale: { price: 1000 } } }, shown: { lines: [1250], deliveries: [] } })
  t.match(struck(sale), [[{ label: 'Was', price: '£12.50' }]], 'a sale that has begun shows that price once')
})

t.test('delivery methods have dates, unless all of the bag ships later', async t => {
  const [method] = methods(450, 995)
  const merchant = {
    ...{ ...anyMerchant(), delivery: { GBP: [{ ...method, days: [1, 3] }] } },
    arrivalDates: arrivalDates({ timeZone: 'Europe/London', daysOff: ['sun'] })
  } as Merchant
  const items = [
    { sku: 'MUG', quantity: 1 },
    { sku: 'CLOCK', quantity: 1 }
  ]
  const daysWith = (mug: Sold, clock: Sold) =>
    view({ items, products: { MUG: mug, CLOCK: clock }, merchant }).totals?.choices.map(({ days }) => days)
  t.strictSame(daysWith({}, {}), ['Sat 21 Nov – Tue 24 Nov'])
  t.strictSame(daysWith({}, { availability: 'preorder' }), ['Sat 21 Nov – Tue 24 Nov'])
  t.strictSame(daysWith({ availability: 'backorder' }, { availability: 'preorder' }), [undefined])
})

t.test('of delivery methods, the price and the total before are shown where they differ', async t => {
  const merchant = { delivery }
  const choices = (shown: ShownPrices) =>
    view({ merchant, shown }).totals?.choices.map(({ priceBefore, totalBefore }) => [priceBefore, totalBefore])
  t.strictSame(choices({ lines: [1250], deliveries: [450, 995] }), Array(2).fill([undefined, undefined]))
  t.strictSame(choices({ lines: [1250], deliveries: [450, 900] }), [
    [undefined, undefined],
    ['£9.00', '£21.50']
  ])
  t.strictSame(choices({ lines: [1300], deliveries: [450, 1000] }), [
    [undefined, '£17.50'],
    ['£10.00', '£23.00']
  ])
  t.strictSame(choices({ lines: [1200], deliveries: undefined }), Array(2).fill([undefined, undefined]))
})

const codes: [codes: string[], named: string][] = [
  [['SUMMER20'], 'SUMMER20'],
  [['SUMMER20', 'WELCOME'], 'SUMMER20 · WELCOME'],
  [['A', 'B', 'C', 'D'], 'A · B · C'],
  [['x'.repeat(41)], `${'x'.repeat(40)}…`],
  [[`${'x'.repeat(39)}😀`], `${'x'.repeat(39)}😀`],
  [['\u202eAB\u0007C\ud83d'], 'ABC'],
  [['<b>'], '<b>']
]

for (const [sent, named] of codes) {
  t.test(`that codes cannot be used is said, with what they are: ${named}`, async t => {
    t.equal(view({ codes: sent }).codesText, `Discount codes can’t be used here: ${named}`)
  })
}

t.test('without codes nothing is said of them', async t => {
  t.notOk('codesText' in view())
  t.notOk('codesText' in view({ codes: [] }))
  t.notOk('codesText' in view({ codes: ['SUMMER20'], products: {} }), 'nor where nothing can be ordered')
})

t.test('a sale strikes the regular price of the line and says what is saved', async t => {
  const saleOf = (price: number, sale: number, quantity: number, locale: string) =>
    onlyLine(view({ items: [{ sku: 'MUG', quantity }], products: { MUG: { price, sale: { price: sale } } }, locale }))
  t.match(saleOf(3490, 2790, 1, 'en-GB'), {
    each: undefined,
    lineTotal: '£27.90',
    struck: [{ label: 'Was', price: '£34.90', saved: 'You save £7.00' }]
  })
  t.match(saleOf(3490, 2790, 3, 'de-DE'), {
    each: 'je 27,90\u00a0£',
    lineTotal: '83,70\u00a0£',
    struck: [{ label: 'Statt', price: '104,70\u00a0£', saved: 'Sie sparen 21,00\u00a0£' }]
  })
  for (const sale of [1250, 1300]) t.strictSame(saleOf(1250, sale, 1, 'en-GB')?.struck, [], 'no saving, no sale')
})

t.test('a Japanese title may break before and after a katakana word, and not inside it', async t => {
  const cases = [
    ['陶器コーヒードリッパー 朱', '陶器|コーヒードリッパー 朱'],
    ['手挽きコーヒーミル', '手挽き|コーヒーミル'],
    ['ガラス製コーヒーの器', 'ガラス|製|コーヒーの器'],
    ['コーヒーカップ&ソーサー 藍線', 'コーヒーカップ&ソーサー 藍線'],
    ['Sea-glass mug', 'Sea-glass mug']
  ] as const
  for (const [title, broken] of cases) {
    t.equal(onlyLine(view({ products: { MUG: { title } } }))?.title, broken.replaceAll('|', '\u200b'))
  }
})

const MUG = {
  item: { sku: 'MUG', quantity: 2 },
  product: { sku: 'MUG', title: 'Mug', offers: {} },
  unitPrice: 1250,
  lineTotal: 2500,
  availability: 'in_stock',
  isSellable: true
} as const

const DELIVERIES = [
  { id: 'post', label: 'Post', price: 450 },
  { id: 'van', label: 'Van', price: 0 }
]

type Changes = {
  countries?: string[]
  deliveries?: typeof DELIVERIES
  typed?: FormValues
  mistakes?: FieldError[]
  locale?: string
}

function entryOf({ countries = ['GB', 'DE', 'CI'], deliveries = DELIVERIES, typed = {} }: Changes) {
  const merchant = anyMerchant({ countries: { GBP: countries }, delivery: { GBP: deliveries } })
  return readEntry(orderFormOf(merchant), typed, 'GBP')
}

function formWith(changes: Changes = {}) {
  const { mistakes = [], locale = 'en-GB' } = changes
  const translator = createTranslator(locale)
  return formView('/form?', entryOf(changes), mistakes, [MUG], {
    translator,
    button: translator.translate('place-order')
  })
}

const rowsOf = ({ address }: Pick<FormView, 'address'>) =>
  address.map(({ fields }) => fields.map(({ name }) => name).join(' '))

const fieldsOf = ({ contact, address }: Pick<FormView, 'contact' | 'address'>) => [
  ...contact,
  ...address.flatMap(({ fields }) => fields)
]

t.test('a new form has the empty fields of the first country', async t => {
  const { contact, address, ...form } = formWith()
  t.strictSame(form, {
    action: '/form?',
    digest: quoteDigest({ lines: [MUG], deliveries: DELIVERIES }),
    foldLabel: 'Add company or flat',
    mistakes: [],
    isCalm: true,
    country: 'GB',
    countries: [
      { code: 'GB', name: 'United Kingdom', isChosen: true },
      { code: 'DE', name: 'Germany', isChosen: false },
      { code: 'CI', name: 'Côte d’Ivoire', isChosen: false }
    ],
    focusesMethod: false,
    giftNote: undefined,
    kept: []
  })
  t.strictSame(
    contact.map(({ name }) => name),
    ['email', 'phone']
  )
  t.strictSame(rowsOf({ address }), ['name', 'address1', 'organization address2', 'city', 'postcode'])
  const fields = fieldsOf({ contact, address })
  t.strictSame(new Set(fields.map(({ value }) => value)), new Set(['']))
  t.notOk(fields.some(({ mistake }) => mistake))
})

t.test('what was typed for one country is kept while another is shown that does not have the field', async t => {
  const countries = ['GB', 'HK']
  const typed = { country: 'HK', shown: 'GB', digest: 'x', postcode: 'SW1Y 4JH', city: '', name: 'Ada', other: 'x' }
  t.strictSame(formWith({ countries, typed }).kept, [['postcode', 'SW1Y 4JH']])
  t.strictSame(formWith({ countries, typed: { ...typed, country: 'GB', shown: 'HK' } }).kept, [])
})

t.test('the name is first in every country, and a postcode is beside what an envelope has beside it', async t => {
  const fold = 'organization address2'
  const cases: [string, string[]][] = [
    ['GB', ['name', 'address1', fold, 'city', 'postcode']],
    ['DE', ['name', 'address1', fold, 'postcode city']],
    ['US', ['name', 'address1', fold, 'city', 'state', 'postcode']],
    ['ES', ['name', 'address1', fold, 'postcode city', 'state']],
    ['JP', ['name', 'postcode', 'state', 'city', 'address1', 'address2 organization']],
    ['IE', ['name', 'address1', `${fold} district state postcode`, 'city']],
    ['CI', ['name', 'address1', 'organization sorting address2', 'city']]
  ]
  for (const [country, rows] of cases) t.strictSame(rowsOf(formWith({ countries: [country] })), rows, country)
})

t.test('what is optional is folded away, unless they have a value or a mistake', async t => {
  const long = { field: 'address2', label: 'field-address2', message: 'field-too-long', maxLength: 200 } as const
  const cases: [string, Changes, boolean][] = [
    ['a new form', {}, false],
    ['other values', { typed: { name: 'Ada', organization: '' } }, false],
    ['a company', { typed: { organization: 'Engine' } }, true],
    ['a second line', { typed: { address2: 'Wing' } }, true],
    ['a mistake', { mistakes: [long] }, true]
  ]
  for (const [what, changes, isOpen] of cases) {
    const { address } = formWith(changes)
    const folds = address.filter(({ isFold }) => isFold)
    t.strictSame(
      folds.map(({ isOpen }) => isOpen),
      [isOpen],
      what
    )
    const autocomplete = isOpen ? 'address-line1' : 'street-address'
    t.match(address[1]?.fields, [{ name: 'address1', autocomplete }], 'until it is open, the street is the whole of it')
  }
})

t.test('the fold says what is in it: a postcode first of all', async t => {
  const cases: [string, string, string][] = [
    ['GB', 'en-GB', 'Add company or flat'],
    ['IE', 'en-GB', 'Add Eircode, company or more'],
    ['HR', 'de-DE', 'Postleitzahl, Firma oder Weiteres angeben'],
    ['BR', 'en-GB', 'Add neighbourhood, company or more']
  ]
  for (const [country, locale, label] of cases) t.equal(formWith({ countries: [country], locale }).foldLabel, label)
})

t.test('each mistake is next to its field, and in the summary in the order of the fields', async t => {
  const typed = { email: ' a"b ', country: 'DE', shown: 'DE', postcode: '' }
  const mistakes: FieldError[] = [
    { field: 'postcode', label: 'field-postal', message: 'enter-field', maxLength: 200 },
    { field: 'email', label: 'field-email', message: 'email-shape', maxLength: 254 }
  ]
  const wrong = { name: 'email', value: ' a"b ', mistake: 'Enter an email address such as name@example.com' }
  const missing = { name: 'postcode', value: '', mistake: 'Enter your postcode' }
  const form = formWith({ typed, mistakes })
  t.match(form.mistakes, [
    { field: 'email', message: wrong.mistake },
    { field: 'postcode', message: missing.mistake }
  ])
  const marked = fieldsOf(form).filter(({ mistake }) => mistake !== undefined)
  t.match(marked, [wrong, missing])
  t.equal(form.isCalm, false)
})

t.test(
  'a doubt is next to its field too, and below a mistake of it; the form carries what has been doubted',
  async t => {
    const typed = { email: 'may@gmial.com', postcode: 'x', city: '.', 'doubted-city': '.', 'doubted-phone': '' }
    const email = { field: 'email', label: 'field-email', message: 'doubt-meant', example: 'may@gmail.com' } as const
    const postcode = { field: 'postcode', label: 'field-postal', message: 'doubt-form', example: 'EC1Y 8SY' } as const
    const form = formWith({ typed, mistakes: [email, postcode] })
    t.strictSame(form.mistakes, [
      { field: 'email', message: 'Did you mean may@gmail.com? If not, tap “Buy now” again.' },
      {
        field: 'postcode',
        message: 'Please check your postcode: it usually looks like EC1Y 8SY. If it’s right, tap “Buy now” again.'
      }
    ])
    t.equal(form.isCalm, true)
    t.strictSame(form.kept, [
      ['doubted-email', 'may@gmial.com'],
      ['doubted-city', '.'],
      ['doubted-postcode', 'x'],
      ['mistaken', 'email postcode']
    ])
    t.match(
      fieldsOf(form).filter(({ isDoubt }) => isDoubt),
      [
        { name: 'email', isFocused: false },
        { name: 'postcode', isFocused: false }
      ]
    )
    const [only] = fieldsOf(formWith({ typed, mistakes: [email] }))
    t.match(only, { name: 'email', isDoubt: true, isFocused: true })

    const wrong = { ...email, message: 'email-shape', maxLength: 254 } as const
    const both = formWith({ typed, mistakes: [email, postcode, wrong] })
    t.match(both, { isCalm: false, mistakes: [{ message: /^Enter an email address/ }, { field: 'postcode' }] })
    t.strictSame(both.kept.slice(0, -1), [['doubted-city', '.']], 'what stands beside an error is not answered yet')

    const shape = { field: 'email', label: 'field-email', message: 'doubt-form' } as const
    t.match(formWith({ mistakes: [shape] }).mistakes, [{ message: /^Please check your email: .* name@example\.com\./ }])
  }
)

t.test('a state that was entered is chosen, whichever its language, and text if it is none of the choices', async t => {
  const state = (typed: string, locale: string, country = 'CA') =>
    fieldsOf(formWith({ countries: [country], typed: { state: typed }, locale })).find(({ name }) => name === 'state')
  const chosen = (typed: string, locale: string) =>
    state(typed, locale)?.options?.flatMap(({ isChosen, label, code }) => (isChosen ? [`${code} ${label}`] : []))
  t.equal(state('', 'en-CA')?.options?.length, 13)
  t.strictSame(chosen('', 'en-CA'), [])
  for (const typed of ['BC', 'British Columbia', 'Colombie-Britannique']) {
    t.strictSame(chosen(typed, 'fr-CA'), ['BC Colombie-Britannique'], typed)
    t.strictSame(chosen(typed, 'de-DE'), ['BC British Columbia'], typed)
  }
  t.match(state('Maine', 'en-CA'), { value: 'Maine', options: undefined })
  t.match(
    state('Dubai', 'ar', 'AE')?.options?.find(({ isChosen }) => isChosen),
    { label: 'دبي', code: undefined }
  )
  t.equal(state(' bc ', 'en-CA')?.options?.filter(({ isChosen }) => isChosen).length, 1)
})

t.test('however many states there are, they are a list from the first page on', async t => {
  const state = (typed: FormValues, country = 'US') => {
    const form = formWith({ countries: ['US', 'CA', 'IT', 'JP', 'GB'], typed: { country, shown: country, ...typed } })
    const field = fieldsOf(form).find(({ name }) => name === 'state')
    const chosen = field?.options?.find(({ isChosen }) => isChosen)
    return { ...field, chosen: chosen && (chosen.code ?? chosen.label), rows: rowsOf(form) }
  }
  t.match(state({}), { options: { length: 62 }, choose: 'Choose…', chosen: undefined, place: undefined })
  t.match(state({}).rows.slice(-3), ['city', 'state', 'postcode'], 'a choice has a row of its own')
  for (const typed of ['CA', 'california', ' California ']) {
    t.equal(state({ digest: 'x', state: typed }).chosen, 'CA', typed)
  }
  t.match(state({ digest: 'x', state: 'Califurnia' }), { options: undefined, value: 'Califurnia', place: 'beside' })
  t.match(state({ digest: 'x' }, 'JP').options?.[12], { label: 'Tokyo', code: undefined })
  t.equal(state({ digest: 'x', state: '東京都' }, 'JP').chosen, 'Tokyo')
  const other = state({ digest: 'x', state: 'CA', shown: 'US' }, 'JP')
  t.match(
    other,
    { value: '', options: { length: 47 }, chosen: undefined },
    'a state of another country is none of this'
  )
  t.match(
    state({ digest: 'x', state: 'CA', shown: 'US' }, 'IT'),
    { value: '', options: { length: 107 }, chosen: undefined },
    'California is not Cagliari'
  )
  t.equal(
    state({ digest: 'x', state: 'TO', shown: 'US' }, 'IT').chosen,
    'TO',
    'but what is no state there may be meant'
  )
  t.equal(state({ digest: 'x', state: 'CA', shown: 'GB' }, 'IT').chosen, 'CA')
})

t.test('a form asks for the fields of another country if the country changed or the button was pressed', async t => {
  const several = ['GB', 'FR']
  const cases: [string[], Record<string, string>, boolean][] = [
    [several, { country: 'GB', shown: 'GB' }, false],
    [several, { country: 'FR', shown: 'FR' }, false],
    [several, { country: 'FR', shown: 'FR', look: '1' }, true],
    [several, { country: 'FR', shown: 'GB' }, true],
    [several, { country: 'XX', shown: 'XX' }, true],
    [several, {}, true],
    [['GB'], {}, false],
    [['GB'], { country: 'FR', shown: 'FR' }, true],
    [['GB'], { look: '1' }, true],
    [['GB'], { look: '' }, false],
    [several, { country: 'FR', shown: 'FR', look: '' }, false],
    [several, { country: 'FR', shown: 'GB', look: '' }, true]
  ]
  for (const [countries, typed, asks] of cases) {
    t.equal(asksForCountry(entryOf({ countries, typed })), asks, `${countries}: ${JSON.stringify(typed)}`)
    const sent = formWith({ countries, typed: { ...typed, digest: 'x' } })
    t.equal('countryNote' in sent, asks, 'the page says that it shows them')
    t.equal(sent.focusesMethod, typed.look === '' && !asks, 'Enter on a delivery method keeps the focus there')
    t.notOk('countryNote' in formWith({ countries, typed }), 'but not before a form is sent')
  }
  const note = 'You chose another country: Côte d’Ivoire. Check the address and the total, then tap “Buy now”.'
  t.match(formWith({ typed: { country: 'CI', shown: 'GB', digest: 'x' } }), { countryNote: note, addedNote: undefined })
})

t.test('the note about another country names the fields that are new, required and empty', async t => {
  const cases: [from: string, to: string, typed: FormValues, fields: string | undefined][] = [
    ['GB', 'US', {}, 'State'],
    ['GB', 'US', { state: 'ME' }, undefined],
    ['US', 'CA', { state: 'ME' }, 'Province'],
    ['US', 'AU', { state: 'WA' }, 'State'],
    ['US', 'AU', { state: 'NSW' }, undefined],
    ['HK', 'CA', {}, 'City, Province and Postcode'],
    ['IE', 'US', {}, 'State and ZIP code'],
    ['US', 'GB', {}, undefined],
    ['GB', 'IE', {}, undefined],
    ['GB', 'JP', { postcode: '1' }, 'Prefecture']
  ]
  for (const [from, to, values, fields] of cases) {
    const typed = { country: to, shown: from, digest: 'x', ...values }
    const { addedNote } = formWith({ countries: [from, to], typed })
    t.equal(addedNote, fields && `Please also fill in: ${fields}.`, `${from} to ${to}: ${JSON.stringify(values)}`)
  }
  const typed = { country: 'US', shown: 'IE', digest: 'x' }
  const { addedNote } = formWith({ countries: ['IE', 'US'], typed, locale: 'de-DE' })
  t.equal(addedNote, 'Bitte auch ausfüllen: Bundesstaat und Postleitzahl (ZIP-Code).')
})

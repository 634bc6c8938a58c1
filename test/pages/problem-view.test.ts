// What a refusal says to a program and to a shopper.
import t from 'tap'
import { Problem, type ProblemCode, problems, type RefusedLine, type ValidationError } from '../../src/errors.ts'
import type { Product } from '../../src/merchant/catalogue/product.ts'
import { languages } from '../../src/messages/messages.ts'
import { createTranslator } from '../../src/messages/translator.ts'
import { problemJson, problemPage, problemView } from '../../src/pages/problem-view.ts'
import { openStorefront } from '../../src/pages/storefront.ts'
import { anyMerchant } from '../any-merchant.ts'
import { build, merchantFile } from '../build.ts'
import { BARE_LINE } from './read-page.ts'

const EN = createTranslator('en-GB')
const ID = '00000000-0000-4000-8000-000000000000'
const UNKNOWN = EN.translate('item-unknown')
const SOLD_OUT = EN.translate('item-sold-out')
const codes = Object.keys(problems) as ProblemCode[]

const PRODUCTS: Product[] = [
  { sku: 'MUG', title: 'Mug', variant: 'Green', image: '/pictures/mug.svg', offers: {} },
  { sku: 'LAMP', title: 'Lantern', offers: {} }
]
const SHOP = openStorefront({
  merchant: anyMerchant(),
  catalogue: { product: sku => PRODUCTS.find(product => product.sku === sku) }
})

const unknown: ValidationError = { pointer: '#/items/0/sku', code: 'sku-unknown', detail: 'No product …', sku: 'GONE' }
const soldOut: ValidationError = { pointer: '#/items/1/sku', code: 'out-of-stock', detail: '…', sku: 'LAMP' }
const notSold: ValidationError = {
  pointer: '#/currency',
  code: 'currency-not-sold',
  detail: 'This merchant sells in …'
}
const missing: ValidationError = { pointer: '#/reference', code: 'field-missing', detail: 'This field is required.' }

t.test('every code has its type, title and status in problem+json, and its messages on a page', async t => {
  for (const code of codes) {
    const { status, title, shopper, next } = problems[code]
    const posted: [string, string][] | undefined = next === 'try-once' ? [['name', 'Ada']] : undefined
    const refusal = new Problem(code, { detail: 'why', posted })
    const isFailure = status >= 500
    const type = `urn:problem-type:cart-transfer:${code}`
    const problem = { type, title, status, detail: 'why', ...(isFailure && { instance: `urn:uuid:${ID}` }) }
    t.strictSame(problemJson(refusal, ID), problem, `${code}: a server error adds the request id`)
    t.strictSame(problemView(refusal, EN, ID), {
      heading: EN.translate(shopper),
      next: EN.translate(next),
      ...(posted && { posted }),
      entered: [],
      lines: [],
      ...(code === 'order-placed' && { sign: 'ordered' }),
      // Our fault, or an order that was wanted and is not placed.
      ...((isFailure || code === 'checkout-expired') && { sign: 'failed' }),
      remarks: [],
      details: [{ pointer: '', code, detail: 'why' }],
      ...(isFailure && { requestId: ID })
    })
  }
})

t.test('a page for a broken request has the heading of its mistakes if they share one', async t => {
  const empty = { pointer: 'items', code: 'items-empty', detail: 'why' } as const
  const heading = (...found: ValidationError[]) =>
    problemView(new Problem('contract-broken', { detail: 'why', mistakes: found }), EN, ID).heading
  t.equal(heading(empty), 'Your bag is empty')
  t.equal(heading(empty, missing), 'We couldn’t load your whole bag')
  const refusal = new Problem('contract-broken', { detail: 'why', mistakes: [missing] })
  t.match(problemView(refusal, EN, ID), { lines: { length: 0 }, details: [missing], moreDetails: undefined })
})

t.test('the page of an unsellable cart shows its lines, those to blame first, each with why', async t => {
  const mistakes = [unknown, soldOut, notSold]
  const bag: RefusedLine[] = [
    { sku: 'MUG', quantity: 2 },
    { sku: 'GONE', quantity: 1, mistake: 'sku-unknown' },
    { sku: 'LAMP', quantity: 3, mistake: 'out-of-stock' }
  ]
  const refusal = new Problem('cart-not-sellable', { detail: 'why', mistakes, bag })
  const { lines, remarks, details } = problemView(refusal, EN, ID, SHOP)
  const common = { ...BARE_LINE, isUncounted: true }
  t.strictSame(lines, [
    { ...common, sku: 'GONE', quantity: 1, count: 'Qty 1', title: undefined, letter: 'G', problem: UNKNOWN },
    { ...common, sku: 'LAMP', quantity: 3, count: 'Qty 3', title: 'Lantern', letter: 'L', problem: SOLD_OUT },
    {
      ...common,
      sku: 'MUG',
      quantity: 2,
      count: 'Qty 2',
      title: 'Mug',
      variant: 'Green',
      image: '/shop/pictures/mug.svg'
    }
  ])
  t.strictSame(remarks, ['We don’t sell in the currency of your bag'])
  t.match(details, mistakes, 'with details for engineers')
  t.strictSame(problemJson(refusal, ID).errors, mistakes, 'problem+json has them without the lines of the bag')
  t.match(problemPage(refusal, EN, ID, SHOP), {
    template: 'problem',
    title: 'Some items in your bag aren’t available right now',
    images: ['/shop/pictures/mug.svg']
  })
})

const tooMany: ValidationError = { pointer: 'item_0_quantity', code: 'quantity-invalid', detail: '…', sku: 'MUG' }
const halfSent: ValidationError = { pointer: 'item_1_quantity', code: 'field-missing', detail: '…', sku: 'GONE' }

t.test('the page of a broken request names the items concerned, and advises to change the bag', async t => {
  const page = (mistakes: ValidationError[], ...bag: RefusedLine[]) =>
    problemView(new Problem('contract-broken', { detail: 'why', mistakes, bag }), EN, ID, SHOP)
  const mug = { sku: 'MUG', title: 'Mug', problem: 'This item isn’t available in this quantity' }
  const gone = { sku: 'GONE', title: undefined, problem: 'We didn’t receive all the details of this item' }
  const changeBag = EN.translate('change-bag')
  const unread: RefusedLine = { sku: 'MUG', mistake: 'quantity-invalid' }
  t.match(page([tooMany], unread), {
    heading: 'An item in your bag isn’t available right now',
    next: changeBag,
    lines: [mug],
    details: [tooMany]
  })
  t.equal(page([tooMany], unread).lines[0]?.count, undefined, 'a quantity that could not be read is not shown')
  const read: RefusedLine = { sku: 'GONE', quantity: 3, mistake: 'field-repeated' }
  const incomplete = 'We couldn’t load your whole bag'
  t.match(page([halfSent], read), { heading: incomplete, next: changeBag, lines: [{ ...gone, count: 'Qty 3' }] })
  t.match(page([tooMany, halfSent], unread, read), { heading: incomplete, next: changeBag, lines: [mug, gone] })
  t.match(page([tooMany, missing], unread), { heading: incomplete, next: changeBag, lines: [mug], remarks: [] })
})

t.test('a limit is named on the lines beyond it, or above the bag, in each language', async t => {
  const most: ValidationError = {
    pointer: 'p',
    code: 'quantity-too-large',
    detail: '…',
    sku: 'MUG',
    limit: { units: 1500 }
  }
  const dear: ValidationError = {
    pointer: 'items',
    code: 'total-too-large',
    detail: '…',
    limit: { minor: 100_050, currency: 'GBP' }
  }
  const page = (translator: typeof EN, ...mistakes: ValidationError[]) => {
    const bag = mistakes.flatMap(({ sku, code, limit }) =>
      sku === undefined ? [] : [{ sku, mistake: code, ...(limit && { limit }) }]
    )
    return problemView(new Problem('cart-not-sellable', { detail: 'why', mistakes, bag }), translator, ID, SHOP)
  }
  const next = EN.translate('change-bag')
  const lines = [{ problem: 'You can buy up to 1,500 of this item' }]
  const remarks = ['The most we accept in one order is £1,000.50']
  t.match(page(EN, most), { heading: 'We can’t sell that many', next, lines })
  const beyond = page(EN, { ...most, code: 'quantity-invalid', limit: { units: 9999 } })
  t.match(beyond, { heading: 'We can’t sell that many', lines: [{ problem: 'You can buy up to 9,999 of this item' }] })
  t.match(page(EN, dear), { heading: 'The total of your bag is too high for one order', next, remarks })
  t.match(page(EN, dear, unknown), { heading: 'An item in your bag isn’t available right now', remarks })
  const two = page(EN, dear, unknown, { ...unknown, pointer: 'q' })
  t.match(two, { heading: 'Some items in your bag aren’t available right now' })
  for (const language of Object.keys(languages)) {
    const translator = createTranslator(language)
    t.match(page(translator, most).lines[0]?.problem, translator.number(1500), language)
    t.match(page(translator, dear).remarks[0], translator.money(100_050, 'GBP'), language)
  }
  const { errors } = problemJson(
    new Problem('cart-not-sellable', { detail: 'why', mistakes: [most, dear, unknown] }),
    ID
  )
  t.strictSame(errors, [{ ...most, limit: 1500 }, { ...dear, limit: '1000.50' }, unknown], 'programs get it as data')
})

t.test('if only the currency is wrong, the page advises to change it, whichever check found it', async t => {
  const unreadable: ValidationError = { pointer: 'currency', code: 'currency-invalid', detail: 'why' }
  const heading = 'We don’t sell in the currency of your bag'
  for (const [code, mistake] of [
    ['cart-not-sellable', notSold],
    ['contract-broken', unreadable]
  ] as const) {
    const view = problemView(new Problem(code, { detail: 'why', mistakes: [mistake] }), EN, ID)
    t.match(view, { heading, next: EN.translate('change-currency') }, code)
    t.strictSame([view.lines, view.remarks], [[], []], code)
  }
  const both = new Problem('contract-broken', { detail: 'why', mistakes: [unreadable, missing] })
  t.match(problemView(both, EN, ID), {
    heading: 'We couldn’t load your whole bag',
    next: EN.translate('change-currency'),
    remarks: [heading]
  })
  const whole = new Problem('contract-broken', { detail: 'why', mistakes: [unreadable, tooMany] })
  t.match(problemView(whole, EN, ID), { next: EN.translate('change-both'), remarks: [heading] }, 'beside an item')
  const withItem = new Problem('cart-not-sellable', { detail: 'why', mistakes: [unknown, notSold] })
  t.equal(problemView(withItem, EN, ID).next, EN.translate('change-both'), 'changing only one would be refused again')
})

t.test('a page has 50 lines and 100 mistakes at most, and how many more there are; problem+json has all', async t => {
  const many = (count: number, sound = 0) => {
    const mistakes = Array.from({ length: count }, () => unknown)
    const good = Array.from({ length: sound }, () => ({ sku: 'MUG', quantity: 1 }))
    const bad = mistakes.map(({ code }) => ({ sku: 'GONE', quantity: 1, mistake: code }))
    return new Problem('cart-not-sellable', { detail: 'why', mistakes, bag: [...good, ...bad] })
  }
  for (const [count, more] of [
    [100, undefined],
    [101, 'and 1 more'],
    [500, 'and 400 more']
  ] as const) {
    const { details, moreDetails } = problemView(many(count), EN, ID, SHOP)
    t.strictSame([details.length, moreDetails], [100, more])
    t.equal(problemJson(many(count), ID).errors?.length, count)
  }
  for (const [sound, more] of [
    [49, undefined],
    [50, 'and 1 more item'],
    [499, 'and 450 more items']
  ] as const) {
    const { lines, moreLines } = problemView(many(1, sound), EN, ID, SHOP)
    t.strictSame([lines.length, moreLines], [50, more])
    t.match(lines[0], { sku: 'GONE', isFar: false }, 'what is to blame comes first')
    t.match(lines[49], { sku: 'MUG', isFar: true }, 'and what is far down loads late')
  }
  const { app } = await build(t, { merchants: [merchantFile('2B', { publicUrl: '/shop' })] })
  const empty = (count: number) => Array.from({ length: count }, (_, index) => `item_${index}_sku=`).join('&')
  const { body } = await app.inject(`/shop/cart?${empty(60)}`)
  t.match(body, '<li>and 22 more</li>', 'two for each line, and currency and reference')
  t.notMatch((await app.inject(`/shop/cart?${empty(49)}`)).body, ' more</li>')
})

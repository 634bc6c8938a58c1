// The behaviour of a store as documented in src/store/store.ts. Every implementation runs this suite, so it is
// independent of any database.
import type { Test } from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import type { NewCheckout } from '../../src/checkout/checkout-store.ts'
import { StoreUnavailable } from '../../src/errors.ts'
import type { Store } from '../../src/store/store.ts'

/** Builds a store for one test. */
export type OpenStore = (t: Test) => Promise<Store>

/** Builds a store that is closed with its test. */
export function closed(open: OpenStore): OpenStore {
  return async t => {
    const store = await open(t)
    t.teardown(() => store.close())
    return store
  }
}

export const CREATED = '2026-11-20T10:00:00.000Z'
export const EXPIRES = '2026-11-21T10:00:00.000Z'
/** For checkouts that leave no record when they are deleted. */
export const NO_RECORDS = '9999'
/** A time before EXPIRES at which a cart is sent again. */
const LATER = '2026-11-20T18:00:00.000Z'

const ITEMS = [
  { sku: 'MUG', quantity: 2 },
  { sku: 'THROW', quantity: 1 }
]

/** What a test may change in a checkout. */
export type CheckoutChanges = Partial<Omit<NewCheckout, 'cart'> & Cart>

/** A checkout to store: merchant `shop`, reference `order-1`, two lines, expires after a day. */
export function newCheckout(token: string, changes: CheckoutChanges = {}): NewCheckout {
  const { reference = 'order-1', currency = 'GBP', items = ITEMS, ...rest } = changes
  const cart = { reference, currency, items }
  return { token, merchantId: 'shop', option: '1', createdAt: CREATED, expiresAt: EXPIRES, ...rest, cart }
}

const isSameReference: [string, string, boolean][] = [
  ['abcdef00112233445566778899aabbcc', 'ABCDEF00112233445566778899AABBCC', true],
  ['abcdef00-1122-3344-5566-778899aabbcc', 'abcdef00112233445566778899aabbcc', true],
  ['ABCDEF00-1122-3344-5566-778899AABBCC', 'abcdef00112233445566778899aabbcc', true],
  ['abcdef00112233445566778899aabbcc', 'abcdef00112233445566778899aabbcd', false],
  ['abcdef00112233445566778899aabbc', 'ABCDEF00112233445566778899AABBC', false],
  ['abcdef-00112233445566778899aabbcc', 'abcdef00112233445566778899aabbcc', false],
  ['gbcdef00112233445566778899aabbcc', 'GBCDEF00112233445566778899AABBCC', false],
  ['order-1', 'ORDER-1', false],
  ['order-1', 'order1', false],
  ['order-1', 'order-1-', false],
  ['order_1', 'orderx1', false],
  ['order%', 'order-1', false],
  ['1', '01', false],
  ['1', '1.0', false],
  ['abcdef12', 'ABCDEF12', false]
]

/** Changes that each make the default cart another cart. */
const otherCarts: [string, Partial<Cart>][] = [
  ['another quantity', { items: [ITEMS[0], { sku: 'THROW', quantity: 2 }] as Cart['items'] }],
  ['another SKU', { items: [ITEMS[0], { sku: 'LAMP', quantity: 1 }] as Cart['items'] }],
  ['a SKU in another case', { items: [ITEMS[0], { sku: 'Throw', quantity: 1 }] as Cart['items'] }],
  ['one line more', { items: [...ITEMS, { sku: 'LAMP', quantity: 1 }] }],
  ['one line fewer', { items: ITEMS.slice(0, 1) }],
  ['another order of lines', { items: ITEMS.toReversed() }],
  [
    'one line split in two',
    { items: [{ sku: 'MUG', quantity: 1 }, { sku: 'MUG', quantity: 1 }, ITEMS[1]] as Cart['items'] }
  ],
  ['another currency', { currency: 'USD' }],
  ['an added price claim', { items: ITEMS.map(item => ({ ...item, price: '12.50' })) }]
]

const hostile: [string, string][] = [
  ['SQL injection', `'; DROP TABLE checkouts; --`],
  ['double quotes and a backslash', 'a"b\\c'],
  ['spaces at both ends', '  a  b  '],
  ['markup', '<script>alert("x")</script>&amp;'],
  ['emoji of several code points', '👩🏽‍🚀 ☕️ 🏴󠁧󠁢󠁳󠁣󠁴󠁿'],
  ['right to left, with an override', '\u202eשלום مرحبا\u202c'],
  ['composed', '\u00e9'],
  ['decomposed', 'e\u0301'],
  ['no-break and zero-width', '\u00a0a\u200bb\ufeff'],
  ['line separators', 'a\u2028b\u2029c'],
  ['wildcards', '%_?*[a-z]'],
  ['SQL placeholders', '$1 ?1 :name @name'],
  ['JSON', '{"sku":null}'],
  ['128 code points of two units each', '☕😀'.repeat(64)],
  ['the word null', 'null'],
  ['__proto__', '__proto__']
]

const strangeTokens = ['', ' ', 'nobody', '%', '_', "' OR '1'='1", '\0', 'a\0b', 'é☕', '\ud800', 'x'.repeat(60_000)]

export function storeSuite(t: Test, name: string, open: OpenStore, openAgain: OpenStore): void {
  const fresh = closed(open)
  const another = closed(openAgain)

  t.test(`${name}: a checkout is found as stored`, async t => {
    const store = await fresh(t)
    const checkout = newCheckout('t1', { items: [{ sku: 'MUG', quantity: 9999, price: '12.50' }, ...ITEMS] })
    t.strictSame(await store.addCheckout(checkout), checkout, 'when it is stored')
    t.strictSame(await store.findCheckout('shop', 't1'), checkout, 'by its token')
    t.strictSame(await store.newestCheckout('shop', 'order-1'), checkout, 'by its reference')
  })

  t.test(`${name}: an unknown reference or token is not found`, async t => {
    const store = await fresh(t)
    await store.addCheckout(newCheckout('t1'))
    t.equal(await store.newestCheckout('shop', 'order-2'), undefined)
    for (const token of strangeTokens) {
      const shown = JSON.stringify(token.slice(0, 20))
      t.equal(await store.findCheckout('shop', token), undefined, `the token ${shown}`)
    }
  })

  t.test(`${name}: references ignore case and hyphens only if they are UUIDs`, async t => {
    const store = await fresh(t)
    for (const [i, [first, second, isSame]] of isSameReference.entries()) {
      const merchantId = `shop-${i}`
      await store.addCheckout(newCheckout(`${i}-first`, { merchantId, reference: first }))
      const found = await store.newestCheckout(merchantId, second)
      const again = await store.addCheckout(newCheckout(`${i}-second`, { merchantId, reference: second }))
      t.strictSame(
        [found?.cart.reference, again.token],
        isSame ? [first, `${i}-first`] : [undefined, `${i}-second`],
        `${first} and ${second} are ${isSame ? 'one reference' : 'two'}`
      )
    }
  })

  t.test(`${name}: the same cart again gets its existing checkout`, async t => {
    const store = await fresh(t)
    const first = newCheckout('t1')
    await store.addCheckout(first)
    t.strictSame(await store.addCheckout(newCheckout('t2', { createdAt: LATER, option: '2A' })), first)
    t.equal(await store.findCheckout('shop', 't2'), undefined, 'nothing is added')
    t.strictSame(await store.findCheckout('shop', 't1'), first, 'nothing is changed')
  })

  t.test(`${name}: the same cart many times at once gets one token`, async t => {
    const store = await fresh(t)
    const tokens = Array.from({ length: 100 }, (_, i) => `t${i}`)
    const answers = await Promise.all(tokens.map(token => store.addCheckout(newCheckout(token))))
    t.equal(new Set(answers.map(({ token }) => token)).size, 1)
    const found = await Promise.all(tokens.map(token => store.findCheckout('shop', token)))
    t.equal(found.filter(Boolean).length, 1, 'one checkout is stored')
  })

  t.test(`${name}: many carts at once are all stored, each with its own token`, async t => {
    const store = await fresh(t)
    const checkouts = Array.from({ length: 100 }, (_, i) => newCheckout(`t${i}`, { reference: `order-${i}` }))
    t.strictSame(await Promise.all(checkouts.map(checkout => store.addCheckout(checkout))), checkouts)
    t.strictSame(await Promise.all(checkouts.map(({ token }) => store.findCheckout('shop', token))), checkouts)
  })

  t.test(
    `${name}: of many carts with one reference at once, one is the newest and the others are superseded`,
    async t => {
      const store = await fresh(t)
      const tokens = Array.from({ length: 20 }, (_, i) => `t${i}`)
      await Promise.all(
        tokens.map((token, i) => store.addCheckout(newCheckout(token, { items: [{ sku: 'MUG', quantity: i + 1 }] })))
      )
      const found = await Promise.all(tokens.map(token => store.findCheckout('shop', token)))
      const current = found.filter(checkout => checkout && checkout.supersededAt === undefined)
      t.strictSame(current, [await store.newestCheckout('shop', 'order-1')])
      t.equal(found.filter(checkout => checkout?.supersededAt === CREATED).length, 19)
    }
  )

  t.test(`${name}: another cart with the same reference supersedes the one before it`, async t => {
    const store = await fresh(t)
    for (const [i, [what, cart]] of otherCarts.entries()) {
      const merchantId = `shop-${i}`
      const first = newCheckout(`${i}-first`, { merchantId })
      const second = newCheckout(`${i}-second`, { merchantId, createdAt: LATER, ...cart })
      await store.addCheckout(first)
      t.strictSame(await store.addCheckout(second), second, what)
      t.strictSame(await store.findCheckout(merchantId, first.token), { ...first, supersededAt: LATER })
      t.strictSame(await store.newestCheckout(merchantId, 'order-1'), second)
    }
  })

  t.test(`${name}: only the newest checkout of a reference is reused`, async t => {
    const store = await fresh(t)
    const other = { items: [{ sku: 'LAMP', quantity: 1 }] }
    await store.addCheckout(newCheckout('t1'))
    await store.addCheckout(newCheckout('t2', other))
    t.match(await store.addCheckout(newCheckout('t3')), { token: 't3' }, 'the first cart again is new')
    t.match(await store.addCheckout(newCheckout('t4', other)), { token: 't4' }, 'and so is the second')
    t.match(await store.newestCheckout('shop', 'order-1'), { token: 't4' })
  })

  const moments: [string, string, boolean][] = [
    ['a moment before it expires', '2026-11-21T09:59:59.999Z', true],
    ['at the moment it expires', EXPIRES, false],
    ['after it has expired', '2026-12-24T00:00:00.000Z', false]
  ]
  for (const [when, createdAt, isAgain] of moments) {
    t.test(`${name}: the same cart ${when}: ${isAgain ? 'the same checkout' : 'a new checkout'}`, async t => {
      const store = await fresh(t)
      const first = newCheckout('t1')
      const second = newCheckout('t2', { createdAt, expiresAt: '2027-01-01T00:00:00.000Z' })
      await store.addCheckout(first)
      t.strictSame(await store.addCheckout(second), isAgain ? first : second)
      const before = isAgain ? first : { ...first, supersededAt: createdAt }
      t.strictSame(await store.findCheckout('shop', 't1'), before)
    })
  }

  t.test(`${name}: merchants do not see or touch each other's checkouts`, async t => {
    const store = await fresh(t)
    const ours = newCheckout('t1', { merchantId: 'ours' })
    const theirs = newCheckout('t2', { merchantId: 'theirs' })
    t.strictSame(await store.addCheckout(ours), ours)
    t.strictSame(await store.addCheckout(theirs), theirs, 'the same reference and cart is not a repeat')
    await store.addCheckout(newCheckout('t3', { merchantId: 'theirs', currency: 'USD' }))
    await store.deleteExpired('theirs', '2099-01-01T00:00:00.000Z', 1000, NO_RECORDS)
    t.strictSame(await store.newestCheckout('ours', 'order-1'), ours)
    t.strictSame(await store.findCheckout('ours', 't1'), ours)
    t.equal(await store.findCheckout('theirs', 't1'), undefined, 'a token is found only for its own merchant')
    t.equal(await store.findCheckout('Ours', 't1'), undefined)
  })

  t.test(`${name}: strings survive exactly`, async t => {
    const store = await fresh(t)
    for (const [i, [what, text]] of hostile.entries()) {
      const items = [
        { sku: text, quantity: 1, price: text },
        { sku: `${text}\t`, quantity: 2, price: `${text}\u0007\n` }
      ]
      const checkout = newCheckout(`t${i}`, { reference: `order-${i}`, items, option: text })
      await store.addCheckout(checkout)
      t.strictSame(await store.findCheckout('shop', `t${i}`), checkout, what)
    }
    const answers = hostile.map(([, sku], i) =>
      store.addCheckout(newCheckout(`u${i}`, { reference: 'one', items: [{ sku, quantity: 1 }] }))
    )
    const tokens = (await Promise.all(answers)).map(({ token }) => token)
    t.equal(new Set(tokens).size, hostile.length, 'no two of them are confused')
  })

  t.test(`${name}: the largest cart survives exactly`, async t => {
    const store = await fresh(t)
    const items = Array.from({ length: 900 }, () => ({ sku: '😀'.repeat(128), quantity: 9999, price: '999999999' }))
    const checkout = newCheckout('t1', { items })
    await store.addCheckout(checkout)
    t.strictSame(await store.findCheckout('shop', 't1'), checkout)
  })

  t.test(`${name}: a failing write does not affect others and leaves nothing half done`, async t => {
    const store = await fresh(t)
    const first = newCheckout('t1')
    await store.addCheckout(first)
    const others = ['a', 'b'].map(token => newCheckout(token, { reference: token }))
    const [before, failed, after] = await Promise.allSettled([
      store.addCheckout(others[0] as NewCheckout),
      store.addCheckout(newCheckout('t1', { currency: 'USD', createdAt: LATER })),
      store.addCheckout(others[1] as NewCheckout)
    ])
    t.match([before, failed, after], [{ value: others[0] }, { status: 'rejected' }, { value: others[1] }])
    t.notOk(
      failed.status === 'rejected' && failed.reason instanceof StoreUnavailable,
      'a repeated token is a bug in the program, not an unavailable store'
    )
    t.strictSame(await store.newestCheckout('shop', 'order-1'), first, 'the one before it is not superseded')
    t.strictSame(await Promise.all(['a', 'b'].map(token => store.findCheckout('shop', token))), others)
  })

  t.test(`${name}: expired checkouts are deleted in batches`, async t => {
    const store = await fresh(t)
    const before = '2026-12-20T00:00:00.000Z'
    const expiries: [string, string, CheckoutChanges][] = [
      ['long-ago', '2026-01-01T00:00:00.000Z', {}],
      ['a-moment-before', '2026-12-19T23:59:59.999Z', {}],
      ['old-1', '2026-11-30T00:00:00.000Z', {}],
      ['old-2', '2026-11-30T00:00:00.000Z', {}],
      ['superseded', '2026-11-30T00:00:00.000Z', { reference: 'changed' }],
      ['at-that-moment', before, {}],
      ['afterwards', '2026-12-20T00:00:00.001Z', {}],
      ['its-successor', '2026-12-31T00:00:00.000Z', { reference: 'changed', currency: 'USD' }],
      ['another-shop', '2026-01-01T00:00:00.000Z', { merchantId: 'other' }]
    ]
    for (const [token, expiresAt, changes] of expiries) {
      await store.addCheckout(newCheckout(token, { reference: token, expiresAt, ...changes }))
    }
    const deleted: number[] = []
    for (let i = 0; i < 4; i++) deleted.push(await store.deleteExpired('shop', before, 2, NO_RECORDS))
    t.strictSame(deleted, [2, 2, 1, 0], 'the number deleted')
    const left = await Promise.all(
      expiries.map(async ([token, , { merchantId = 'shop' }]) => (await store.findCheckout(merchantId, token))?.token)
    )
    t.strictSame(left.filter(Boolean), ['at-that-moment', 'afterwards', 'its-successor', 'another-shop'])
    t.match(await store.newestCheckout('shop', 'changed'), { token: 'its-successor' })
  })

  t.test(`${name}: a reference whose checkout was deleted is free again`, async t => {
    const store = await fresh(t)
    await store.addCheckout(newCheckout('t1'))
    t.equal(await store.deleteExpired('shop', LATER, 10, NO_RECORDS), 0)
    t.equal(await store.deleteExpired('shop', '2026-12-31T00:00:00.000Z', 10, NO_RECORDS), 1)
    t.equal(await store.newestCheckout('shop', 'order-1'), undefined)
    t.match(await store.addCheckout(newCheckout('t2')), { token: 't2' })
  })

  t.test(`${name}: closing completes pending calls, and rejects later ones`, async t => {
    const store = await open(t)
    const checkouts = Array.from({ length: 20 }, (_, i) => newCheckout(`t${i}`, { reference: `order-${i}` }))
    const answers = Promise.all(checkouts.map(checkout => store.addCheckout(checkout)))
    const deleting = store.deleteExpired('shop', CREATED, 10, NO_RECORDS)
    await store.close()
    t.strictSame(await answers, checkouts)
    t.equal(await deleting, 0)

    const late = [
      () => store.checkReady(),
      () => store.newestCheckout('shop', 'order-1'),
      () => store.findCheckout('shop', 't1'),
      () => store.addCheckout(newCheckout('late')),
      () => store.deleteExpired('shop', CREATED, 10, NO_RECORDS)
    ]
    for (const ask of late) await t.rejects(inTime<unknown>(ask()), { name: /^(?!Late)/ }, String(ask))
  })

  t.test(`${name}: calls made while the store closes settle one way or the other`, async t => {
    const store = await open(t)
    const first = store.addCheckout(newCheckout('t1'))
    const second = first.then(() => store.addCheckout(newCheckout('t2', { reference: 'order-2' })))
    const settled = Promise.allSettled([first, inTime(second)])
    await store.close()
    const [early, late] = await settled
    t.equal(early.status, 'fulfilled')
    t.not(late.status === 'rejected' && late.reason.name, 'Late')
  })

  t.test(`${name}: two stores on one database give one cart one token`, async t => {
    const stores = [await fresh(t), await another(t)] as const
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => stores[i % 2 ? 1 : 0].addCheckout(newCheckout(`t${i}`)))
    )
    t.equal(new Set(answers.map(({ token }) => token)).size, 1)
    const [{ token }] = answers as [NewCheckout]
    for (const store of stores) t.match(await store.newestCheckout('shop', 'order-1'), { token })
  })

  t.test(`${name}: completed writes are there when the database is opened again`, async t => {
    const store = await open(t)
    const first = newCheckout('t1')
    const second = newCheckout('t2', { currency: 'USD', createdAt: LATER })
    await store.addCheckout(first)
    const answered = store.addCheckout(second)
    await store.close()
    await answered
    const next = await another(t)
    t.strictSame(await next.findCheckout('shop', 't1'), { ...first, supersededAt: LATER })
    t.strictSame(await next.newestCheckout('shop', 'order-1'), second)
  })
}

class Late extends Error {
  override name = 'Late'
}

/** The promise, or `Late` after a minute, so that a promise that never settles fails only its own test. */
function inTime<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new Late('no answer within a minute')), 60_000)
  return Promise.race([promise, late]).finally(() => clearTimeout(timer))
}

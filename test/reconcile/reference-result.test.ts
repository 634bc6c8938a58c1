// An entry of the platform's list, compared with what the merchants know: every result.
import t from 'tap'
import type { ReferenceEntry } from '../../src/reconcile/list-entry.ts'
import {
  matchOf,
  mismatchOf,
  type ReferenceHistory,
  type ReferenceResult,
  resultFor
} from '../../src/reconcile/reference-result.ts'

const NOW = '2026-11-20T12:00:00.000Z'
const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`

const MUGS = [{ sku: 'MUG', quantity: 2 }]
const LAMP = [{ sku: 'LAMP', quantity: 1 }]

const entry = (more: Partial<ReferenceEntry> = {}): ReferenceEntry => ({
  reference: 'R',
  line: 2,
  repeats: [],
  ...more
})
const ordered = (merchant = 'shop', more: Partial<ReferenceHistory['order']> = {}): ReferenceHistory => ({
  merchant,
  order: { number: 'N1', currency: 'GBP', total: 2500, items: MUGS, placedAt: at(9), ...more },
  checkouts: []
})
type Checkout = ReferenceHistory['checkouts'][number]
const open: Checkout = { items: MUGS, createdAt: at(9), expiresAt: at(15) }
const expired: Checkout = { items: MUGS, createdAt: at(9), expiresAt: at(12) }
const superseded: Checkout = { items: LAMP, createdAt: at(8), expiresAt: at(14), supersededAt: at(9) }
const refusal = (hour: number): ReferenceHistory['lastTransfer'] => ({
  at: at(hour),
  outcome: 'refused',
  problem: 'cart-not-sellable',
  mistakes: ['out-of-stock', 'sku-unknown']
})
const CANCELLED: ReferenceHistory['lastTransfer'] = { at: at(10), outcome: 'cancelled', mistakes: [] }
const known = (
  checkouts: Checkout[],
  last?: ReferenceHistory['lastTransfer'],
  merchant = 'shop'
): ReferenceHistory => ({
  merchant,
  checkouts,
  ...(last && { lastTransfer: last })
})

const common = { merchant: 'shop', reference: 'R', line: 2 }
const matched: ReferenceResult = { answer: 'matched', ...common, order: 'N1' }
const different = (
  ...differences: Extract<ReferenceResult, { answer: 'different' }>['differences']
): ReferenceResult => ({
  answer: 'different',
  ...common,
  order: 'N1',
  differences
})
const only = (more: object) => ({ answer: 'only-platform', ...common, ...more })
const refused = {
  state: 'refused',
  at: at(10),
  problem: 'cart-not-sellable',
  mistakes: ['out-of-stock', 'sku-unknown']
}

const FOR_NO_ORDER = { state: 'refunding', reason: 'superseded', provider: 'stripe', id: 'pi_1' } as const

const cases: [string, ReferenceEntry, ReferenceHistory[], object][] = [
  ['only the reference', entry(), [ordered()], matched],
  ['everything agrees', entry({ order: 'N1', currency: 'GBP', total: '25', items: MUGS }), [ordered()], matched],
  ['a total with zeros', entry({ total: '25.00' }), [ordered()], matched],
  ['a total of pence', entry({ total: '25.05' }), [ordered('shop', { total: 2505 })], matched],
  [
    'a total in a currency without decimals',
    entry({ total: '4500' }),
    [ordered('shop', { currency: 'JPY', total: 4500 })],
    matched
  ],
  [
    'a total in a currency with three decimals',
    entry({ total: '4.5' }),
    [ordered('shop', { currency: 'BHD', total: 4500 })],
    matched
  ],
  [
    'one SKU on two lines in the order, on one in the list',
    entry({ items: [...MUGS, ...LAMP] }),
    [ordered('shop', { items: [{ sku: 'MUG', quantity: 1 }, ...LAMP, { sku: 'MUG', quantity: 1 }] })],
    matched
  ],
  [
    'another total',
    entry({ total: '24.99' }),
    [ordered()],
    different({ in: 'total', platform: '24.99', merchant: '25' })
  ],
  ['a total of 0', entry({ total: '0' }), [ordered()], different({ in: 'total', platform: '0', merchant: '25' })],
  [
    'another currency',
    entry({ currency: 'USD' }),
    [ordered()],
    different({ in: 'currency', platform: 'USD', merchant: 'GBP' })
  ],
  [
    'another order number',
    entry({ order: 'N2' }),
    [ordered()],
    different({ in: 'order', platform: 'N2', merchant: 'N1' })
  ],
  ['an order number in the other case', entry({ order: 'n1' }), [ordered()], matched],
  [
    'another quantity',
    entry({ items: [{ sku: 'MUG', quantity: 3 }] }),
    [ordered()],
    different({ in: 'quantity', sku: 'MUG', platform: 3, merchant: 2 })
  ],
  [
    'an item only in the list, and one only in the order',
    entry({ items: LAMP }),
    [ordered()],
    different(
      { in: 'item', sku: 'LAMP', platform: 1, merchant: 0 },
      { in: 'item', sku: 'MUG', platform: 0, merchant: 2 }
    )
  ],
  [
    'a SKU in another case is another item',
    entry({ items: [{ sku: 'mug', quantity: 2 }] }),
    [ordered()],
    { answer: 'different', differences: [{ sku: 'mug' }, { sku: 'MUG' }] }
  ],
  [
    'everything differs',
    entry({ order: 'N2', currency: 'USD', total: '1', items: [] }),
    [ordered()],
    { differences: [{ in: 'order' }, { in: 'currency' }, { in: 'total' }, { in: 'item' }] }
  ],
  ['unknown to every merchant', entry(), [], only({ merchant: null, state: 'never-arrived' })],
  ['unknown to the merchant named in the list', entry(), [known([])], only({ state: 'never-arrived' })],
  ['refused', entry(), [known([], refusal(10))], only(refused)],
  [
    'a refusal without a code',
    entry(),
    [known([], { at: at(10), outcome: 'refused', mistakes: [] })],
    only({ state: 'refused', at: at(10), mistakes: [] })
  ],
  ['accepted, not ordered', entry(), [known([open])], only({ state: 'not-ordered', at: at(9) })],
  [
    'expired, from that instant on',
    entry(),
    [known([expired])],
    only({ state: 'expired', at: at(12), arrivedAt: at(9) })
  ],
  [
    'accepted, checkout deleted since',
    entry(),
    [known([], { at: at(7), outcome: 'accepted', mistakes: [] })],
    only({ state: 'expired', arrivedAt: at(7), at: undefined })
  ],
  [
    'superseded: the list has the older cart',
    entry({ items: LAMP }),
    [known([open, superseded])],
    only({ state: 'superseded', at: at(9) })
  ],
  [
    'cancelled by its platform',
    entry({ items: LAMP }),
    [known([superseded], CANCELLED)],
    only({ state: 'cancelled', at: at(10) })
  ],
  [
    'another cart since it was cancelled',
    entry(),
    [known([{ ...open, createdAt: at(11) }], CANCELLED)],
    { state: 'not-ordered' }
  ],
  ['superseded: the newer checkout is gone', entry(), [known([superseded])], only({ state: 'superseded', at: at(9) })],
  ['the list has the newest cart', entry({ items: MUGS }), [known([open, superseded])], { state: 'not-ordered' }],
  ['the list has no items', entry(), [known([open, superseded])], { state: 'not-ordered' }],
  ['the list has an unknown cart', entry({ items: [] }), [known([open, superseded])], { state: 'not-ordered' }],
  ['refused after being accepted', entry(), [known([open], refusal(10))], refused],
  ['refused at the time of the checkout', entry(), [known([{ ...open, createdAt: at(10) }], refusal(10))], refused],
  ['another cart was refused later', entry({ items: MUGS }), [known([open], refusal(10))], { state: 'not-ordered' }],
  [
    'its money came for no order',
    entry(),
    [{ ...known([open]), payment: FOR_NO_ORDER }],
    { state: 'not-ordered', payment: FOR_NO_ORDER }
  ],
  [
    'its order is paid',
    entry(),
    [{ ...ordered(), payment: { state: 'paid', provider: 'stripe', id: 'pi_1' } }],
    matched
  ],
  ['refused before being accepted', entry(), [known([open], refusal(8))], { state: 'not-ordered' }],
  [
    'repeated after all',
    entry(),
    [known([open], { at: at(11), outcome: 'repeated', mistakes: [] })],
    { state: 'not-ordered' }
  ]
]

for (const [name, one, knowledge, answer] of cases) {
  t.test(name, t => {
    t.match(resultFor(one, knowledge, NOW, null), answer)
    t.end()
  })
}

t.test('of several merchants, the one where the cart got furthest decides the result', t => {
  const asked = entry({ total: '25', items: MUGS })
  const inRank: [string, ReferenceHistory][] = [
    ['matched', ordered('e')],
    ['different', ordered('d', { total: 1 })],
    ['not-ordered', known([open], undefined, 'c')],
    ['superseded', known([{ ...superseded, items: MUGS }], undefined, 'g')],
    ['cancelled', known([superseded], { at: at(11), outcome: 'cancelled', mistakes: [] }, 'h')],
    ['expired', known([expired], undefined, 'b')],
    ['refused', known([], refusal(10), 'a')],
    ['never-arrived', known([], undefined, 'f')]
  ]
  for (const [i, [name, best]] of inRank.entries()) {
    const knowledge = inRank.slice(i).map(([, one]) => one)
    for (const order of [knowledge, knowledge.toReversed()]) {
      const answer = resultFor(asked, order, NOW, null)
      t.equal(answer.merchant, best.merchant, name)
      t.equal(answer.answer === 'only-platform' ? answer.state : answer.answer, name)
    }
  }
  const [a, b] = [ordered('a'), ordered('b')]
  const merchantOf = (known: ReferenceHistory[], only: string | null) => resultFor(asked, known, NOW, only).merchant
  t.strictSame([merchantOf([a, b], null), merchantOf([b, a], null)], ['a', 'a'])
  t.strictSame([merchantOf([], null), merchantOf([], 'c')], [null, 'c'])
  t.end()
})

const theirs = entry
const ours = (more: Partial<ReferenceEntry> = {}) => entry({ reference: 'r', line: 9, ...more })
const FOUND = { merchant: 'shop', reference: 'R', line: 2, merchantLine: 9 }

const history = (more: Partial<ReferenceHistory> = {}): ReferenceHistory => ({
  merchant: 'shop',
  checkouts: [],
  ...more
})
const placed = { number: 'N1', currency: 'GBP', total: 2500, items: MUGS, placedAt: at(10) }
const reported = { number: '#1', currency: 'GBP', total: 2500, items: LAMP, reportedAt: at(11) }
const refusedTransfer = { at: at(10), outcome: 'refused', problem: 'cart-not-sellable', mistakes: ['out-of-stock'] }

t.test('lists that agree match; a field that one of them leaves out is not compared', t => {
  const full = { order: 'N1', currency: 'GBP', total: '25.00', items: MUGS }
  const pairs: [Partial<ReferenceEntry>, Partial<ReferenceEntry>, object][] = [
    [{}, {}, {}],
    [full, {}, { order: 'N1' }],
    [{}, full, { order: 'N1' }],
    [full, { ...full, order: 'n1', total: '25' }, { order: 'n1' }],
    [{ total: '1' }, { currency: 'GBP' }, {}]
  ]
  for (const [platform, merchant, more] of pairs) {
    const match = matchOf({ key: 'r', platform: theirs(platform), merchant: ours(merchant) }, 'shop')
    t.strictSame(match, { answer: 'matched', ...FOUND, ...more })
  }
  t.end()
})

t.test('what only one list has, or the lists disagree on, does not match', t => {
  const pairs = [
    { key: 'r', platform: theirs() },
    { key: 'r', merchant: ours() },
    { key: 'r', platform: theirs({ total: '1' }), merchant: ours({ total: '2' }) }
  ]
  for (const pair of pairs) t.equal(matchOf(pair, 'shop'), undefined)
  t.end()
})

t.test('differences name both sides, and what was transferred if that is known', t => {
  const pair = {
    key: 'r',
    platform: theirs({ order: 'A', currency: 'GBP', total: '1', items: MUGS }),
    merchant: ours({ order: 'B', currency: 'USD', total: '2', items: LAMP })
  }
  const differences = (...transferred: [] | [number, number]) => [
    { in: 'order', platform: 'A', merchant: 'B' },
    { in: 'currency', platform: 'GBP', merchant: 'USD' },
    { in: 'total', platform: '1', merchant: '2' },
    { in: 'item', sku: 'MUG', platform: 2, merchant: 0, ...(transferred[0] && { transferred: transferred[0] }) },
    { in: 'item', sku: 'LAMP', platform: 0, merchant: 1, ...(transferred[0] && { transferred: transferred[1] }) }
  ]
  const cases: [ReferenceHistory, object[]][] = [
    [history(), differences()],
    [history({ lastTransfer: refusedTransfer }), differences()],
    [history({ checkouts: [open, superseded] }), differences(2, 0)],
    [history({ order: placed }), differences(2, 0)],
    [history({ order: reported }), differences()],
    [history({ order: reported, checkouts: [open] }), differences(2, 0)]
  ]
  for (const [known, differences] of cases) {
    t.strictSame(mismatchOf(pair, known, NOW), { answer: 'different', ...FOUND, order: 'B', differences })
  }
  t.end()
})

const REFUSED = { state: 'refused', at: at(10), problem: 'cart-not-sellable', mistakes: ['out-of-stock'] }
const SUPERSEDED = { state: 'superseded', at: at(9) }
const ORDERED = { state: 'ordered', at: at(10), order: 'N1' }
const REPORTED = { state: 'reported', at: at(11), order: '#1' }
/** The history, and what it says of what only the platform has, and of what only the merchant has. */
const states: [string, ReferenceHistory, object, object][] = [
  ['nothing is on record', history(), { state: 'never-arrived' }, { state: 'never-arrived' }],
  [
    'it arrived and is open',
    history({ checkouts: [open] }),
    { state: 'not-ordered', at: at(9) },
    { state: 'accepted', at: at(9) }
  ],
  [
    'it arrived and expired',
    history({ checkouts: [expired] }),
    { state: 'expired', at: at(12), arrivedAt: at(9) },
    { state: 'accepted', at: at(9) }
  ],
  [
    'it arrived, and the checkout is deleted',
    history({ lastTransfer: { at: at(7), outcome: 'accepted', mistakes: [] } }),
    { state: 'expired', arrivedAt: at(7) },
    { state: 'accepted', at: at(7) }
  ],
  ['it was superseded', history({ checkouts: [superseded] }), SUPERSEDED, SUPERSEDED],
  ['it was refused', history({ lastTransfer: refusedTransfer }), REFUSED, REFUSED],
  ['it was ordered on our own page', history({ order: placed }), ORDERED, ORDERED],
  ['it was reported, and no cart had arrived', history({ order: reported }), REPORTED, { state: 'never-arrived' }],
  [
    'it was reported, and its cart arrived so long ago that only the order says it',
    history({ order: { ...reported, arrivedAt: at(6) } }),
    REPORTED,
    { state: 'accepted', at: at(6) }
  ],
  [
    'it was reported, and its cart is there',
    history({ order: { ...reported, arrivedAt: at(9) }, checkouts: [expired] }),
    REPORTED,
    { state: 'accepted', at: at(9) }
  ]
]

for (const [name, known, atPlatform, atMerchant] of states) {
  t.test(`only one list has it: ${name}`, t => {
    t.strictSame(mismatchOf({ key: 'r', platform: theirs() }, known, NOW), {
      ...{ answer: 'only-platform', merchant: 'shop', reference: 'R', line: 2 },
      ...atPlatform
    })
    const only = { answer: 'only-merchant', merchant: 'shop', reference: 'r', merchantLine: 9, transfer: atMerchant }
    t.strictSame(mismatchOf({ key: 'r', merchant: ours() }, known, NOW), only)
    const facts = { order: 'B', currency: 'GBP', total: '5' }
    t.strictSame(mismatchOf({ key: 'r', merchant: ours(facts) }, known, NOW), { ...only, ...facts })
    t.end()
  })
}

t.test('an order whose money is not there is different, unless the other side has it so', async t => {
  const paying = (state: 'pending' | 'failed' | 'refunded') => ({
    ...ordered(),
    payment: { state, provider: 'stripe' }
  })
  const result = (state: 'pending' | 'failed' | 'refunded', status?: 'cancelled' | 'refunded') =>
    resultFor(entry(status && { status }), [paying(state)], NOW, null)
  const status = (platform: string, merchant: string) => different({ in: 'status', platform, merchant })
  t.strictSame(result('pending'), status('placed', 'payment-pending'))
  t.strictSame(result('failed'), status('placed', 'payment-failed'))
  t.strictSame(result('refunded'), status('placed', 'refunded'))
  t.strictSame(result('pending', 'cancelled'), status('cancelled', 'payment-pending'))
  t.strictSame(result('failed', 'cancelled'), matched)
  t.strictSame(result('refunded', 'refunded'), matched)
})

t.test("with the merchant's list, what only one list has is told with its payment", async t => {
  const history = { ...known([open]), payment: FOR_NO_ORDER }
  for (const lists of [{ platform: entry() }, { merchant: entry() }]) {
    t.match(mismatchOf({ key: 'r', ...lists }, history, NOW), { payment: FOR_NO_ORDER })
  }
})

t.test('an order that one side has cancelled or refunded is different, and on which both agree is not', async t => {
  const cancelled = entry({ status: 'cancelled' })
  const history = ordered('shop', { reportedAt: at(9), status: 'cancelled' } as never)
  const difference = (platform: string, merchant: string) => ({
    answer: 'different',
    differences: [{ in: 'status', platform, merchant }]
  })
  t.match(resultFor(entry(), [history], NOW, null), difference('placed', 'cancelled'))
  t.match(resultFor(cancelled, [ordered()], NOW, null), difference('cancelled', 'placed'))
  t.match(resultFor(cancelled, [history], NOW, null), { answer: 'matched' })
  const lists = (merchant: ReferenceEntry) => ({ key: 'R', platform: entry(), merchant })
  t.equal(matchOf(lists(cancelled), 'shop'), undefined)
  t.match(mismatchOf(lists(entry({ status: 'refunded' })), known([]), NOW), difference('placed', 'refunded'))
})

t.test('every answer has what came along with the cart, and none of it is compared', async t => {
  const extras = { attribution: { utm_source: 'instagram' }, codes: ['WELCOME10'] }
  const bag = { ...known([open]), ...extras }
  const order = { ...ordered(), ...extras }
  t.strictSame(resultFor(entry(), [order], NOW, null), { ...matched, ...extras })
  t.match(resultFor(entry({ total: '1' }), [order], NOW, null), { answer: 'different', ...extras })
  t.strictSame(resultFor(entry(), [bag], NOW, null), { ...only({ state: 'not-ordered', at: at(9) }), ...extras })
  for (const lists of [{ platform: entry() }, { merchant: entry() }]) {
    for (const history of [bag, order]) t.match(mismatchOf({ key: 'r', ...lists }, history, NOW), extras)
  }
  const differing = { key: 'r', platform: entry(), merchant: entry({ status: 'refunded' }) }
  t.match(mismatchOf(differing, order, NOW), { answer: 'different', ...extras })
})

// A reference in two lists, compared with each other and with the transfers that a store has: every result.
import t from 'tap'
import type { ListSide, ReferenceEntry } from '../../src/reconcile/list-entry.ts'
import { matchOf, mismatchOf } from '../../src/reconcile/pair-result.ts'
import type { ReferenceHistory } from '../../src/reconcile/reference-history.ts'

const NOW = '2026-11-20T12:00:00.000Z'
const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`

const MUGS = [{ sku: 'MUG', quantity: 2 }]
const LAMP = [{ sku: 'LAMP', quantity: 1 }]

const entry = (side: ListSide, line: number, more: Partial<ReferenceEntry> = {}): ReferenceEntry => ({
  key: 'r',
  side,
  reference: side === 'platform' ? 'R' : 'r',
  line,
  repeats: [],
  ...more
})
const theirs = (more: Partial<ReferenceEntry> = {}) => entry('platform', 2, more)
const ours = (more: Partial<ReferenceEntry> = {}) => entry('merchant', 9, more)
const FOUND = { merchant: 'shop', reference: 'R', line: 2, merchantLine: 9 }

const history = (more: Partial<ReferenceHistory> = {}): ReferenceHistory => ({
  merchant: 'shop',
  checkouts: [],
  ...more
})
const open = { items: MUGS, createdAt: at(9), expiresAt: at(15) }
const expired = { ...open, expiresAt: at(10) }
const superseded = { items: LAMP, createdAt: at(8), expiresAt: at(14), supersededAt: at(9) }
const placed = { number: 'N1', currency: 'GBP', total: 2500, items: MUGS, placedAt: at(10) }
const reported = { number: '#1', currency: 'GBP', total: 2500, items: LAMP, reportedAt: at(11) }
const refusal = { at: at(10), outcome: 'refused', problem: 'cart-not-sellable', mistakes: ['out-of-stock'] }

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
    [history({ lastTransfer: refusal }), differences()],
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
    { state: 'expired', at: at(10), arrivedAt: at(9) },
    { state: 'accepted', at: at(9) }
  ],
  [
    'it arrived, and the checkout is deleted',
    history({ lastTransfer: { at: at(7), outcome: 'accepted', mistakes: [] } }),
    { state: 'expired', arrivedAt: at(7) },
    { state: 'accepted', at: at(7) }
  ],
  [
    'it was superseded',
    history({ checkouts: [superseded] }),
    { state: 'superseded', at: at(9) },
    { state: 'superseded', at: at(9) }
  ],
  [
    'it was refused',
    history({ lastTransfer: refusal }),
    { state: 'refused', at: at(10), problem: 'cart-not-sellable', mistakes: ['out-of-stock'] },
    { state: 'refused', at: at(10), problem: 'cart-not-sellable', mistakes: ['out-of-stock'] }
  ],
  [
    'it was ordered on our own page',
    history({ order: placed }),
    { state: 'ordered', at: at(10), order: 'N1' },
    { state: 'ordered', at: at(10), order: 'N1' }
  ],
  [
    'it was reported, and no cart had arrived',
    history({ order: reported }),
    { state: 'reported', at: at(11), order: '#1' },
    { state: 'never-arrived' }
  ],
  [
    'it was reported, and its cart arrived so long ago that only the order says it',
    history({ order: { ...reported, arrivedAt: at(6) } }),
    { state: 'reported', at: at(11), order: '#1' },
    { state: 'accepted', at: at(6) }
  ],
  [
    'it was reported, and its cart is there',
    history({ order: { ...reported, arrivedAt: at(9) }, checkouts: [expired] }),
    { state: 'reported', at: at(11), order: '#1' },
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

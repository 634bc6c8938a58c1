// What a platform is told of its bag, from what is on record under the reference.
import t from 'tap'
import type { PaymentState } from '../../src/checkout/orders/payment.ts'
import type { ReferenceHistory } from '../../src/reconcile/reference-result.ts'
import { transferStatus } from '../../src/reconcile/transfer-status.ts'

const NOW = '2026-11-20T12:00:00.000Z'
const at = (hour: number) => `2026-11-20T${String(hour).padStart(2, '0')}:00:00.000Z`

const items = [{ sku: 'MUG', quantity: 2 }]
const open = { items, createdAt: at(9), expiresAt: at(15) }
const superseded = { items, createdAt: at(8), expiresAt: at(14), supersededAt: at(9) }
const last = (outcome: string, hour = 10) => ({ at: at(hour), outcome, mistakes: [] })
const refused = { ...last('refused'), problem: 'cart-not-sellable', mistakes: ['out-of-stock', 'sku-unknown'] }

type Order = NonNullable<ReferenceHistory['order']>
const ORDER = { number: 'N1', currency: 'GBP', total: 2500, items }
const placed: Order = { ...ORDER, placedAt: at(9) }
const reported: Order = { ...ORDER, reportedAt: at(11), arrivedAt: at(9) }
const paying = (state: PaymentState) => ({ state, provider: 'stripe', id: 'pi_1' })

const amount = { orderNumber: 'N1', total: '25.00', currency: 'GBP' }
const refusal = {
  state: 'refused',
  at: at(10),
  problem: 'cart-not-sellable',
  errorCodes: ['out-of-stock', 'sku-unknown']
}

const cases: [name: string, history: Partial<ReferenceHistory>, status: object | undefined][] = [
  ['open', { checkouts: [open, superseded] }, { state: 'open', at: at(9) }],
  ['open, and somebody pays for it', { checkouts: [open], payment: paying('open') }, { state: 'open', at: at(9) }],
  ['expired', { checkouts: [{ ...open, expiresAt: NOW }] }, { state: 'expired', at: NOW }],
  ['expired, and deleted since', { lastTransfer: last('accepted') }, { state: 'expired' }],
  ['superseded by one that is gone', { checkouts: [superseded] }, { state: 'superseded', at: at(9) }],
  [
    'cancelled by its platform',
    { checkouts: [superseded], lastTransfer: last('cancelled') },
    { state: 'cancelled', at: last('cancelled').at }
  ],
  ['refused', { lastTransfer: refused }, refusal],
  ['refused after another was accepted', { checkouts: [open], lastTransfer: refused }, refusal],
  [
    'refused before another was accepted',
    { checkouts: [open], lastTransfer: { ...refused, at: at(8) } },
    { state: 'open', at: at(9) }
  ],
  [
    'refused for no error of its own',
    { lastTransfer: last('refused') },
    { state: 'refused', at: at(10), errorCodes: [] }
  ],
  ['ordered', { order: placed }, { state: 'ordered', at: at(9), ...amount }],
  [
    'ordered in a currency without decimals',
    { order: { ...placed, currency: 'JPY' } },
    { state: 'ordered', at: at(9), ...amount, currency: 'JPY', total: '2500' }
  ],
  [
    'ordered, then another was refused',
    { order: placed, lastTransfer: refused },
    { state: 'ordered', at: at(9), ...amount }
  ],
  [
    'ordered, the money on its way',
    { order: placed, payment: paying('pending') },
    { state: 'ordered', at: at(9), ...amount }
  ],
  ['paid', { order: placed, payment: paying('paid') }, { state: 'paid', at: at(9), ...amount }],
  [
    'ordered, and the money did not come',
    { order: placed, payment: paying('failed') },
    { state: 'cancelled', at: at(9), ...amount }
  ],
  [
    'ordered, and the money came too late',
    { order: placed, payment: { ...paying('refunding'), reason: 'ordered-twice' } },
    { state: 'cancelled', at: at(9), ...amount }
  ],
  ['paid and refunded', { order: placed, payment: paying('refunded') }, { state: 'refunded', at: at(9), ...amount }],
  ['reported', { order: reported, checkouts: [open] }, { state: 'ordered', at: at(11), ...amount }],
  [
    'reported as cancelled',
    { order: { ...reported, status: 'cancelled' } },
    { state: 'cancelled', at: at(11), ...amount }
  ],
  [
    'reported as refunded',
    { order: { ...reported, status: 'refunded' } },
    { state: 'refunded', at: at(11), ...amount }
  ],
  ['only money on record', { payment: paying('refunded') }, undefined]
]

for (const [name, history, status] of cases) {
  t.test(name, async t => {
    t.strictSame(transferStatus({ merchant: 'shop', checkouts: [], ...history }, NOW), status)
  })
}

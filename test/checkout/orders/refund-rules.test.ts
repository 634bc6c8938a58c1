import t from 'tap'
import type { Payment, RefundFacts } from '../../../src/checkout/orders/payment.ts'
import { booksAfter, covers, isKnown, refundFactsOf, takesBack } from '../../../src/checkout/orders/refund-rules.ts'
import type { PaymentFacts } from '../../../src/integrations/payment/provider.ts'

const payment = (changes: Partial<Payment> = {}): Payment => ({
  ...{
    id: 'AAAA-0001-1',
    attempt: 1,
    secret: 's',
    merchantId: 'shop',
    token: 't',
    reference: 'r',
    orderNumber: 'AAAA-0001'
  },
  ...{ currency: 'GBP', amount: 100, provider: 'stripe', state: 'paid', refunded: 0, createdAt: '', expiresAt: '' },
  ...changes
})

const PAID: PaymentFacts = {
  ...{ state: 'paid', providerId: 'cs_1', id: 'AAAA-0001-1', merchantId: 'shop', currency: 'GBP', amount: 100 }
}

t.test('what the provider says has gone back', async t => {
  const forNone = { reason: 'amount-differs', state: 'refunding' } as const
  const cases: [what: string, changes: Partial<Payment>, facts: Partial<PaymentFacts>, refunded: number | undefined][] =
    [
      ['nothing', {}, { refunded: 0 }, 0],
      ['a part', {}, { refunded: 30 }, 30],
      ['no word of it', {}, {}, undefined],
      ['what is not paid yet', {}, { state: 'pending', refunded: 30 }, undefined],
      ['an order that is not', { state: 'pending' }, { refunded: 30 }, undefined],
      ['a part of another sum', forNone, { amount: 90, refunded: 30 }, 0],
      ['all of it', forNone, { amount: 90, refunded: 90 }, 100],
      ['some of an unknown sum', forNone, { amount: undefined, refunded: 90 }, undefined],
      ['no word of another sum', { ...forNone, state: 'refunded' }, {}, undefined]
    ]
  for (const [what, changes, facts, refunded] of cases) {
    t.equal(refundFactsOf(payment(changes), { ...PAID, ...facts }).refunded, refunded, what)
  }
  t.strictSame(refundFactsOf(payment(), { ...PAID, refunded: 0, dispute: 'lost' }), { refunded: 0, dispute: 'lost' })
})

t.test('the books follow the provider, but for what is older than they are', async t => {
  type Case = [what: string, Partial<Payment>, said: RefundFacts, known: RefundFacts | undefined, after: object]
  const part = { refunded: 30 }
  const cases: Case[] = [
    ['nothing', {}, { refunded: 0 }, undefined, { refunded: 0 }],
    ['no word', part, {}, undefined, { refunded: 30 }],
    ['a part', {}, part, undefined, { refunded: 30 }],
    ['more', part, { refunded: 50 }, { refunded: 0 }, { refunded: 50 }],
    ['less, as the answer is old', part, { refunded: 0 }, undefined, { refunded: 30 }],
    ['less, booked meanwhile', part, { refunded: 0 }, { refunded: 20 }, { refunded: 30 }],
    ['a refund that failed', part, { refunded: 0 }, part, { refunded: 0 }],
    ['a dispute', {}, { dispute: 'open' }, undefined, { dispute: 'open' }],
    ['lost', { dispute: 'open' }, { dispute: 'lost' }, undefined, { dispute: 'lost' }],
    ['an old answer', { dispute: 'won' }, { dispute: 'open' }, undefined, { dispute: 'won' }],
    ['open again', { dispute: 'won' }, { dispute: 'open' }, { refunded: 0, dispute: 'won' }, { dispute: 'open' }],
    ['no word of it', { dispute: 'lost' }, part, undefined, { refunded: 30, dispute: 'lost' }]
  ]
  for (const [what, changes, said, known, after] of cases)
    t.match(booksAfter(payment(changes), said, known), after, what)
})

t.test('what is known, what takes back, and what covers a refund', async t => {
  const part = payment({ refunded: 30, dispute: 'lost' })
  t.strictSame(
    [
      {},
      { refunded: 30 },
      { refunded: 30, dispute: 'lost' } as const,
      { refunded: 31 },
      { dispute: 'won' } as const
    ].map(said => isKnown(part, said)),
    [true, true, true, false, false]
  )
  t.strictSame(
    [{}, { refunded: 29 }, { refunded: 31 }, { dispute: 'open' } as const, { dispute: 'won' } as const].map(said =>
      takesBack(part, said)
    ),
    [false, true, false, true, false]
  )
  t.equal(takesBack(payment({ dispute: 'open' }), { dispute: 'open' }), false)
  const open = { before: 30, amount: 20, key: 'k' }
  t.strictSame(
    [undefined, 30, 49, 50, 60].map(refunded => covers(open, refunded)),
    [false, false, false, true, true]
  )
})

import fc from 'fast-check'
import t from 'tap'
import { currentStatus, latestBelieved, type ToldStatus } from '../../../src/checkout/orders/order-status.ts'
import { ORDER_STATUSES } from '../../../src/integrations/destination/shop-message.ts'

const NOW = '2026-11-20T11:00:00.000Z'
const EARLIER = '2026-11-20T10:00:00.000Z'
const LATER = '2026-11-20T10:00:01.000Z'
const ALMOST_AHEAD = '2026-11-20T11:05:00.000Z'
const AHEAD = '2026-11-20T11:05:00.001Z'
const FAR = '9999-12-31T23:59:59.000Z'

t.test('of two changes the later counts; of two at the same time, or at one that is not believed, the end', async t => {
  type Row = [name: string, kept: [ToldStatus['status'], at: string], told: [ToldStatus['status'], at: string]]
  const rows: [...Row, becomes: 'kept' | 'told' | 'told, now'][] = [
    ['the first that is told', ['placed', ''], ['placed', EARLIER], 'told'],
    ['later', ['placed', EARLIER], ['cancelled', LATER], 'told'],
    ['earlier', ['placed', LATER], ['cancelled', EARLIER], 'kept'],
    ['taken up again', ['cancelled', EARLIER], ['placed', LATER], 'told'],
    ['a refund that failed', ['refunded', EARLIER], ['placed', LATER], 'told'],
    ['as it is, later', ['placed', EARLIER], ['placed', LATER], 'told'],
    ['the same again', ['placed', EARLIER], ['placed', EARLIER], 'kept'],
    ['cancelled in the same second', ['placed', EARLIER], ['cancelled', EARLIER], 'told'],
    ['the other way round', ['cancelled', EARLIER], ['placed', EARLIER], 'kept'],
    ['refunded in the same second', ['placed', EARLIER], ['refunded', EARLIER], 'told'],
    ['the other way round', ['refunded', EARLIER], ['placed', EARLIER], 'kept'],
    ['cancelled and refunded', ['cancelled', EARLIER], ['refunded', EARLIER], 'told'],
    ['the other way round', ['refunded', EARLIER], ['cancelled', EARLIER], 'kept'],
    ['five minutes ahead', ['cancelled', EARLIER], ['placed', ALMOST_AHEAD], 'told'],
    ['further ahead, an end', ['placed', EARLIER], ['cancelled', AHEAD], 'told, now'],
    ['further ahead, no end', ['cancelled', EARLIER], ['placed', AHEAD], 'kept'],
    ['the first, from the year 9999', ['placed', ''], ['placed', FAR], 'kept'],
    ['the first, an end from the year 9999', ['placed', ''], ['refunded', FAR], 'told, now'],
    ['after what a former version believed', ['placed', FAR], ['cancelled', EARLIER], 'told'],
    ['the same, from an end', ['cancelled', FAR], ['placed', EARLIER], 'told'],
    ['neither is believed', ['cancelled', FAR], ['placed', AHEAD], 'kept'],
    ['neither is believed, an end', ['placed', FAR], ['cancelled', FAR], 'told, now']
  ]
  for (const [name, [keptStatus, keptAt], [toldStatus, toldAt], becomes] of rows) {
    const [kept, told] = [
      { status: keptStatus, at: keptAt },
      { status: toldStatus, at: toldAt }
    ]
    const expected = { kept, told, 'told, now': { status: toldStatus, at: NOW } }[becomes]
    t.strictSame(currentStatus(kept, told, NOW), expected, `${name}: ${keptStatus}, ${toldStatus}`)
  }
  t.equal(latestBelieved(NOW), ALMOST_AHEAD)
})

t.test('in whichever order messages come, and however often, the order ends the same', async t => {
  const anyTold = fc
    .tuple(fc.constantFrom(...ORDER_STATUSES), fc.constantFrom(EARLIER, LATER, NOW))
    .map(([status, at]) => ({ status, at }))
  const endOf = (messages: ToldStatus[]) =>
    messages.reduce((kept, told) => currentStatus(kept, told, NOW), { status: 'placed', at: '' })
  fc.assert(
    fc.property(fc.array(anyTold, { minLength: 1 }), fc.func(fc.nat()), (messages, order) => {
      const shuffled = [...messages, ...messages].sort((a, b) => order(a) - order(b))
      t.strictSame(endOf(shuffled), endOf(messages))
    })
  )
})

// No page has anything of another: shoppers who take turns at one server, at merchants with any settings, get the very answers
// that each gets alone, and nothing that another has typed or been given.
import assert from 'node:assert/strict'
import fc from 'fast-check'
import t from 'tap'
import { openPaymentDouble } from '../../src/kit/payment/payment-double.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { type AnySettings, anySettings } from '../any-settings.ts'
import { build } from '../build.ts'
import { KEY, SECRET } from './paying-shop.ts'
import { type Answer, anyPlan, type Plan, PRODUCTS, referenceOf, visit } from './shopper-visit.ts'

const variables = { STRIPE_KEY: KEY, STRIPE_SECRET: SECRET, HOOK_SECRET: `whsec_${'A'.repeat(32)}` }

/** The shopper who is at another merchant than the first three. */
const OTHER = 3

/** Which shopper has which turn, and before which the feed changes, and all that is open expires. */
const anyCourse = fc.record({
  turns: fc.array(fc.nat(3), { minLength: 30, maxLength: 30 }).map(turns => [0, 1, 2, 3, ...turns]),
  offer: fc.constantFrom({ price: 9900 }, { price: 1, sale: { price: 1 } }, { availability: 'out_of_stock' as const }),
  change: fc.integer({ min: 5, max: 100 }),
  expiry: fc.integer({ min: 40, max: 120 })
})
type Course = typeof anyCourse extends fc.Arbitrary<infer Drawn> ? Drawn : never

/** No merchant and no shopper shares one, and an alone shopper has another than the same one among others. */
let marks = 0
const newMark = () => `mark${String(++marks).padStart(5, '0')}`
const MARK = /mark\d{5}/g

/** What identifies a shopper, apart from marks: a checkout, an order, an attempt to pay and its page. */
const IDENTITY =
  /(?<=\/checkout\/|token=)[A-Za-z0-9]{32}|(?<=order=)\w{4}-\w{4}|(?<=attempt=)[0-9a-f]{32}|\bcs_test_\w+(#\w+)?/g

type Shown = { step: string; statusCode: number; headers: object; body: string }

/** A shopper's answers, without what differs each time. @throws if anything in one belongs to another @param owners of what was seen */
function shownTo(answers: Answer[], mark: string, merchant: Merchant, owners: Map<string, string>): Shown[] {
  const own = new Map([
    [mark, 'mark'],
    [referenceOf(mark), 'reference']
  ])
  return answers.map(({ step, response }) => {
    const { date: _, 'content-length': length, ...headers } = response.headers
    const text = JSON.stringify({ headers, body: response.body })
    for (const found of text.match(MARK) ?? []) {
      assert.ok(found === mark || found === merchant.id, `${step}: somebody else's ${found} is in ${text}`)
    }
    for (const id of text.match(IDENTITY) ?? []) {
      if (/^0*$/.test(id)) continue
      assert.equal(owners.get(id) ?? mark, mark, `${step}: ${id} is somebody else's`)
      owners.set(id, mark)
      if (!own.has(id)) own.set(id, `identity ${own.size}`)
    }
    let plain = text
    for (const [id, name] of own) plain = plain.replaceAll(id, name)
    return { step, statusCode: response.statusCode, ...JSON.parse(plain) }
  })
}

/** What some shopper gets in every run of the test, whatever is drawn. */
const ALWAYS = [
  'mistakes 422',
  'inputWarnings 200',
  'stale prices 409',
  'refused 422',
  'lost 404',
  'order 303',
  'show later 409',
  '(pay|pay-later|fail|leave): then 200'
]

const YEAR = 366 * 24 * 60 * 60_000

t.test('a shopper among others gets what each gets alone', async t => {
  let clock = () => new Date()
  const double = await openPaymentDouble({ clock: () => clock(), secretKey: KEY, webhookSecret: SECRET })
  t.teardown(() => double.close())
  double.notifications.hold()
  const reached = new Set<string>()
  const owners = new Map<string, string>()

  /** Opens a server, where the shoppers with a plan take their turns. @returns what each was shown */
  async function serve(merchants: AnySettings[], plans: (Plan | undefined)[], course: Course): Promise<Shown[][]> {
    const closers: (() => unknown)[] = []
    const teardown = (close: unknown) => closers.unshift(close as () => unknown)
    const { app, tick, changeOffer, ...built } = await build({ teardown }, { merchants, feed: PRODUCTS, variables })
    clock = built.clock
    try {
      const shoppers = plans.map((plan, i) => {
        const merchant = built.merchants[i === OTHER ? 1 : 0] as Merchant
        const mark = newMark()
        const answers: Answer[] = []
        return { merchant, mark, answers, visit: plan && visit(app, double, merchant, mark, plan) }
      })
      const { turns, offer, change, expiry } = course
      for (let turn = 0; shoppers.some(shopper => shopper.visit); turn++) {
        // What was paid is looked up once in five seconds.
        tick(turn === expiry ? YEAR : 10_000)
        if (turn === change) for (const sku of ['MUG', 'THROW', 'BASKET']) changeOffer(sku, offer)
        const shopper = shoppers[turns[turn % turns.length] as number]
        const next = await shopper?.visit?.next()
        if (next?.done) Object.assign(shopper as object, { visit: undefined })
        else if (next) shopper?.answers.push(next.value)
      }
      return shoppers.map(({ answers, mark, merchant }) => shownTo(answers, mark, merchant, owners))
    } finally {
      for (const close of closers) await close()
    }
  }

  const shops = fc.tuple(anySettings(newMark(), double.origin), anySettings(newMark(), double.origin))
  const fourPlans = fc.array(anyPlan, { minLength: 4, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(shops, fourPlans, anyCourse, async (merchants, plans, course) => {
      const among = await serve(merchants, plans, course)
      for (const [i, pages] of among.entries()) {
        const one = plans.map((plan, j) => (j === i ? plan : undefined))
        const alone = (await serve(merchants, one, course))[i]
        for (const [j, page] of pages.entries()) assert.deepEqual(page, alone?.[j])
        for (const { step, statusCode } of pages) reached.add(`${step} ${statusCode}`)
      }
    }),
    // What was shown before is part of the case, so that no smaller one would fail alike.
    { numRuns: 12, endOnFailure: true }
  )
  for (const step of ALWAYS) t.match([...reached].join('\n'), new RegExp(`^${step}$`, 'm'), step)
})

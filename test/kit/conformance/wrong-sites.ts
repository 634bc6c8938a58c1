// Sites that do one thing wrong, or several that do not touch each other, and the checks that have to catch them.
import type { Test } from 'tap'
import { checks } from '../../../src/kit/conformance/checks/checks.ts'
import { ofBasis, overallVerdict } from '../../../src/kit/conformance/report.ts'
import type { Fault } from './bare-reading.ts'
import { idsOf, kitFor, withDependencies } from './kit.ts'

/** A wrong site: its faults, the checks that fail there, and the checks that might fail by mistake. */
export type Case = [option: string, faults: Fault[], failed: string[], changes?: object, passed?: string[]]

/** A site that refuses with a status of success, as some do. */
const expect = Object.fromEntries(
  ['malformed', 'method', 'contentType', 'indexGap', 'currency', 'referenceTooLong', 'unknownSku', 'outOfStock'].map(
    key => [key, '2xx']
  )
)

/** The checks that send what may be refused. */
const probing = checks
  .filter(({ group }) => group === 'requests' || group === 'limits' || group === 'refusals')
  .map(({ id }) => id)

/** One fault each, or a few that do not touch each other; the checks that have to catch them run, and what they need. */
export const SINGLE: Case[] = [
  ['2A', ['old-session-item'], ['isolation']],
  ['1', ['old-session-item'], ['isolation']],
  ['2A', ['dropped-item'], ['exact-items']],
  ['2B', ['two-in-one-line'], ['exact-items']],
  ['2A', ['merged-lines'], ['same-sku-twice']],
  ['1', ['get-with-body'], ['get-without-body']],
  ['1', ['fractional-seconds'], ['cookie-dates']],
  ['1', ['long-url'], ['url-length']],
  ['1', ['item-in-url'], ['no-items-in-url']],
  ['2B', ['cookies-needed'], ['cookies-refused']],
  ['2A', ['unknown-taken'], ['unknown-sku-refused']],
  ['1', ['text-as-quantity'], ['quantity-as-text']],
  ['2B', ['quantity-in-words'], ['exact-items']],
  ['2A', ['unescaped'], ['hostile-sku']],
  ['1', ['page-in-place-of-json'], ['description-json']],
  ['1', ['url-missing'], ['description-types']],
  ['1', ['nameless-cookie'], ['description-types']],
  ['1', ['space-in-url'], ['url-characters']],
  ['1', ['described-put'], ['described-method']],
  ['2A', ['hidden-item'], ['exact-items']],
  ['1', ['last-bag'], ['two-shoppers']],
  ['2A', ['last-bag'], ['two-shoppers', 'back', 'reload']],
  // A page that says that the bag is empty is no refusal.
  ['1', ['empty-on-reload'], ['two-shoppers', 'reload']],
  ['2A', ['redirect-loop'], ['exact-items']],
  ['2B', ['bag-in-session'], ['back', 'cookies-refused']],
  ['2A', ['no-store'], ['back']],
  [
    '2B',
    ['no-store', 'one-reference'],
    ['reload', 'same-cart-again'],
    { expect: { otherCart: '4xx' } },
    // Back may refuse clearly, and another bag may be refused if the profile says so.
    ['back', 'other-cart-again']
  ],
  ['2A', ['hyphenated-only'], ['reference-32'], { reference: 'hyphenated' }],
  [
    '2B',
    ['lines-by-script'],
    ['scripts-blocked'],
    { page: { line: 'tr', sku: '.article', quantity: '.count', settleSeconds: 0.2 } },
    ['percent-encoding']
  ],
  ['2B', ['url-2047', 'mixed'], ['url-2048', 'other-cart-again']],
  ['1', ['digits-as-sku'], ['wrong-type']],
  ['1', ['unescaped'], ['hostile-sku']],
  ['1', ['unescaped', 'refuses-as-json'], [], {}, ['hostile-sku']],
  ['2B', ['sku-in-script'], ['hostile-sku']],
  ['2A', ['sku-in-textarea'], ['hostile-sku']],
  ['2A', ['refuses-with-200'], [], { expect }, probing],
  ['1', ['refuses-with-200'], [], { expect }, probing],
  [
    '1',
    [
      'growing-url',
      'empty-bag-taken',
      'zero-taken',
      'any-currency',
      'any-type',
      'no-other-fields',
      'bag-cut',
      'doubled',
      'unknown-unnamed'
    ],
    [
      'no-items-in-url',
      'empty-bag',
      'quantity-not-whole',
      'currency-not-sold',
      'wrong-content-type',
      'unknown-fields-ignored',
      'big-bag',
      'same-cart-again',
      'unknown-sku-named'
    ]
  ],
  [
    '2B',
    ['refuses-with-200', 'zero-taken', 'any-currency', 'reference-guessed', 'gap-cuts', 'long-reference-taken'],
    ['quantity-not-whole', 'currency-not-sold', 'missing-field', 'index-gap'],
    { expect }
  ]
]

/** Several faults each, a site for each option, for every check to meet. */
export const COMPOSITE: Case[] = [
  [
    '1',
    ['mistyped-field', 'described-get', 'content-type-header', 'one-visit', 'number-as-sku', 'any-method'],
    ['description-fields', 'post-recommended', 'no-content-type-header', 'reload', 'wrong-type', 'wrong-method']
  ],
  [
    '2A',
    ['complete-title', 'reference-guessed', 'brackets-encoded-only', 'price-must-match', 'sold-out-unnamed'],
    ['not-yet-complete', 'missing-field', 'raw-brackets', 'claimed-price', 'out-of-stock-named']
  ],
  [
    '2B',
    [
      'foreign-picture',
      'no-other-fields',
      'names-not-decoded',
      'gap-closed',
      'long-reference-taken',
      'url-cut',
      'sold-out-taken'
    ],
    [
      'other-origins',
      'unknown-fields-ignored',
      'percent-encoding',
      'index-gap',
      'reference-33',
      'url-2049',
      'out-of-stock-refused'
    ]
  ]
]

/** Runs the checks that a case names with their needs; those that fail are the ones it says, and all others pass. */
export async function areCaught(t: Test, cases: Case[]): Promise<void> {
  const run = kitFor(t)
  for (const [option, faults, failed, changes, passed = []] of cases) {
    const results = await run(option, faults, changes, withDependencies(...failed, ...passed))
    t.strictSame(
      results.filter(({ verdict }) => verdict !== 'passed').map(({ check, verdict }) => [check.id, verdict]),
      checks.filter(({ id }) => failed.includes(id)).map(({ id }) => [id, 'failed']),
      `option ${option}: ${faults.join(', ')}`
    )
  }
}

/**
 * Runs every check; those that fail are the ones the case says, and no others. What they miss of good practice does not
 * keep the contract from being judged.
 */
export async function areCaughtAlone(t: Test, cases: Case[]): Promise<void> {
  const run = kitFor(t)
  for (const [option, faults, failed, changes] of cases) {
    const results = await run(option, faults, changes)
    t.strictSame(idsOf(results, 'failed').sort(), [...failed].sort(), `option ${option}: ${faults.join(', ')}`)
    const contract = ofBasis(results, 'contract')
    const isBroken = contract.some(({ check }) => failed.includes(check.id))
    t.equal(overallVerdict(contract), isBroken ? 'failed' : 'passed', `option ${option}: the verdict on the contract`)
    t.strictSame(idsOf(contract, 'not judged'), [])
  }
}

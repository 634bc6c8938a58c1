// Sites that do one thing wrong, or several that do not touch each other, and the checks that have to catch them.
import type { Test } from 'tap'
import { checks } from '../../../src/kit/conformance/checks/checks.ts'
import { ofBasis } from '../../../src/kit/conformance/run-checks.ts'
import { isNightly } from '../../nightly.ts'
import type { Fault } from './bare-reading.ts'
import { idsOf, type Kit, only, SELECTORS, withDependencies } from './kit.ts'

/** A fault and the check that it is made for. */
type Fitting = [fault: Fault, check: string]

/** A wrong site: its faults, the checks that fail there, its profile, and checks that pass there. */
type Case = [option: string, faults: Fault[], failed: string[], changes?: object, passed?: string[]]

/** The checks that open a web view, which costs as much as to send fifty bags. */
const WITH_WEB_VIEW = [
  ...['exact-items', 'scripts-blocked', 'cookies-refused', 'other-origins', 'not-yet-complete'],
  ...['isolation', 'two-shoppers', 'back', 'get-after-post', 'reload', 'hostile-sku'],
  ...['link-leads-on', 'same-link-again', 'unavailable-told', 'valid-code-told', 'invalid-code-told'],
  ...['parameters-passed-on', 'guest-checkout', 'cart-replaced', 'cart-cancelled']
]

/** A site that refuses with a status of success, as some do. */
const expect = Object.fromEntries(
  ['malformed', 'method', 'contentType', 'indexGap', 'currency', 'referenceTooLong', 'unknownSku', 'outOfStock'].map(
    key => [key, '2xx']
  )
)

/** A site whose lines are written by scripts. */
const BY_SCRIPT = { page: { ...SELECTORS, settleSeconds: 0.2 } }

/** What a right link passes. */
const OF_LINKS = checks.filter(({ group }) => group === 'link').map(({ id }) => id)

const TOGETHER_ON_A_LINE = { expect: { sameSku: 'together' } }

/** The checks that send what may be refused. */
const probing = checks
  .filter(({ group }) => group === 'requests' || group === 'limits' || group === 'refusals')
  .map(({ id }) => id)

/** Faults of one site that do not touch each other, for each option: no check depends on another of its list. */
export const TOGETHER: Record<string, Fitting[]> = {
  1: [
    ['mistyped-field', 'description-fields'],
    ['described-get', 'post-recommended'],
    ['content-type-header', 'no-content-type-header'],
    ['fractional-seconds', 'cookie-dates'],
    ['one-visit', 'reload'],
    ['shared-variable', 'two-shoppers'],
    ['empty-bag-taken', 'empty-bag'],
    ['number-as-sku', 'wrong-type'],
    ['text-as-quantity', 'quantity-as-text'],
    ['any-method', 'wrong-method'],
    ['no-other-fields', 'unknown-fields-ignored'],
    ['bag-cut', 'big-bag'],
    ['doubled', 'same-cart-again'],
    ['unknown-is-open', 'transfer-status'],
    ['unescaped', 'hostile-sku']
  ],
  '2A': [
    ['complete-title', 'not-yet-complete'],
    ['merged-lines', 'same-sku-twice'],
    ['shared-variable', 'two-shoppers'],
    ['no-store', 'back'],
    ['dead-end', 'get-after-post'],
    ['reference-guessed', 'missing-field'],
    ['any-type', 'wrong-content-type'],
    ['brackets-encoded-only', 'raw-brackets'],
    ['price-taken', 'own-price'],
    ['quantity-cut', 'large-quantities'],
    ['fields-cut', 'many-fields'],
    ['free-names-cut', 'index-free-names'],
    ['long-reference-taken', 'reference-33'],
    ['unknown-taken', 'unknown-sku-refused'],
    ['sold-out-unnamed', 'out-of-stock-named']
  ],
  '2B': [
    ['foreign-picture', 'other-origins'],
    ['shared-cache', 'not-in-shared-caches'],
    ['cookies-needed', 'cookies-refused'],
    ['shared-variable', 'two-shoppers'],
    ['zero-taken', 'quantity-not-whole'],
    ['any-currency', 'currency-not-sold'],
    ['no-other-fields', 'unknown-fields-ignored'],
    ['names-not-decoded', 'percent-encoding'],
    ['gap-closed', 'index-gap'],
    ['url-cut', 'url-2049'],
    ['mixed', 'other-cart-again'],
    ['state-as-page', 'transfer-status'],
    ['unknown-unnamed', 'unknown-sku-named'],
    ['sold-out-taken', 'out-of-stock-refused']
  ],
  meta: [
    ['shared-variable', 'two-shoppers'],
    ['adds-up', 'same-link-again'],
    ['unknown-unnamed', 'unavailable-told'],
    ['code-without-effect', 'valid-code-told'],
    ['bad-code-unsaid', 'invalid-code-told'],
    ['parameters-lost', 'parameters-passed-on'],
    ['login-wanted', 'guest-checkout'],
    ['separators-encoded-only', 'raw-separators'],
    ['bad-entries-skipped', 'malformed-link']
  ],
  ucp: [
    ['one-visit', 'reload'],
    ['profile-private', 'profile-leads-here'],
    ['no-other-fields', 'other-fields-ignored'],
    ['rest-sold', 'cart-unsellable'],
    ['read-under-other-id', 'cart-read'],
    ['moved-by-put', 'cart-replaced'],
    ['cancelled-shown', 'cart-cancelled'],
    ['key-ignored', 'key-answers-once'],
    ['quantity-cut', 'large-quantities']
  ]
}

/** A site with a single fault: what it breaks keeps other checks from being judged, or hides other faults. */
export const ALONE: [option: string, ...Fitting][] = [
  ['1', 'page-in-place-of-json', 'description-json'],
  ['1', 'url-missing', 'description-types'],
  ['1', 'nameless-cookie', 'description-types'],
  ['1', 'described-put', 'described-method'],
  ['1', 'get-with-body', 'get-without-body'],
  ['1', 'space-in-url', 'url-characters'],
  ['1', 'long-url', 'url-length'],
  ['1', 'item-in-url', 'no-items-in-url'],
  ['1', 'growing-url', 'no-items-in-url'],
  ['1', 'found-by-reference', 'reference-opens-nothing'],
  ['2A', 'dropped-item', 'exact-items'],
  ['2A', 'hidden-item', 'exact-items'],
  ['1', 'sold-out-line', 'exact-items'],
  ['1', 'dead-end', 'get-after-post'],
  ['2A', 'redirect-loop', 'exact-items'],
  ['2B', 'two-in-one-line', 'exact-items'],
  ['2B', 'quantity-in-words', 'exact-items'],
  ['2A', 'price-must-match', 'claimed-price'],
  ['2B', 'url-2047', 'url-2048'],
  ['2A', 'old-session-item', 'isolation'],
  ['meta', 'shown-at-link', 'link-leads-on'],
  ['permalink', 'permanent', 'link-303'],
  ['ucp', 'two-totals', 'cart-created']
]

/** More of the same, faults that several checks see, and what only looks like a fault. */
export const NAMED: Case[] = [
  ['1', ['old-session-item'], ['isolation']],
  ['1', ['digits-as-sku'], ['wrong-type']],
  ['2B', ['sku-in-script'], ['hostile-sku']],
  ['2A', ['sku-in-textarea'], ['hostile-sku']],
  ['1', ['last-on-reload'], ['two-shoppers', 'reload']],
  ['2A', ['last-bag'], ['two-shoppers', 'back', 'reload']],
  ['2B', ['bag-in-session'], ['back', 'cookies-refused']],
  // Units come together, but an empty line stays.
  ['1', ['emptied-line'], ['same-sku-twice'], TOGETHER_ON_A_LINE],
  // A GET may show the bag, or what the profile says; an empty bag and an error are no refusal.
  ['2A', ['redirects', 'one-visit', 'dead-end'], [], {}, ['get-after-post']],
  ['2A', ['any-method'], [], { expect: { method: '2xx' } }, ['get-after-post']],
  ['2A', ['any-method'], ['get-after-post']],
  ['2A', ['get-crashes'], ['get-after-post']],
  // Right as the contract lists the fields, and wrong as other clients order them.
  ['2A', ['free-names-mixed'], ['index-free-names'], { names: 'index-free' }, ['big-bag']],
  // Nobody waits for what a page does only later.
  ['2A', ['later-picture'], ['other-origins'], {}, ['not-yet-complete']],
  ['1', ['later-title'], ['not-yet-complete'], {}, ['other-origins']],
  ['2B', ['later-address'], ['not-yet-complete'], {}, ['other-origins']],
  ['permalink', [], [], {}, OF_LINKS],
  ['permalink', ['no-policy'], ['link-303']],
  ['permalink', ['padding-taken'], ['malformed-link']],
  ['permalink', ['names-not-compared'], ['malformed-link']],
  // What cannot be bought may be named otherwise, and a discount is seen only if the profile says where the total is.
  ['meta', ['sold-out-titled'], ['unavailable-told']],
  ['meta', ['sold-out-titled'], [], { titles: { lamp: 'Brass lantern' } }, ['unavailable-told']],
  ['meta', ['code-without-effect'], [], { page: { ...SELECTORS, total: undefined } }, ['valid-code-told']],
  // What a platform reads of a shop, and of a cart.
  ...[
    'profile-as-page',
    'profile-moved',
    'endpoint-elsewhere',
    'only-mcp',
    'leaf-of-newest',
    'leaf-relative',
    'capability-of-other-version'
  ].map((fault): Case => ['ucp', [fault], ['profile-leads-here']]),
  ...['lines-turned', 'totals-apart', 'other-currency', 'cart-without-id'].map(
    (fault): Case => ['ucp', [fault], ['cart-created']]
  ),
  ['ucp', ['line-not-named'], ['cart-unsellable']],
  ['ucp', ['unknown-is-404'], ['cart-read']],
  ['ucp', ['unknown-is-gone'], ['cart-read']],
  ['ucp', ['key-takes-other-body'], ['key-answers-once']],
  ['ucp', ['added-by-put'], ['cart-replaced']],
  ['ucp', ['page-of-first'], ['cart-replaced']],
  ['ucp', ['cancelled-read'], ['cart-cancelled']],
  // What anybody can make of a reference is no token, and a token that is not read protects nothing.
  ['1', ['found-by-hash'], ['reference-opens-nothing']],
  ['1', ['reference-before-id'], ['reference-opens-nothing']],
  ['2B', ['redirects', 'found-by-reference'], ['reference-opens-nothing']],
  ['1', ['found-by-reference', 'lines-by-script'], ['reference-opens-nothing'], BY_SCRIPT],
  ['1', ['reference-beside-id'], [], {}, ['reference-opens-nothing']],
  ['1', ['reference-beside-id', 'refuses-with-silence'], [], {}, ['reference-opens-nothing']],
  ['2A', ['redirects', 'reference-beside-id'], [], {}, ['reference-opens-nothing', 'not-in-shared-caches']],
  ['2A', ['redirects', 'shared-redirect'], ['not-in-shared-caches']],
  // Caches may keep the answer to a GET without being told so, not that to a POST.
  ['2B', ['no-cache-control'], ['not-in-shared-caches']],
  ['1', ['no-cache-control'], [], {}, ['not-in-shared-caches']],
  // A page that says that the bag is empty is no refusal, and not the bag of another shopper.
  ['1', ['empty-on-reload'], ['reload'], {}, ['two-shoppers']],
  // Back may refuse clearly, and another bag may be refused if the profile says so.
  [
    '2B',
    ['no-store', 'one-reference'],
    ['reload', 'same-cart-again'],
    { expect: { otherCart: '4xx' } },
    ['back', 'other-cart-again']
  ],
  ['2A', ['hyphenated-only'], ['reference-32'], { reference: 'hyphenated' }],
  ['2B', ['lines-by-script'], ['scripts-blocked'], BY_SCRIPT, ['percent-encoding']],
  ['2A', ['lines-by-script'], [], BY_SCRIPT, ['own-price']],
  ['2A', ['quantity-limited'], [], { maxQuantity: 50 }, ['large-quantities']],
  ['1', ['unescaped', 'refuses-as-json'], [], {}, ['hostile-sku']],
  ['2A', ['refuses-with-200'], [], { expect }, probing],
  ['1', ['refuses-with-200'], [], { expect }, probing],
  [
    '2B',
    ['refuses-with-200', 'zero-taken', 'any-currency', 'reference-guessed', 'gap-cuts', 'long-reference-taken'],
    ['quantity-not-whole', 'currency-not-sold', 'missing-field', 'index-gap'],
    { expect }
  ]
]

/**
 * Nightly all of them. In `npm test` a web view is opened for one wrong site of each check, if it has none in TOGETHER.
 * @param caughtBy the checks that catch what is wrong with a site; none if it is for what passes there
 */
export function sitesToTry<Site>(sites: Site[], caughtBy: (site: Site) => string[]): Site[] {
  const tried = new Set(Object.values(TOGETHER).flatMap(list => list.map(([, check]) => check)))
  return sites.filter(site => {
    const opening = caughtBy(site).filter(check => WITH_WEB_VIEW.includes(check))
    const isNew = opening.length === 0 || opening.some(check => !tried.has(check))
    for (const check of opening) tried.add(check)
    return isNightly || isNew
  })
}

/**
 * Every check runs at a site with all faults of a list: those fail that are made for them, and no others. Nightly, each
 * fault then has a site to itself, and the checks of the list that need no web view run there: only its own fails. So
 * each fault is caught by its own check, and by no other.
 */
export async function areCaughtTogether(t: Test, run: Kit, option: string, list: Fitting[]): Promise<void> {
  const made = list.map(([, check]) => check)
  const results = await run(
    option,
    list.map(([fault]) => fault)
  )
  t.strictSame(idsOf(results, 'failed').sort(), made.toSorted(), `option ${option}: all faults`)
  // What the site misses of good practice does not keep the contract from being judged.
  t.strictSame(idsOf(ofBasis(results, 'contract'), 'not judged'), [])
  for (const [fault, check] of isNightly ? list : []) {
    const others = made.filter(id => !WITH_WEB_VIEW.includes(id))
    t.strictSame(idsOf(await run(option, [fault], {}, only(check, ...others)), 'failed'), [check], fault)
  }
}

/** Runs all checks without a web view and those that a fault concerns: only its own fails; what it blocks is open. */
export async function areCaughtAlone(t: Test, run: Kit, list: [option: string, ...Fitting][]): Promise<void> {
  const withoutWebView = checks.map(({ id }) => id).filter(id => !WITH_WEB_VIEW.includes(id))
  const opening = withDependencies('exact-items')
  for (const [option, fault, check] of list) {
    const concerned = opening.some(({ id }) => id === check) ? ['exact-items'] : []
    const results = await run(option, [fault], {}, only(check, ...concerned, ...withoutWebView))
    const open = results.flatMap(({ verdict, detail }) => (verdict === 'not judged' ? detail : []))
    t.strictSame(idsOf(results, 'failed'), [check], `option ${option}: ${fault}`)
    t.strictSame(
      open.filter(detail => !/^It depends on /.test(detail)),
      []
    )
  }
}

/** Runs the checks that a case names; those that fail are the ones it says, and all others pass. */
export async function areJudged(t: Test, run: Kit, cases: Case[]): Promise<void> {
  for (const [option, faults, failed, changes, passed = []] of cases) {
    const results = await run(option, faults, changes, only(...failed, ...passed))
    t.strictSame(
      results.filter(({ verdict }) => verdict !== 'passed').map(({ check, verdict }) => [check.id, verdict]),
      checks.filter(({ id }) => failed.includes(id)).map(({ id }) => [id, 'failed']),
      `option ${option}: ${faults.join(', ')}`
    )
  }
}

// The list of checks: their texts, their dependencies, and what happens to those that cannot be judged.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { OperatorError } from '../../../src/errors.ts'
import type { WebViews } from '../../../src/kit/browser/web-view.ts'
import type { Check } from '../../../src/kit/conformance/check.ts'
import { checks } from '../../../src/kit/conformance/checks/checks.ts'
import { ProfileError } from '../../../src/kit/conformance/profile.ts'
import { basisOf, type CheckResult, exitCodeOf } from '../../../src/kit/conformance/run-checks.ts'
import { CheckFailed } from '../../../src/kit/conformance/verdict-errors.ts'
import { startTlsServer } from '../certificates/tls-server.ts'
import type { Fault } from './bare-reading.ts'
import { startBareSite } from './bare-site.ts'
import { bareProfile, idsOf, kitFor, only, runWith, SELECTORS, viewsFor, withDependencies } from './kit.ts'

t.test('each check has a unique id, and its section says where it comes from', async t => {
  t.equal(new Set(checks.map(({ id }) => id)).size, checks.length)
  for (const { id, section, title, failure, why, remedy } of checks) {
    t.match(id, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    t.match(section, /^contract \d|^good practice \(/, `${id}: ${section}`)
    t.notMatch(section, /decisions|\.md/, `${id}: an outsider cannot read our files`)
    t.notMatch(title, /\.$/, `${id}: a title is a sentence without a full stop`)
    const sentence = typeof failure === 'string' ? failure : failure.notRefused
    t.match(sentence, /^[A-Z0-9].*[^.]$/, `${id}: what happens at a site that fails, without a full stop`)
    t.match(why, /\.$/, `${id}: why`)
    t.match(remedy, /\.$/, `${id}: remedy`)
  }
})

t.test('dependencies exist and come first', async t => {
  checks.forEach(({ id, dependsOn = [] }, i) => {
    const before = checks.slice(0, i).map(check => check.id)
    t.strictSame(
      dependsOn.filter(need => !before.includes(need)),
      [],
      id
    )
  })
})

t.test('what the contract only recommends is good practice', async t => {
  // Its words: POST "is recommended over GET", parameters per item "should be avoided", a Content-Type "is ignored".
  for (const id of ['post-recommended', 'no-items-in-url', 'no-content-type-header']) {
    t.strictSame(checks.filter(check => check.id === id).map(basisOf), ['good practice'], id)
  }
})

t.test('no check of the contract depends on one of good practice', async t => {
  const practices = checks.filter(check => basisOf(check) === 'good practice').map(({ id }) => id)
  for (const { id, dependsOn = [] } of checks.filter(check => basisOf(check) === 'contract')) {
    t.strictSame(
      dependsOn.filter(need => practices.includes(need)),
      [],
      id
    )
  }
})

const views = viewsFor(t)
const run = kitFor(t, views)

t.test('a check for which the profile lacks data is not judged, and has not passed', async t => {
  const skus = { exist: ['red-mug', 'blue-mug', 'tea-pot'], unknown: ['green-mug'] }
  const changes = { skus, completeTitle: undefined, completeUrl: undefined }
  const results = await run('2B', [], changes, withDependencies('not-yet-complete', 'out-of-stock-named'))
  t.strictSame(idsOf(results, 'passed'), ['exact-items'])
  t.strictSame(idsOf(results, 'not judged'), ['not-yet-complete', 'out-of-stock-refused', 'out-of-stock-named'])
  t.match(
    results.flatMap(({ verdict, detail }) => (verdict === 'passed' ? [] : detail)),
    [
      /completeTitle/,
      /skus\.outOfStock is empty.*"none"/,
      /^It depends on out-of-stock-refused, which was not judged\.$/
    ]
  )
})

t.test('a shop that makes one line of two is judged by their units, if the profile says so', async t => {
  const selected = only('same-sku-twice')
  const together = { expect: { sameSku: 'together' } }
  t.match(await run('2A', ['merged-lines'], together, selected), [{ verdict: 'passed' }])
  t.match(await run('2A', [], together, selected), [{ verdict: 'passed' }])
})

t.test('what the page charges is judged only if the profile says where it is', async t => {
  const { price, total, ...lines } = SELECTORS
  for (const [page, detail] of [
    [lines, 'The profile has neither page.price nor page.total.'],
    [{ ...lines, total: '.nowhere' }, 'The page shows no amount for the total where the profile says.']
  ] as const) {
    t.match(await run('2A', [], { page }, only('own-price')), [{ verdict: 'not judged', detail }])
  }
  const results = await run('2A', ['price-taken'], { page: { ...lines, total } }, only('own-price'))
  t.match(results, [
    {
      verdict: 'failed',
      detail:
        /the page shows the total: £0\.03; without, the total: £15\.00\.\nSent, in this order:\n1\. curl .*\n2\. curl .*price.*$/
    }
  ])
})

t.test('a quantity that the site refuses is not judged', async t => {
  t.match(await run('2B', ['quantity-limited'], {}, only('large-quantities')), [
    { verdict: 'not judged', detail: /^The site answered 422 to 99 × red-mug\. .* set maxQuantity/ }
  ])
})

t.test('a site that stops responding fails the checks that it does not respond to', async t => {
  const results = await run('1', ['silent-later'])
  const [first, second] = results
  t.match(first, {
    verdict: 'failed',
    happened: 'A request got no response',
    detail: /^No response: .*\nSent: curl /,
    findings: [{ sent: [/^curl /], expected: 'A response', got: /^No response: / }]
  })
  t.match(second, { verdict: 'not judged', detail: 'It depends on description-json, which failed.' })
  t.notOk(idsOf(results, 'passed').includes('exact-items'))
})

t.test('a site that only answers 429 passes no check and fails none', async t => {
  const results = await run('1', ['busy'])
  t.strictSame(new Set(results.map(({ verdict }) => verdict)), new Set(['not judged']))
  t.match(results, [{ detail: /^The site answered 429, / }])
})

const PROBED = ['missing-field', 'wrong-method', 'reference-33', 'index-gap', 'unknown-sku-refused', 'hostile-sku']

for (const [fault, detail] of [
  ['refuses-with-429', /^The site answered 429, /],
  ['refuses-with-silence', /^(No response|The browser cannot show the page: .*net::ERR_)/]
] as const) {
  t.test(`a site that ${fault.replaceAll('-', ' ')} is not judged by it`, async t => {
    const results = await run('2A', [fault], {}, only('exact-items', ...PROBED))
    t.strictSame(idsOf(results, 'passed'), ['exact-items'])
    t.strictSame(idsOf(results, 'failed'), [])
    for (const id of PROBED) t.match(results.find(({ check }) => check.id === id)?.detail, detail, id)
  })
}

t.test('a status that the profile expects counts like any other', async t => {
  const results = await run('2A', ['refuses-with-429'], { expect: { malformed: '429' } }, only('missing-field'))
  t.strictSame(idsOf(results, 'passed'), ['missing-field'])
})

t.test('a request that no web view can send is not judged if scripts write the lines', async t => {
  const page = { line: 'tr', sku: '.article', quantity: '.count', settleSeconds: 0.1 }
  const results = await run(
    '2A',
    ['refuses-with-200'],
    { page, expect: { contentType: '2xx' } },
    only('wrong-content-type')
  )
  t.match(results, [{ verdict: 'not judged', detail: /^Scripts write the lines/ }])
})

t.test('a success status with lines written by scripts is not a refusal', async t => {
  const page = { line: 'tr', sku: '.article', quantity: '.count', settleSeconds: 0.1 }
  const results = await run(
    '1',
    ['text-as-quantity', 'lines-by-script'],
    { page, expect: { malformed: '2xx' } },
    only('quantity-as-text')
  )
  t.match(results, [{ verdict: 'failed', detail: /The page shows 2 × red-mug, 2 × blue-mug; expected no lines/ }])
})

t.test(
  'a failure says what happened, compares it with what was expected, and has a picture if there is a page',
  async t => {
    const site = await startBareSite(
      '2A',
      'sold-out-taken',
      'sold-out-unnamed',
      'unknown-unnamed',
      'any-type',
      'doubled'
    )
    t.teardown(site.close)
    const profile = bareProfile('2A', site.url, { expect: { malformed: '409', method: '2xx', unknownSku: '422' } })
    const ids = [
      'empty-bag',
      'wrong-method',
      'wrong-content-type',
      'same-cart-again',
      'unknown-sku-named',
      'out-of-stock-refused'
    ]
    const results = await runWith(t, profile, views, only(...ids), true)
    const sent = [/^curl /]
    const pictures = [{ caption: 'as received' }]
    t.match(results, [
      {
        happened: 'A bag without items was refused, but not as expected',
        findings: [{ mistake: 'no items', sent, expected: 'Status 409', got: 'Status 400: an empty bag' }],
        screenshots: [{ caption: 'no items, as received' }]
      },
      {
        happened: 'A request with another method was refused, but not as expected',
        findings: [{ mistake: 'GET instead of POST', sent, expected: 'Status 2xx', got: /^Status 405: / }],
        screenshots: [{ caption: 'GET instead of POST, as received' }]
      },
      {
        happened: 'A body of another Content-Type was accepted',
        findings: [{ mistake: 'text/plain' }],
        screenshots: [{ caption: 'text/plain, as received' }]
      },
      {
        happened: 'The same bag sent again did not show the same items',
        findings: [
          { sent: [/^curl /, /^curl /], expected: '1 × red-mug, 2 × blue-mug', got: '2 × red-mug, 4 × blue-mug' }
        ],
        screenshots: pictures
      },
      {
        happened: 'The refusal of an unknown SKU did not name it',
        findings: [{ expected: 'A refusal that names green-mug', got: 'Sorry.' }],
        screenshots: pictures
      },
      {
        happened: 'An out-of-stock SKU was accepted',
        findings: [{ sent, expected: 'Status 4xx', got: 'Status 200: red-mug 1 £5.00 lamp 1 £5.00 £10.00' }],
        screenshots: pictures
      }
    ])
    t.strictSame(
      results.map(({ screenshots }) => screenshots.length),
      [1, 1, 1, 1, 1, 1]
    )
  }
)

t.test('a failure shows all that was sent and done, in order, and each picture says what it is of', async t => {
  const wrong = async (option: string, fault: Fault, id: string) => {
    const site = await startBareSite(option, fault)
    t.teardown(site.close)
    const [result] = (await runWith(t, bareProfile(option, site.url), views, only(id), true)).slice(-1)
    const { verdict, detail, findings, screenshots } = result as CheckResult
    t.equal(verdict, 'failed', id)
    return { detail, sent: findings.flatMap(({ sent }) => sent), captions: screenshots.map(({ caption }) => caption) }
  }
  const post = /curl -X POST .* --data-raw 'items.* 'http:.*\/bag'$/
  const page = /^In a web view: curl -X POST .* --data-raw 'items/

  const isolation = await wrong('2A', 'old-session-item', 'isolation')
  t.match(isolation, {
    detail:
      /^The page shows 3 × tea-pot, 1 × red-mug; expected 3 × tea-pot\.\nSent, in this order:\n1\. .*\n2\. In a .*\n3\. In the same /,
    sent: [/^\(The web view has a cookie/, page, /^In the same web view: curl -X POST .* --data-raw 'items/],
    captions: ['the first bag', 'the second bag, in the same web view']
  })
  const reload = await wrong('1', 'one-visit', 'reload')
  t.match(reload, {
    detail: /^After a reload: The page shows no lines; /,
    sent: [
      /^curl -X POST .*application\/json.*\/bag'$/,
      /^In a web view: curl -X POST .* --data-raw 'id=id\d+' 'http:.*\/show'$/,
      'Reload in the web view'
    ],
    captions: ['when opened', 'after a reload']
  })
  const shoppers = await wrong('2A', 'shared-variable', 'two-shoppers')
  t.match(shoppers, { sent: [/^\(All that follow are sent at the same moment\./, post, post, post] })
  t.match(shoppers.captions, ['when opened', /^to shopper [123] of 3$/])
  const last = await wrong('2A', 'no-store', 'back')
  t.match(last.sent.at(-1), 'Back in the web view')
})

t.test('a refusal with a status of success is not taken for a sale', async t => {
  t.match(await run('2A', ['refuses-with-200'], {}, only('empty-bag')), [
    { happened: 'A bag without items was not refused' }
  ])
})

t.test('a refusal that failed without an outcome is reported in a sentence too', async t => {
  const [emptyBag] = only('empty-bag')
  const failing = { ...(emptyBag as Check), dependsOn: [], run: () => Promise.reject(new CheckFailed('wrong')) }
  t.match(await run('2A', [], {}, [failing]), [
    { verdict: 'failed', happened: 'A bag without items was not refused as expected', detail: 'wrong' }
  ])
})

t.test('a screenshot that cannot be taken is left out, and does not change the verdict', async t => {
  const site = await startBareSite('2A')
  t.teardown(site.close)
  const viewsWithoutScreenshots: WebViews = {
    ...views,
    open: async parts => {
      const view = await views.open(parts)
      view.page.screenshot = () => Promise.reject(new Error('no screenshot'))
      return view
    }
  }
  const results = await runWith(t, bareProfile('2A', site.url), viewsWithoutScreenshots, only('exact-items'), true)
  t.match(results, [{ verdict: 'passed', screenshots: [] }])
})

const UNRESPONSIVE =
  /^The page did not respond within \d+ s\. A script may be blocking it, or it never finishes loading\.\nSent/

for (const fault of ['blocks', 'opens-dialogs', 'keeps-navigating'] as const) {
  t.test(`a page that never responds (${fault}) fails its check, and the others still run`, async t => {
    const independent = only('exact-items', 'wrong-method').map(({ dependsOn: _, ...check }) => check)
    const results = await run('2B', [fault], { timeoutSeconds: 4 }, independent)
    const happened = 'The browser could not show the page'
    t.match(results, [{ verdict: 'failed', happened, detail: UNRESPONSIVE }, { verdict: 'passed' }])
  })
}

t.test(
  'a shared page that stops responding fails the checks that need it, and only the first of them waits',
  async t => {
    const site = await startBareSite('1', 'blocks-on-reload')
    t.teardown(site.close)
    const order = ['description-json', 'exact-items', 'reload', 'not-yet-complete', 'other-origins', 'scripts-blocked']
    const selected = order.flatMap(id => only(id))
    // Long enough for a page that does respond, on a machine with much else to do.
    const results = await runWith(t, bareProfile('1', site.url, { timeoutSeconds: 10 }), views, selected, true)
    t.match(results, [
      { verdict: 'passed' },
      { verdict: 'passed', screenshots: [{ caption: 'when opened' }] },
      { verdict: 'failed', detail: UNRESPONSIVE, screenshots: [] },
      { verdict: 'failed', detail: UNRESPONSIVE },
      { verdict: 'passed' },
      { verdict: 'passed' }
    ])
    const [, , reload, complete] = results
    t.ok(Number(complete?.milliseconds) < Number(reload?.milliseconds) / 2)
  }
)

t.test('a URL that looks like that of a completed order fails', async t => {
  t.strictSame(idsOf(await run('2B', [], { completeUrl: '/BAG' }, only('not-yet-complete')), 'failed'), [
    'not-yet-complete'
  ])
})

t.test('a run against a site that is down or does not respond is an error', async t => {
  const silent = createServer(() => {})
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/bag`
  const profile = bareProfile('1', url, { timeoutSeconds: 0.2 })
  await t.rejects(runWith(t, profile, views), { message: 'no complete response within 0.2 s' })
  silent.close()
  silent.closeAllConnections()
  await t.rejects(runWith(t, bareProfile('1', url), views), { message: /ECONNREFUSED/ })
})

t.test('a page whose certificate is not trusted ends the run', async t => {
  const page = await startTlsServer(t)
  const platform = createServer((_, response) => response.end(JSON.stringify({ url: `${page}/show` })))
  await new Promise<void>(resolve => platform.listen(0, '127.0.0.1', resolve))
  t.teardown(() => platform.close())
  const url = `http://127.0.0.1:${(platform.address() as AddressInfo).port}/bag`
  await t.rejects(runWith(t, bareProfile('1', url), views, only('exact-items')), {
    constructor: OperatorError,
    message: `the certificate of ${page} is not trusted (ERR_CERT_AUTHORITY_INVALID)`
  })
})

t.test('a check that throws is reported as an internal error, and the others still run', async t => {
  const broken = checks.slice(0, 1).map(({ appliesTo: _, ...check }) => ({
    ...check,
    run: async () => {
      throw new TypeError('no such thing\nat all')
    }
  }))
  const results = await run('2B', [], {}, [...broken, ...only('wrong-method')])
  t.match(results, [
    { verdict: 'not judged', detail: 'Internal error in the kit: no such thing' },
    { verdict: 'passed' }
  ])
  t.equal(exitCodeOf(results), 3)
})

t.test('invalid selectors are mistakes in the profile, found before anything is sent', async t => {
  const page = { line: 'tr[', sku: '>>@title', quantity: '.count', total: '<b>' }
  await t.rejects(runWith(t, bareProfile('2B', 'http://127.0.0.1:9/bag', { page }), views), {
    constructor: ProfileError,
    message:
      /^page\.line: it is "tr\[", which .*; give a CSS selector\npage\.sku: it is ">>@title", .*\npage\.total: it is "<b>", .*$/
  })
})

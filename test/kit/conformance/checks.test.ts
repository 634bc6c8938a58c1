// The list of checks: their texts, their dependencies, and what happens to those that cannot be judged.
import t from 'tap'
import { OperatorError } from '../../../src/errors.ts'
import type { Check } from '../../../src/kit/conformance/check.ts'
import { checks } from '../../../src/kit/conformance/checks/checks.ts'
import { CheckFailed, PageUnusable } from '../../../src/kit/conformance/final-response.ts'
import { basisOf, type CheckResult, exitCodeOf } from '../../../src/kit/conformance/run-checks.ts'
import { sharedViews } from '../../browser/shared-views.ts'
import { listen } from '../../listen.ts'
import { startTlsServer } from '../certificates/tls-server.ts'
import type { Fault } from './bare-reading.ts'
import { bareProfile, idsOf, kitFor, only, runWith, SELECTORS, withDependencies } from './kit.ts'

t.test('each check has a unique id, and its section says where it comes from', async t => {
  t.equal(new Set(checks.map(({ id }) => id)).size, checks.length)
  for (const { id, section, title, failure, why, remedy } of checks) {
    t.match(id, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    t.match(section, /^contract \d|^Meta |^UCP |^good practice \(/, `${id}: ${section}`)
    t.notMatch(section, /decisions|\.md/, `${id}: an outsider cannot read our files`)
    t.notMatch(title, /\.$/, `${id}: a title is a sentence without a full stop`)
    const sentence = typeof failure === 'string' ? failure : failure.notRefused
    t.match(sentence, /^[A-Z0-9].*[^.]$/, `${id}: what happens at a site that fails, without a full stop`)
    t.match(why, /\.$/, `${id}: why`)
    t.match(remedy, /\.$/, `${id}: remedy`)
  }
})

t.test('dependencies come first, and none of the contract on good practice', async t => {
  checks.forEach(({ dependsOn = [], ...check }, i) => {
    const before = checks
      .slice(0, i)
      .filter(other => basisOf(check) === 'good practice' || basisOf(other) === 'contract')
    const unmet = dependsOn.filter(need => !before.some(({ id }) => id === need))
    t.strictSame(unmet, [], check.id)
  })
})

t.test('what the contract only recommends is good practice', async t => {
  // Its words: POST "is recommended over GET", parameters per item "should be avoided", a Content-Type "is ignored".
  const recommended = only('post-recommended', 'no-items-in-url', 'no-content-type-header')
  t.strictSame(recommended.map(basisOf), ['good practice', 'good practice', 'good practice'])
})

const views = sharedViews()
const run = kitFor(t, views)

t.test('a check for which the profile has no entry is skipped, and so is what depends on it', async t => {
  const skus = { exist: ['red-mug', 'blue-mug', 'tea-pot'], unknown: ['green-mug'] }
  const changes = { skus, completeTitle: undefined, completeUrl: undefined }
  const results = await run('2B', [], changes, withDependencies('not-yet-complete', 'out-of-stock-named'))
  t.strictSame(idsOf(results, 'passed'), ['exact-items'])
  t.strictSame(idsOf(results, 'skipped'), ['not-yet-complete', 'out-of-stock-refused', 'out-of-stock-named'])
  t.strictSame(
    results.flatMap(({ verdict, detail }) => (verdict === 'passed' ? [] : detail)),
    [
      'The profile has neither completeTitle nor completeUrl.',
      'The profile has no such SKU: skus.outOfStock is empty. If the shop never has one, give "none".',
      'It depends on out-of-stock-refused, which was skipped.'
    ]
  )
  t.equal(exitCodeOf({ results }), 0)
  t.equal(exitCodeOf({ results, isStrict: true }), 3)
})

t.test('a shop that makes one line of two is judged by their units, if the profile says so', async t => {
  const selected = only('same-sku-twice')
  const together = { expect: { sameSku: 'together' } }
  t.match(await run('2A', ['merged-lines'], together, selected), [{ verdict: 'passed' }])
  t.match(await run('2A', [], together, selected), [{ verdict: 'passed' }])
})

t.test('what the page charges is judged only if the profile says where it is', async t => {
  const { price, total, ...lines } = SELECTORS
  for (const [page, verdict, detail] of [
    [lines, 'skipped', 'The profile has neither page.price nor page.total.'],
    [{ ...lines, total: '.nowhere' }, 'not judged', 'The page shows no amount for the total where the profile says.']
  ] as const) {
    t.match(await run('2A', [], { page }, only('own-price')), [{ verdict, detail }])
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

t.test('a site that refuses the big bag is not judged by its URL', async t => {
  const results = await run('1', ['large-bag-refused', 'refuses-as-json'], {}, withDependencies('no-items-in-url'))
  t.match(results.at(-1), { verdict: 'not judged', detail: /^The site answered 413 to a bag of 60 lines\.$/ })
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

const PROBED = ['missing-field', 'wrong-method', 'reference-33', 'index-gap', 'unknown-sku-refused', 'hostile-sku']

for (const [fault, detail] of [
  ['refuses-with-429', /^The site answered 429: /],
  ['refuses-with-silence', /^(No response|The browser cannot show the page: .*net::ERR_)/]
] as const) {
  t.test(`a site that ${fault.replaceAll('-', ' ')} is not judged by it`, async t => {
    const results = await run('2A', [fault], {}, only('exact-items', ...PROBED))
    t.strictSame(idsOf(results, 'passed'), ['exact-items'])
    t.strictSame(idsOf(results, 'failed'), [])
    for (const id of PROBED) t.match(results.find(({ check }) => check.id === id)?.detail, detail, id)
  })
}

const BY_SCRIPT = { page: { ...SELECTORS, settleSeconds: 0.1 } }

t.test('a request that no web view can send is not judged if scripts write the lines', async t => {
  const changes = { ...BY_SCRIPT, expect: { contentType: '2xx' } }
  t.match(await run('2A', ['refuses-with-200'], changes, only('wrong-content-type')), [
    { verdict: 'not judged', detail: /^Scripts write the lines/ }
  ])
})

t.test('a success status with lines written by scripts is not a refusal', async t => {
  const changes = { ...BY_SCRIPT, expect: { malformed: '2xx' } }
  t.match(await run('1', ['text-as-quantity', 'lines-by-script'], changes, only('quantity-as-text')), [
    { verdict: 'failed', detail: /The page shows 2 × red-mug, 2 × blue-mug; expected no lines/ }
  ])
})

t.test('a failure says what happened, what was expected and what came, with a picture of the page', async t => {
  const faults = ['sold-out-taken', 'unknown-unnamed', 'any-type', 'doubled']
  const sent = [/^curl /]
  const cases: [id: string, failure: object][] = [
    [
      'empty-bag',
      {
        happened: 'A bag without items was refused, but not as expected',
        findings: [{ mistake: 'no items', sent, expected: 'Status 409', got: 'Status 400: an empty bag' }],
        screenshots: [{ caption: 'no items, as received' }]
      }
    ],
    [
      'wrong-method',
      {
        happened: 'A request with another method was refused, but not as expected',
        findings: [{ mistake: 'GET instead of POST', sent, expected: 'Status 2xx', got: /^Status 405: / }],
        screenshots: [{ caption: 'GET instead of POST, as received' }]
      }
    ],
    [
      'wrong-content-type',
      {
        happened: 'A body of another Content-Type was accepted',
        findings: [{ mistake: 'text/plain' }],
        screenshots: [{ caption: 'text/plain, as received' }]
      }
    ],
    [
      'same-cart-again',
      {
        happened: 'The same bag sent again did not show the same items',
        findings: [
          { sent: [...sent, ...sent], expected: '1 × red-mug, 2 × blue-mug', got: '2 × red-mug, 4 × blue-mug' }
        ]
      }
    ],
    [
      'unknown-sku-named',
      {
        happened: 'The refusal of an unknown SKU did not name it',
        findings: [{ expected: 'A refusal that names green-mug', got: 'Sorry.' }]
      }
    ],
    [
      'out-of-stock-refused',
      {
        happened: 'An out-of-stock SKU was accepted',
        findings: [{ sent, expected: 'Status 4xx', got: 'Status 200: red-mug 1 £5.00 lamp 1 £5.00 £10.00' }]
      }
    ]
  ]
  const changes = { expect: { malformed: '409', method: '2xx', unknownSku: '422' } }
  const results = await run('2A', faults, changes, only(...cases.map(([id]) => id)), true)
  for (const [id, failure] of cases) {
    const result = results.find(({ check }) => check.id === id)
    t.match(result, { verdict: 'failed', screenshots: [{ caption: 'as received' }], ...failure }, id)
    t.equal(result?.screenshots.length, 1, id)
  }
})

t.test('a failure shows all that was sent and done, in order, and each picture says what it is of', async t => {
  const wrong = async (option: string, id: string, ...faults: Fault[]) => {
    const [result] = await run(option, faults, {}, only(id), true)
    const { verdict, detail, findings, screenshots } = result as CheckResult
    t.equal(verdict, 'failed', id)
    return { detail, sent: findings.flatMap(({ sent }) => sent), captions: screenshots.map(({ caption }) => caption) }
  }
  const post = /curl -X POST .* --data-raw 'items.* 'http:.*\/bag'$/
  const page = /^In a web view: curl -X POST .* --data-raw 'items/

  t.match(await wrong('2A', 'isolation', 'old-session-item'), {
    detail:
      /^The page shows 3 × tea-pot, 1 × red-mug; expected 3 × tea-pot\.\nSent, in this order:\n1\. .*\n2\. In a .*\n3\. In the same /,
    sent: [/^\(The web view has a cookie/, page, /^In the same web view: curl -X POST .* --data-raw 'items/],
    captions: ['the first bag', 'the second bag, in the same web view']
  })
  t.match(await wrong('1', 'reload', 'one-visit', 'mistyped-field'), {
    detail: /^After a reload: The page shows no lines; /,
    sent: [
      /^curl -X POST .*application\/json.*\/bag'$/,
      /^In a web view: curl -X POST .* -H 'Cookie: shop=1' --data-raw 'id=id\d+' 'http:.*\/show'$/,
      /^curl -X POST .*application\/json.*\/bag'$/,
      /^curl -X POST .*\/show'$/,
      'Reload in the web view'
    ],
    captions: ['when opened', 'after a reload']
  })
  t.match(await wrong('2A', 'two-shoppers', 'shared-variable'), {
    sent: [/^\(All that follow are sent at the same moment\./, post, post, post],
    captions: ['when opened', /^to shopper [123] of 3$/]
  })
  t.match((await wrong('2A', 'back', 'no-store')).sent.at(-1), 'Back in the web view')
  t.equal((await wrong('2A', 'other-origins', 'later-picture')).sent.at(-1), '(Timers are put forward by 10 s.)')
})

t.test(
  'a site that puts the bag into a session and redirects, or leads to an address, is told what is right',
  async t => {
    const remedies = async (option: string, fault: Fault, ...ids: string[]) =>
      (await run(option, [fault], {}, only(...ids))).map(({ verdict, check }) => verdict === 'failed' && check.remedy)
    t.strictSame(await remedies('2B', 'bag-in-session', 'cookies-refused', 'back'), [
      'Identify the bag by a token that cannot be guessed, in the URL or the body of every request. Do not put it into a session and redirect.',
      'Answer a POST with "Cache-Control: private, no-cache" (with no-store, Chromium cannot go Back to the page), and find each bag by its own token in the address, not in a session.'
    ])
    t.strictSame(await remedies('1', 'described-get', 'post-recommended'), [
      'Describe a POST with a token in its body. If GET is intended, as with a token in the URL, set "expect": { "describedMethod": "GET" } in the profile.'
    ])
  }
)

t.test('a page that a GET cannot restore is reported with what it says', async t => {
  const [lost] = await run('2A', ['dead-end'], {}, only('get-after-post'))
  t.match(lost, {
    happened: 'A GET of the address of the page neither showed the bag nor refused with a link',
    detail: /^After a GET of its address: The page shows no lines; expected 1 × red-mug, .* It says: not this way\n/,
    findings: [
      { sent: [/^In a web view: curl -X POST /, 'GET of its address in the web view'], got: 'no lines: not this way' }
    ]
  })
})

t.test('what is lost of a form is reported with the form', async t => {
  const [cut] = await run('2A', ['fields-cut'], {}, only('many-fields'))
  t.match(cut, {
    verdict: 'failed',
    detail:
      /^The page shows 333 lines: .*; expected 334 lines: .*\nSent: curl .* --data-raw 'currency=GBP&reference=\w+&items%5B0%5D%5Bsku%5D=/
  })
  const [mixed] = await run('2A', ['free-names-mixed'], {}, only('index-free-names'))
  t.match(
    mixed?.detail,
    /--data-raw 'reference=\w+&currency=GBP&items%5B%5D%5Bquantity%5D=2&items%5B%5D%5Bsku%5D=4711&/
  )
})

t.test('a bag that others could see is reported with what lets them', async t => {
  const [cached] = await run('2B', ['shared-cache'], {}, only('not-in-shared-caches'))
  t.match(cached, {
    happened: 'A cache that shoppers share may keep the page, or a redirect to it',
    detail: /^GET http:\S+\/bag\?item_0_sku=\S+ is answered 200 with Cache-Control: public, max-age=600\.\nSent: curl /,
    check: {
      title: 'Caches that shoppers share may not keep the page, nor a redirect to it',
      remedy:
        'Send "Cache-Control: private, no-cache" with the page and with redirects to it. A max-age, public, or nothing at all lets a CDN keep them; Pragma prevents nothing.'
    }
  })
  const [opened] = await run('1', ['found-by-reference'], {}, only('reference-opens-nothing'))
  t.match(opened, {
    happened: 'The page of a bag opened for somebody who knows no more than its reference',
    detail: /^The page of the second bag opened without anything from its transfer\.\nSent, in this order:\n1\. curl /,
    check: {
      title: 'Knowing the reference of a bag is not enough to open its page',
      remedy:
        'Give each bag a random token of its own, put that into the description or the redirect, and find the bag by nothing else. A hash of the reference is no token.'
    }
  })
  const [, own, , other, remark, forged] = opened?.findings[0]?.sent ?? []
  t.equal(remark, '(The next is the request for the page of the first bag, with the reference of the second.)')
  t.equal(forged, other)
  t.not(forged, own)
})

t.test('a platform is named as the profile says, and a limit of the shop is not judged', async t => {
  const platform = 'https://agent.example/profile.json'
  t.match(await run('ucp', ['two-totals'], { platform }, only('cart-created')), [
    {
      verdict: 'failed',
      detail: /^What red-mug costs is subtotal 500, total 500, total 500; .*profile="https:\/\/agent/s
    }
  ])
  t.match(await run('ucp', ['quantity-limited'], {}, only('large-quantities')), [
    { verdict: 'not judged', detail: /^The site answered 200 to 99 × red-mug\. .* maxQuantity/ }
  ])
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
  const withoutScreenshots = kitFor(t, {
    ...views,
    open: async parts => {
      const view = await views.open(parts)
      view.page.screenshot = () => Promise.reject(new Error('no screenshot'))
      return view
    }
  })
  const results = await withoutScreenshots('2A', [], {}, only('exact-items'), true)
  t.match(results, [{ verdict: 'passed', screenshots: [] }])
})

const UNRESPONSIVE =
  /^The page did not respond within \d+ s\. A script may be blocking it, or it never finishes loading\.\nSent/

t.test('a page that never responds fails its check, and the others still run', async t => {
  const independent = only('exact-items', 'wrong-method').map(({ dependsOn: _, ...check }) => check)
  const happened = 'The browser could not show the page'
  // Together, as each takes as long as the limit; that is far more than a site that does respond needs.
  const faults = ['blocks', 'opens-dialogs', 'keeps-navigating']
  const runs = await Promise.all(faults.map(fault => run('2B', [fault], { timeoutSeconds: 3 }, independent)))
  for (const [i, results] of runs.entries()) {
    t.match(results, [{ verdict: 'failed', happened, detail: UNRESPONSIVE }, { verdict: 'passed' }], String(faults[i]))
  }
})

t.test('a page that hangs is closed at once, while the check goes on', async t => {
  const [exactItems] = only('exact-items')
  const closing: Check = {
    ...(exactItems as Check),
    dependsOn: [],
    run: async site => {
      const view = await site.newView()
      const isClosed = view.page.waitForEvent('close', { timeout: 20_000 })
      await t.rejects(site.open(site.requestFor(site.newCart([0, 1])), view), {
        constructor: PageUnusable,
        message: /./
      })
      await isClosed
    }
  }
  t.match(await run('2A', ['opens-dialogs'], { timeoutSeconds: 1 }, [closing]), [{ verdict: 'passed' }])
})

t.test('a URL that looks like that of a completed order fails', async t => {
  t.match(await run('2B', [], { completeUrl: '/BAG' }, only('not-yet-complete')), [{ verdict: 'failed' }])
})

t.test('a run against a site that is down or does not respond is an error', async t => {
  const { origin } = await listen(t, () => {})
  const silent = bareProfile('1', origin, { timeoutSeconds: 0.2 })
  await t.rejects(runWith(t, silent, views), { message: 'no complete response within 0.2 s' })
  await t.rejects(runWith(t, bareProfile('1', 'http://127.0.0.1:1/bag'), views), {
    message: 'nothing listens at http://127.0.0.1:1; start the site, or correct the address'
  })
})

t.test('a page whose certificate is not trusted ends the run', async t => {
  const page = await startTlsServer(t)
  const description = JSON.stringify({ url: `${page}/show` })
  const { origin } = await listen(t, (_, response) => void response.end(description))
  await t.rejects(runWith(t, bareProfile('1', origin), views, only('exact-items')), {
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
  t.equal(exitCodeOf({ results }), 3)
})

t.test('invalid selectors are mistakes in the profile, found before anything is sent', async t => {
  const page = { line: 'tr[', sku: '>>@title', quantity: '.count', total: '<b>' }
  await t.rejects(runWith(t, bareProfile('2B', 'http://127.0.0.1:9/bag', { page }), views), {
    constructor: OperatorError,
    message:
      /^page\.line: it is "tr\[", which .*; give a CSS selector\npage\.sku: it is ">>@title", .*\npage\.total: it is "<b>", .*$/
  })
})

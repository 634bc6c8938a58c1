// Which responses to a probe are conclusive.
import t from 'tap'
import { assertConclusive, sendProbe } from '../../../src/kit/conformance/probe.ts'
import { CheckFailed, CheckNotJudged, RequestUnanswered } from '../../../src/kit/conformance/verdict-errors.ts'
import { idsOf, kitFor, only } from './kit.ts'

t.test('a status about access or load is inconclusive, unless the profile expects it or access is proven', async t => {
  for (const status of [401, 403, 407, 408, 425, 429, 502, 503, 504]) {
    t.throws(() => assertConclusive(status, '4xx'), {
      constructor: CheckNotJudged,
      message: `The site answered ${status}, `
    })
    t.doesNotThrow(() => assertConclusive(status, String(status)))
  }
  t.doesNotThrow(() => assertConclusive(403, '2xx', true))
  t.throws(() => assertConclusive(429, '2xx', true), { constructor: CheckNotJudged, message: /429/ })
  for (const status of [200, 400, 404, 422, 500]) t.doesNotThrow(() => assertConclusive(status, '4xx'))
})

t.test('no response is not judged, and a failure stays a failure', async t => {
  await t.rejects(
    sendProbe('4xx', () => Promise.reject(new RequestUnanswered('no response'))),
    { constructor: CheckNotJudged, message: 'no response' }
  )
  await t.rejects(
    sendProbe('4xx', () => Promise.reject(new CheckFailed('wrong'))),
    { constructor: CheckFailed, message: 'wrong' }
  )
})

const run = kitFor(t)

t.test('an error of the browser is a failure, without the call log', async t => {
  const broken = only('exact-items').map(check => ({
    ...check,
    run: (site: Parameters<typeof check.run>[0]) => site.inBrowser(() => Promise.reject(new Error('gone\nlog')))
  }))
  const results = await run('2A', [], {}, broken)
  t.strictSame(idsOf(results, 'failed'), ['exact-items'])
  t.match(results, [{ detail: /: gone$/ }])
})

// What is an answer to a probe, and what tells nothing of it.
import t from 'tap'
import { mustTell, probe } from '../../../src/kit/conformance/probe.ts'
import { Failed, NotJudged, Silent } from '../../../src/kit/conformance/verdict-errors.ts'
import { idsOf, kitFor, only } from './kit.ts'

t.test('a status about who asks or when tells nothing, unless it is named or we are known', async t => {
  for (const status of [401, 403, 407, 408, 425, 429, 502, 503, 504]) {
    t.throws(() => mustTell(status, '4xx'), { constructor: NotJudged, message: `The site answered ${status}, ` })
    t.doesNotThrow(() => mustTell(status, String(status)))
  }
  t.doesNotThrow(() => mustTell(403, '2xx', true))
  t.throws(() => mustTell(429, '2xx', true), { constructor: NotJudged, message: /429/ })
  for (const status of [200, 400, 404, 422, 500]) t.doesNotThrow(() => mustTell(status, '4xx'))
})

t.test('silence is not judged, and a failure stays one', async t => {
  await t.rejects(
    probe('4xx', () => Promise.reject(new Silent('no answer'))),
    { constructor: NotJudged, message: 'no answer' }
  )
  await t.rejects(
    probe('4xx', () => Promise.reject(new Failed('wrong'))),
    { constructor: Failed, message: 'wrong' }
  )
})

const run = kitFor(t)

t.test('what the browser cannot do to a page is a failure, without its log', async t => {
  const broken = only('exact-items').map(check => ({
    ...check,
    run: (site: Parameters<typeof check.run>[0]) => site.inBrowser(() => Promise.reject(new Error('gone\nlog')))
  }))
  const results = await run('2A', [], {}, broken)
  t.strictSame(idsOf(results, 'failed'), ['exact-items'])
  t.match(results, [{ detail: /: gone$/ }])
})

// The list of checks: what each says of itself, and what becomes of those that need another or cannot be judged.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import t from 'tap'
import { checks } from '../../src/conformance/checks.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { startBareSite } from './bare-site.ts'
import { bareProfile, idsOf, kitFor, runWith } from './kit.ts'

t.test('each check has a name of its own, and says where it comes from', async t => {
  t.equal(new Set(checks.map(({ id }) => id)).size, checks.length)
  for (const { id, section, title, why, remedy } of checks) {
    t.match(id, /^[a-z0-9]+(-[a-z0-9]+)*$/)
    t.match(section, /^contract \d|^good practice \(/, `${id}: ${section}`)
    t.notMatch(title, /\.$/, `${id}: a title is a sentence without a stop`)
    t.match(why, /\.$/, `${id}: why`)
    t.match(remedy, /\.$/, `${id}: remedy`)
  }
})

t.test('what a check needs stands before it, and what it is about exists', async t => {
  checks.forEach(({ id, needs = [], options = [] }, i) => {
    const before = checks.slice(0, i).map(check => check.id)
    t.strictSame(
      needs.filter(need => !before.includes(need)),
      [],
      id
    )
    t.strictSame(
      options.filter(name => !transferOptions.some(option => option.name === name)),
      [],
      id
    )
  })
})

const run = kitFor(t)

t.test('what the profile does not tell is not judged, and has not passed', async t => {
  const skus = { exist: ['red-mug', 'blue-mug', 'tea-pot'], unknown: ['green-mug'] }
  const results = await run('2B', [], { skus, completeTitle: undefined, completeUrl: undefined })
  t.strictSame(idsOf(results, 'failed'), [])
  t.strictSame(idsOf(results, 'not judged'), ['not-yet-complete', 'out-of-stock-refused', 'out-of-stock-named'])
  t.match(
    results.flatMap(({ verdict, detail }) => (verdict === 'passed' ? [] : detail)),
    [/completeTitle/, /skus\.outOfStock is empty/, /^It needs out-of-stock-refused, which was not judged\.$/]
  )
})

t.test('a site that stops answering fails the checks that it does not answer', async t => {
  const results = await run('1', ['silent-later'])
  const [first, second] = results
  t.match(first, { verdict: 'failed', detail: /^Sent: curl .*\nThere is no answer: / })
  t.match(second, { verdict: 'not judged', detail: 'It needs description-json, which failed.' })
  t.notOk(idsOf(results, 'passed').includes('exact-items'))
})

t.test('a URL that looks like a completed order is found', async t => {
  t.strictSame(idsOf(await run('2B', [], { completeUrl: '/BAG' }), 'failed'), ['not-yet-complete'])
})

t.test('a site that is down or does not answer cannot be judged at all', async t => {
  const silent = createServer(() => {})
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/bag`
  const profile = bareProfile('1', url, { timeoutSeconds: 0.2 })
  await t.rejects(runWith(t, profile), { message: 'no whole answer within 0.2 s' })
  silent.close()
  silent.closeAllConnections()
  await t.rejects(runWith(t, profile), { message: /ECONNREFUSED/ })
})

t.test('a check that breaks down is a mistake of the kit, and says so', async t => {
  const site = await startBareSite('2B')
  t.teardown(site.close)
  const broken = checks.slice(0, 1).map(({ options: _, ...check }) => ({
    ...check,
    run: async () => {
      throw new TypeError('no such thing')
    }
  }))
  await t.rejects(runWith(t, bareProfile('2B', site.url), undefined, broken), { message: 'no such thing' })
})

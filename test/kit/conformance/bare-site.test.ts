// A site that shares no code with ours and does everything right passes whole, with only a profile.
import t from 'tap'
import { checks } from '../../../src/kit/conformance/checks/checks.ts'
import { concerning } from '../../../src/kit/conformance/run-checks.ts'
import { transferOptions } from '../../../src/transfer/index.ts'
import { idsOf, kitFor, withNeeds } from './kit.ts'
import { COMPOSITE, SINGLE } from './wrong-sites.ts'

const run = kitFor(t)

for (const option of transferOptions) {
  const { name } = option
  t.test(`option ${name}`, async t => {
    const results = await run(name, [])
    t.strictSame(
      results.flatMap(({ check, verdict, detail }) => (verdict === 'passed' ? [] : [check.id, verdict, detail])),
      [],
      'it passes'
    )
    t.strictSame(
      results.map(({ check }) => check.id),
      concerning(checks, option).map(({ id }) => id),
      'every check that concerns it has run'
    )
  })
}

t.test('index-free names are judged as far as they can be', async t => {
  const inRequests = checks.filter(({ group }) => group === 'requests' || group === 'limits').map(({ id }) => id)
  const results = await run('2A', [], { names: 'index-free' }, withNeeds(...inRequests))
  t.strictSame(idsOf(results, 'failed'), [])
  t.strictSame(idsOf(results, 'not judged'), ['index-gap'])
})

t.test('for every check there is a wrong site that it catches', async t => {
  const failing = new Set([...SINGLE, ...COMPOSITE].flatMap(([, , failed]) => failed))
  const never = checks.map(({ id }) => id).filter(id => !failing.has(id))
  t.strictSame(never, [])
})

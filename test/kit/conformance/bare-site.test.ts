// A correct site that shares no code with ours passes every check, with nothing but a profile.
import t from 'tap'
import { checks } from '../../../src/kit/conformance/checks/checks.ts'
import { applicableChecks } from '../../../src/kit/conformance/run-checks.ts'
import { transferOptions } from '../../../src/transfer/index.ts'
import { idsOf, kitFor, withDependencies } from './kit.ts'
import { COMPOSITE, SINGLE } from './wrong-sites.ts'

const run = kitFor(t)

for (const option of transferOptions.filter(({ encoding }) => encoding !== 'other')) {
  const { name } = option
  t.test(`option ${name}`, async t => {
    const results = await run(name, [])
    t.strictSame(
      results.flatMap(({ check, verdict, detail }) => (verdict === 'passed' ? [] : [check.id, verdict, detail])),
      [],
      'all passed'
    )
    t.strictSame(
      results.map(({ check }) => check.id),
      applicableChecks(checks, option).map(({ id }) => id),
      'every applicable check has run'
    )
  })
}

t.test('index-free names are checked as far as possible', async t => {
  const inRequests = checks.filter(({ group }) => group === 'requests' || group === 'limits').map(({ id }) => id)
  const results = await run('2A', [], { names: 'index-free' }, withDependencies(...inRequests))
  t.strictSame(idsOf(results, 'failed'), [])
  t.strictSame(idsOf(results, 'not judged'), ['index-gap'])
})

t.test('every check fails for some wrong site', async t => {
  const failing = new Set([...SINGLE, ...COMPOSITE].flatMap(([, , failed]) => failed))
  const never = checks.map(({ id }) => id).filter(id => !failing.has(id))
  t.strictSame(never, [])
})

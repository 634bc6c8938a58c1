// The kit must be able to fail, and to pass: each wrong site is caught by the checks that are meant for it and by no
// others, and a right one that shares no code with ours passes every check, with nothing but a profile.
import t from 'tap'
import { checks } from '../../../src/kit/conformance/checks/checks.ts'
import { inTurn } from '../../nightly.ts'
import { idsOf, kitFor, only, withDependencies } from './kit.ts'
import { ALONE, areCaughtAlone, areCaughtTogether, areJudged, NAMED, sitesToTry, TOGETHER } from './wrong-sites.ts'

const run = kitFor(t)

const options = Object.entries(TOGETHER)

for (const [option, list] of options) {
  t.test(`option ${option}: each fault is caught by the check that is made for it, and by no other`, t =>
    areCaughtTogether(t, run, option, list)
  )
}

// In `npm test` at one site, as the kit passes at the demo merchants of the others.
for (const [option, list] of inTurn(options, 0)) {
  // All other checks have passed there, whatever the faults.
  t.test(`option ${option}: what fails there passes at a site without faults`, async t => {
    const made = list.map(([, check]) => check)
    t.strictSame(idsOf(await run(option, [], {}, only(...made)), 'passed').sort(), made.toSorted())
  })
}

t.test('a fault that keeps other checks from being judged is caught by no other than its own', t =>
  areCaughtAlone(
    t,
    run,
    sitesToTry(ALONE, ([, , check]) => [check])
  )
)

t.test('a fault that several checks see is caught by these, and what only looks like a fault by none', t =>
  areJudged(
    t,
    run,
    sitesToTry(NAMED, ([, , failed, , passed]) => (passed ? [] : failed))
  )
)

t.test('index-free names are checked as far as possible', async t => {
  const inRequests = checks.filter(({ group }) => group === 'requests' || group === 'limits').map(({ id }) => id)
  const results = await run('2A', [], { names: 'index-free' }, withDependencies(...inRequests))
  t.equal(idsOf(results, 'passed').length, results.length)
  t.notOk(
    results.some(({ check }) => check.id === 'index-gap'),
    'there are no indexes'
  )
})

t.test('every check has a wrong site', async t => {
  const made = [...Object.values(TOGETHER).flat(), ...ALONE.map(([, ...fitting]) => fitting)].map(([, check]) => check)
  const named = NAMED.flatMap(([, , failed]) => failed)
  const never = checks.map(({ id }) => id).filter(id => ![...made, ...named].includes(id))
  t.strictSame(never, [])
  t.ok(new Set(made).size >= 20, 'at least twenty have one that no other check catches')
})

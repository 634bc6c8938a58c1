// What `npm run test:ucp` makes of spck's report. spck itself runs only there.
import t from 'tap'
import { EXCUSED, findDeviations, type SpckCheck } from './spck.ts'

const excuses: SpckCheck[] = Object.keys(EXCUSED).map(id => ({
  id,
  status: 'deviation',
  observed: { status: 404, body: '' }
}))
const passed: SpckCheck = { id: 'cart.response_shape', status: 'clean-pass' }

t.test('a check that deviates speaks against us, unless it is excused for that', async t => {
  t.strictSame(findDeviations([passed, ...excuses], 1), [])
  const [first = passed, ...others] = excuses
  const failed = { ...first, observed: { status: 500, body: 'no' } }
  t.strictSame(findDeviations([passed, failed, ...others], 1), [`${first.id}: {"status":500,"body":"no"}`])
  t.match(findDeviations([{ ...passed, status: 'deviation' }, ...excuses], 0), [/^cart\.response_shape: /])
})

t.test('an excuse that is needed no more is reported, and too little that passes', async t => {
  const [first = passed, ...others] = excuses
  const message = `${first.id} deviates no more: take it off the list of excuses`
  t.strictSame(findDeviations([{ ...first, status: 'clean-pass' }, ...others], 1), [message])
  t.strictSame(findDeviations(excuses, 1), ['only 0 checks passed, not 1'])
})

// What a UCP answer says of a refusal that no cart has part in.
import t from 'tap'
import { Problem } from '../../src/errors.ts'
import { isOutcome, outcomeAnswer, protocolError } from '../../src/ucp/cart-answer.ts'

t.test('a platform that keeps no carts by this version is answered with no capabilities', async t => {
  const problem = new Problem('capabilities-incompatible', { detail: 'None.' })
  t.equal(isOutcome(problem), true)
  t.strictSame(outcomeAnswer('2026-04-08', problem), {
    ucp: { version: '2026-04-08', status: 'error', capabilities: {} },
    messages: [{ type: 'error', code: 'capabilities_incompatible', content: 'None.', severity: 'unrecoverable' }]
  })
})

t.test('a request that cannot be served is a protocol error', async t => {
  const problem = new Problem('profile-unreachable', { detail: 'It timed out.' })
  t.equal(isOutcome(problem), false)
  t.strictSame(protocolError(problem), { code: 'profile_unreachable', content: 'It timed out.' })
})

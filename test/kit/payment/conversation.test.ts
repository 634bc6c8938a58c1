import t from 'tap'
import { converse } from './conversation.ts'
import { connect, openDouble } from './open-double.ts'

t.test('the conversation with Stripe is had with its stand-in', async t => {
  const { double, stripe, seconds } = await openDouble(t)
  const found: string[] = []
  for await (const line of converse(stripe, connect(double.origin, 'sk_test_stranger'), seconds())) found.push(line)
  t.equal(found.length, 20)
})

// What the log and the records say of UCP carts: who called, with which key, and what was refused.
import t from 'tap'
import type { TransferRecord } from '../../../src/checkout/checkout-store.ts'
import type { Store } from '../../../src/store/store.ts'
import { cartOf, openUcp, PROFILE } from './platform.ts'

const KEY = '6f1e2d3c-4b5a-4697-8899-aabbccddeeff'

t.test('a transfer is logged with the platform and the key, also if it is refused', async t => {
  const { create, update, transfers } = await openUcp(t)
  const { body } = await create(cartOf('1 MUG'), { key: KEY })
  await create(cartOf('1 GONE', '2 NOPE'), { key: 'ada@example.com' })
  await create('no JSON', { profile: `${PROFILE}?user=ada` })
  await update(body.id, cartOf('1 LAMP'))
  await update(body.id, cartOf('0 MUG'))
  const platform = PROFILE
  t.match(transfers(), [
    { outcome: 'accepted', platform, idempotencyKey: KEY, reference: body.id, lines: 1 },
    {
      outcome: 'refused',
      platform,
      idempotencyKey: /^sha256:[\da-f]{16}$/,
      reference: undefined,
      lines: 2,
      mistakes: ['sku-unknown'],
      reason: /^\$\.line_items\[0\]\.item\.id.*GONE.*\| \$\.line_items\[1\]\.item\.id.*NOPE/
    },
    { outcome: 'refused', status: 400, platform, idempotencyKey: undefined },
    { outcome: 'refused', reference: body.id, mistakes: ['out-of-stock'] },
    { outcome: 'refused', reference: body.id, mistakes: ['quantity-invalid'] }
  ])
  t.notMatch(JSON.stringify(transfers()), /ada/)
})

t.test('who is refused is named as it calls itself, with the reason', async t => {
  const platforms = [{ profile: PROFILE, authentication: { type: 'bearer', secretVariables: ['TOKEN'] } }]
  const variables = { TOKEN: 'a-token-of-at-least-thirty-two-characters' }
  const { create, transfers } = await openUcp(t, { transfer: { platforms } }, { variables })
  await create(cartOf('1 MUG'))
  await create(cartOf('1 MUG'), { profile: 'https://other.example/ucp' })
  await create(cartOf('1 MUG'), { profile: 'http://' })
  await create(cartOf('1 MUG'), { profile: 'mailto:ada@example.com' })
  await create(cartOf('1 MUG'), { profile: `https://other.example/${'a'.repeat(5000)}` })
  t.match(transfers(), [
    { status: 401, platform: PROFILE, problem: 'unauthorized', reason: /no Authorization header/ },
    {
      status: 403,
      platform: 'https://other.example/ucp',
      problem: 'profile-not-trusted',
      reason: /takes carts from the platforms/
    },
    { status: 400, platform: undefined, problem: 'invalid-profile-url' },
    { status: 400, platform: undefined, problem: 'invalid-profile-url' },
    { status: 400, platform: /^https:\/\/other\.example\/a{178}$/, problem: 'invalid-profile-url' }
  ])
})

t.test('a refusal that is asked for again says again why', async t => {
  const { create, transfers } = await openUcp(t)
  await create(cartOf('1 GONE'), { key: KEY })
  await create(cartOf('1 GONE'), { key: KEY })
  t.match(transfers(), [{ outcome: 'refused' }, { outcome: 'repeated', reason: /^\$\.line_items\[0\]: .*GONE/ }])
})

t.test('a cancellation is logged as a transfer is', async t => {
  const { create, cancel, send, logs } = await openUcp(t)
  const { body } = await create(cartOf('1 MUG'))
  await cancel(body.id, { key: KEY })
  await cancel(body.id, { key: KEY })
  await cancel(body.id)
  await send('POST', '/carts/ada/cancel', {}, { profile: 'http://' })
  t.match(
    logs.filter(({ msg }) => msg === 'cancellation'),
    [
      { level: 30, option: 'ucp', platform: PROFILE, idempotencyKey: KEY, reference: body.id, outcome: 'accepted' },
      { outcome: 'repeated', reference: body.id },
      { outcome: 'refused', status: 200, problem: 'checkout-not-found', reference: body.id },
      { outcome: 'refused', status: 400, reference: undefined }
    ]
  )
})

t.test('a refusal changes nothing of what is on record of a cart, a cancellation does', async t => {
  const records: TransferRecord[] = []
  const recording = (store: Store): Store => ({
    ...store,
    addTransfer: record => {
      records.push(record)
      return store.addTransfer(record)
    }
  })
  const { create, update, cancel, store, tick } = await openUcp(t, {}, { store: recording })
  const { body } = await create(cartOf('1 MUG'), { key: KEY })
  const recorded = async () => (await store.referenceHistories(['shop'], [body.id]))[0]?.[0]?.lastTransfer
  /** Recorded once the answer has gone: whatever is stored later is stored after it. */
  const state = async () => {
    await create(cartOf('1 MUG'))
    tick(1000)
    return recorded()
  }
  await update(body.id, cartOf('1 ROPE'), { profile: 'https://other.example/' })
  await update(body.id, cartOf('1 LAMP'))
  t.equal(await state(), undefined, 'it is what it was')
  await cancel(body.id)
  await update(body.id, cartOf('1 ROPE'))
  t.match(await state(), { outcome: 'cancelled', mistakes: [] })
  t.equal((await create(cartOf('1 MUG'), { key: KEY })).body.id, body.id)
  t.match(await state(), { outcome: 'cancelled' }, 'also after an answer of before it is given again')
  const counted = records.map(({ outcome, reference }) => [outcome, reference])
  t.strictSame(counted, Array(3).fill(['refused', undefined]), 'refusals are counted, and repeats are not')
})

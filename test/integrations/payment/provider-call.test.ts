// Calls to a payment provider: none takes longer than its time, and a silent provider takes no more than its share.
import t, { type Test } from 'tap'
import type { PaymentFacts, PaymentProvider } from '../../../src/integrations/payment/provider.ts'
import { connectProviders } from '../../../src/integrations/payment/provider-call.ts'
import { noopObserver } from '../../../src/observer.ts'
import { SILENT } from '../../any-context.ts'

const FACTS: PaymentFacts = {
  state: 'open',
  providerId: 'p1',
  id: '7KQM-3XH9-1',
  merchantId: 'shop',
  currency: 'GBP',
  amount: 100
}

/** A provider that answers a look-up when it is told to. */
async function silentProvider(t: Test, timeout: number) {
  // A timeout alone does not keep the process.
  const alive = setInterval(() => {}, 1000)
  t.teardown(() => clearInterval(alive))
  let answer = () => {}
  const provider = {
    name: 'silent',
    title: 'Silent',
    connect: () => ({
      retrievePayment: (_id: string, signal: AbortSignal) =>
        new Promise<PaymentFacts>((resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
          answer = () => resolve(FACTS)
        })
    })
  } as unknown as PaymentProvider
  const failed: string[][] = []
  const payment = { provider, settings: {}, secret: '', webhookSecrets: [] }
  const parts = {
    fetch: () => Promise.reject(new Error('unused')),
    clock: () => new Date(),
    logger: SILENT,
    observer: { ...noopObserver, providerFailed: (...call: string[]) => void failed.push(call) },
    timeout
  }
  const gateways = connectProviders([{ id: 'shop', payment }, { id: 'other' }], parts)
  t.strictSame([...gateways.keys()], ['shop'])
  const gateway = gateways.get('shop')
  if (!gateway) throw new Error('not connected')
  return { gateway, failed, answer: () => answer() }
}

t.test('a call that takes too long is over, and counted', async t => {
  const { gateway, failed } = await silentProvider(t, 20)
  await t.rejects(gateway.retrievePayment('p1'), { message: 'no answer within 0.02 s' })
  t.strictSame(failed, [['shop', 'look']])
})

t.test('a hundred calls wait at a time, and no more', async t => {
  const { gateway, failed, answer } = await silentProvider(t, 60_000)
  const waiting = Array.from({ length: 100 }, () => gateway.retrievePayment('p1'))
  // The others end when this test is long over.
  for (const call of waiting) call.catch(() => {})
  await t.rejects(gateway.retrievePayment('p1'), { message: '100 calls wait for it already' })
  answer()
  t.strictSame(await waiting.at(-1), FACTS)
  const next = gateway.retrievePayment('p1')
  answer()
  t.strictSame(await next, FACTS)
  t.strictSame(failed, [])
})

t.test('a public shop in test mode is told that no money comes', async t => {
  const payment = {
    provider: {
      name: 'quiet',
      isTest: (secret: string) => secret === 'test',
      connect: () => ({})
    } as unknown as PaymentProvider,
    ...{ settings: {}, webhookSecrets: [] }
  }
  const warned: unknown[] = []
  const logger = { ...SILENT, warn: (...line: unknown[]) => void warned.push(line) }
  const parts = { fetch: () => Promise.reject(new Error('unused')), clock: () => new Date(), observer: noopObserver }
  const shops = [
    { id: 'shop', origin: 'https://shop.example', payment: { ...payment, secret: 'test' } },
    { id: 'live', origin: 'https://shop.example', payment: { ...payment, secret: 'live' } },
    { id: 'local', origin: 'http://127.0.0.1:3000', payment: { ...payment, secret: 'test' } }
  ]
  connectProviders(shops, { ...parts, logger })
  t.strictSame(warned, [
    [{ merchant: 'shop', provider: 'quiet' }, 'payment in test mode: orders look paid, and no money comes']
  ])
})

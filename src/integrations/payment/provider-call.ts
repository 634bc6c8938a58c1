// Calls to a payment provider: with a time limit, and with a share of the process; while the provider only fails, one call at a
// time tries it, and the others fail at once.
import { setTimeout as pause } from 'node:timers/promises'
import type { Log, Observer, ProviderCall } from '../../observer.ts'
import { openCircuit } from '../outgoing/circuit.ts'
import type { Fetch } from '../outgoing/http-client.ts'
import { type PaymentProvider, type ProviderAccount, ProviderDown } from './provider.ts'

/** Calls at a time. */
const MAX_CALLS = 100

/** What may be in progress at a time for one checkout or payment: a shopper taps twice. */
const MAX_OF_ONE = 2

type Called = 'open' | 'retrievePayment' | 'cancel' | 'refund'

/** A merchant's account at its provider. Calls reject with PaymentFailed, with ProviderDown if it is slow or out of reach. */
export type PaymentGateway = Omit<ProviderAccount, Called> & {
  [Name in Called]: (subject: Parameters<ProviderAccount[Name]>[0]) => ReturnType<ProviderAccount[Name]>
} & {
  provider: string
  /** @throws ProviderDown if a call would not be made now: nothing need be prepared for it */
  checkRoom: () => void
  /** Does something for one checkout or payment. @returns undefined if two such things are in progress for it already */
  admit: <T>(key: string, work: () => Promise<T>) => Promise<T | undefined>
  /** Waits so many milliseconds for what another request does. */
  pause: (milliseconds: number) => Promise<void>
}

export type ConnectedWith = {
  provider: PaymentProvider
  settings: unknown
  secret: string
  webhookSecrets: string[]
}

type ConnectParts = {
  fetch: Fetch
  clock: () => Date
  logger: Log
  observer: Observer
  /** How long a call may take, in milliseconds. A stop waits 15 seconds for what is in progress. */
  timeout?: number
}

function connectProvider(
  merchant: string,
  { provider, ...access }: ConnectedWith,
  { fetch, clock, logger, observer, timeout = 8000 }: ConnectParts
): PaymentGateway {
  const account = provider.connect({ ...access, fetch })
  const about = { merchant, provider: provider.name }
  let inProgress = 0
  const admitted = new Map<string, number>()
  const circuit = openCircuit(clock, (isOpen, reason) => {
    observer.providerCircuit(merchant, isOpen)
    if (isOpen) logger.warn({ ...about, reason }, 'payment provider keeps failing; circuit open, nobody can pay')
    else logger.info(about, 'payment provider answers again')
  })

  function checkRoom(): void {
    const isTried = circuit.isOpen() && inProgress > 0
    if (isTried) throw new ProviderDown(`circuit open; the last failure: ${circuit.reason()}`)
    if (inProgress >= MAX_CALLS) throw new ProviderDown(`${MAX_CALLS} calls wait for it already`)
  }

  async function call<T>(name: ProviderCall, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    checkRoom()
    const signal = AbortSignal.timeout(timeout)
    return count(async () => {
      try {
        const result = await work(signal)
        circuit.answered()
        return result
      } catch (error) {
        const failure = signal.aborted ? new ProviderDown(`no answer within ${timeout / 1000} s`) : error
        if (failure instanceof ProviderDown) circuit.failed(failure.message)
        else circuit.answered()
        observer.providerFailed(merchant, name)
        throw failure
      }
    })
  }

  async function count<T>(work: () => Promise<T>): Promise<T> {
    inProgress++
    try {
      return await work()
    } finally {
      inProgress--
    }
  }

  async function admit<T>(key: string, work: () => Promise<T>): Promise<T | undefined> {
    const others = admitted.get(key) ?? 0
    if (others >= MAX_OF_ONE) return undefined
    admitted.set(key, others + 1)
    try {
      return await work()
    } finally {
      const left = Number(admitted.get(key)) - 1
      if (left > 0) admitted.set(key, left)
      else admitted.delete(key)
    }
  }

  return {
    ...account,
    provider: provider.name,
    checkRoom,
    admit,
    pause: milliseconds => pause(milliseconds),
    open: request => call('open', signal => account.open(request, signal)),
    retrievePayment: id => call('look', signal => account.retrievePayment(id, signal)),
    cancel: id => call('cancel', signal => account.cancel(id, signal)),
    refund: refund => call('refund', signal => account.refund(refund, signal))
  }
}

/** By the id of each merchant that has its orders paid. */
export function connectProviders(
  merchants: { id: string; origin?: string; payment?: ConnectedWith }[],
  parts: ConnectParts
): Map<string, PaymentGateway> {
  const gateways = new Map<string, PaymentGateway>()
  for (const { id, origin, payment } of merchants) {
    if (!payment) continue
    // Whoever tries it on their own machine knows.
    if (origin?.startsWith('https:') && payment.provider.isTest(payment.secret)) {
      const about = { merchant: id, provider: payment.provider.name }
      parts.logger.warn(about, 'payment in test mode: orders look paid, and no money comes')
    }
    gateways.set(id, connectProvider(id, payment, parts))
  }
  return gateways
}

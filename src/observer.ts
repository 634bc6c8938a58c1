// What happens in the server, told to whoever counts it, and work as a part of a trace. No value is unbounded or about a
// person: there is no SKU, reference, token or address among them.
import type { EventEmitter } from 'node:events'
import type { IncomingHttpHeaders } from 'node:http'
import type { BaseLogger } from 'pino'
import type { ProblemCode, ValidationErrorCode } from './errors.ts'

/** The server's log, or a request's. */
export type Log = Pick<BaseLogger, 'debug' | 'info' | 'warn' | 'error'>

export type ObservedRequest = {
  method: string
  /** The pattern of its route, with placeholders for what differs between merchants; `none` if it has no route. */
  route: string
  /** 499 if the client left before the answer was sent. */
  status: number
  /** In milliseconds, until the answer was sent. */
  duration: number
}

export type ObservedTransfer = {
  merchant: string
  option: string
  outcome: 'accepted' | 'repeated' | 'refused'
  problem?: ProblemCode | undefined
  mistakes: ValidationErrorCode[]
  /** In milliseconds, until the answer was sent. */
  duration: number
}

export type ProviderCall = 'open' | 'look' | 'cancel' | 'refund'

export type PaymentOutcome =
  | 'paid'
  | 'pending'
  | 'failed'
  | 'ended'
  | 'refunding'
  | 'refunded'
  | 'partly-refunded'
  | 'disputed'

export type Observer = {
  requestBegan: () => void
  requestEnded: (request: ObservedRequest) => void
  refused: (problem: ProblemCode) => void
  transferred: (transfer: ObservedTransfer) => void
  /** The state is that of the checkout. */
  checkoutShown: (merchant: string, state: string) => void
  /** An order was placed here, or reported by the merchant's own shop, for the first time. */
  ordered: (merchant: string, origin: 'placed' | 'reported') => void
  webhookAttempted: (merchant: string, outcome: 'delivered' | 'refused' | 'aborted') => void
  /** The circuit to the merchant's own shop opens as it keeps failing, or closes as it answers again. */
  shopCircuit: (merchant: string, isOpen: boolean) => void
  /** What a provider said of a payment has changed what is known of it; `refunding` is money for no order. */
  paymentSettled: (merchant: string, outcome: PaymentOutcome) => void
  /** The merchant's payment provider could not be asked to do something, or has refused. */
  providerFailed: (merchant: string, call: ProviderCall) => void
  /** The circuit to the merchant's payment provider, likewise. */
  providerCircuit: (merchant: string, isOpen: boolean) => void
  /** In milliseconds. */
  committed: (duration: number) => void
}

const ignore = () => {}

export const noopObserver: Observer = {
  requestBegan: ignore,
  requestEnded: ignore,
  refused: ignore,
  transferred: ignore,
  checkoutShown: ignore,
  ordered: ignore,
  webhookAttempted: ignore,
  shopCircuit: ignore,
  paymentSettled: ignore,
  providerFailed: ignore,
  providerCircuit: ignore,
  committed: ignore
}

/** @param name the same for every request */
export type Trace = <T>(name: string, work: () => Promise<T>) => Promise<T>

export const untraced: Trace = (_name, work) => work()

export type TracedRequest = { method: string; route: string | undefined; headers: IncomingHttpHeaders }

export type RequestSpan = {
  /** Runs work as a part of the request; so does what listens to these emitters from here on. */
  run: (emitters: EventEmitter[], work: () => void) => void
  /** @param problem the code of its refusal */
  end: (status: number | undefined, problem: string | undefined) => void
}

export type Tracing = {
  /** Begins the span of a request, in the trace that its headers name, if any. The route has no values in it. */
  beginRequest: (request: TracedRequest) => RequestSpan
  /** A part of what is traced at the moment. If nothing is, it is not traced either. */
  part: Trace
}

/** @returns the same functions; each call is traced, as `store addCheckout` for example */
export function traceCalls<T extends object>(name: string, parts: T, trace: Trace): T {
  const traced = Object.entries(parts).map(([method, call]) => [
    method,
    (...args: unknown[]) => trace(`${name} ${method}`, () => call(...args))
  ])
  return Object.fromEntries(traced)
}

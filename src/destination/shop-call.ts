// Calls to a shop: with a time limit and behind a circuit breaker, so that a dead shop makes nobody wait. Its JSON is read
// without quoting what is wrong, as an answer can hold a session, and long lists are asked for in parts, as one bag must not
// become hundreds of requests at once.
import type { Logger } from 'pino'
import type { Cart } from '../cart/cart.ts'
import type { Observer } from '../observer.ts'
import type { Fetch } from '../outgoing/http-client.ts'
import {
  CartRefused,
  type Destination,
  type ReadHandover,
  readHandover,
  type ShopAccess,
  ShopDown,
  ShopFailed
} from './destination.ts'

/** In a row: then the circuit opens. */
const MAX_FAILURES = 5
/** In milliseconds. */
const PAUSE = 10_000

const CUT = ['ECONNRESET', 'EPIPE']

export type OwnShop = {
  /**
   * @throws CartRefused as the shop says
   * @throws ShopFailed if it failed, took too long or answered nonsense, or if the circuit is open
   */
  open: (cart: Cart, key: string) => Promise<ReadHandover>
}

type ShopSettings = { destination: Destination; settings: { timeoutSeconds: number }; secret?: string }
type ConnectParts = Pick<ShopAccess, 'fetch' | 'clock'> & {
  logger: Pick<Logger, 'info' | 'warn'>
  observer: Pick<Observer, 'shopCircuit'>
}

export function connectShop(
  { id, destination: leadsTo }: { id: string; destination?: ShopSettings },
  { fetch, clock, logger, observer }: ConnectParts
): { ownShop?: OwnShop } {
  if (!leadsTo) return {}
  const { destination, settings, secret } = leadsTo
  const { timeoutSeconds } = settings
  const about = { merchant: id, destination: destination.name }
  const seconds = PAUSE / 1000
  let lastFailure = ''
  const circuitOpen = () =>
    new ShopFailed(`circuit open for ${seconds} s after ${MAX_FAILURES} failures in a row; the last: ${lastFailure}`)
  /** The library, with its 28 modules, is loaded with the first cart. */
  const makeBreaker = async () => {
    const { CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } = await import('cockatiel')
    const breaker = circuitBreaker(handleAll, { halfOpenAfter: PAUSE, breaker: new ConsecutiveBreaker(MAX_FAILURES) })
    breaker.onBreak(() => {
      observer.shopCircuit(id, true)
      logger.warn({ ...about, seconds, reason: lastFailure }, 'shop keeps failing; circuit open, bags get 503')
    })
    breaker.onReset(() => {
      observer.shopCircuit(id, false)
      logger.info(about, 'shop answers again')
    })
    // After a pause one cart tries the shop. The breaker alone would make the others wait for the outcome.
    return { breaker, isTrying: () => breaker.state === CircuitState.HalfOpen }
  }
  /** A refusal or nonsense is an answer: the shop is up. */
  const open = async (cart: Cart, key: string): Promise<ReadHandover | CartRefused | ShopFailed> => {
    const signal = AbortSignal.timeout(timeoutSeconds * 1000)
    try {
      const access = { settings, key, signal, fetch, clock, ...(secret !== undefined && { secret }) }
      return readHandover(await destination.open(cart, access), clock())
    } catch (error) {
      if (error instanceof CartRefused) return error
      const failure = signal.aborted ? new ShopDown(`no answer within ${timeoutSeconds} s`) : failureOf(error)
      if (!(failure instanceof ShopDown)) return failure
      lastFailure = failure.message
      throw failure
    }
  }
  let making: ReturnType<typeof makeBreaker> | undefined
  return {
    ownShop: {
      open: async (cart, key) => {
        making ??= makeBreaker()
        const { breaker, isTrying } = await making
        if (isTrying()) throw circuitOpen()
        const answer = await breaker
          .execute(() => open(cart, key))
          .catch(error => {
            // Any other error is the breaker's own: the circuit is open.
            throw error instanceof ShopDown ? error : circuitOpen()
          })
        if (answer instanceof Error) throw answer
        return answer
      }
    }
  }
}

function failureOf(error: unknown): ShopFailed {
  if (error instanceof ShopFailed) return error
  const { cause: { code } = {}, message } = error as { cause?: { code?: string }; message: string }
  if (code === undefined) return new ShopFailed(message)
  const isCut = CUT.includes(code)
  return new ShopDown(isCut ? `it closed the connection before it answered (${code})` : `no connection: ${code}`)
}

type ShopCall = {
  headers?: Record<string, string>
  /** JSON to POST; without it, the call is a GET. */
  body?: string
  signal: AbortSignal
  /** A status other than 2xx whose JSON is read as well. */
  reads?: number
  /** What the operator could look for if a status is refused. */
  hints?: Record<number, string>
}

/** Of an answer: ten times that of the largest cart. */
const MAX_BYTES = 4 * 1024 * 1024

const REDIRECTS = [301, 302, 303, 307, 308]

/** @throws ShopDown for 5xx, ShopFailed for any other status, and for what is not JSON or too much of it */
export async function callShop(
  fetch: Fetch,
  url: string | URL,
  { headers, body, signal, reads, hints }: ShopCall
): Promise<{ status: number; headers: Headers; json: unknown }> {
  const sent = body === undefined ? {} : { method: 'POST', body }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const all = { accept: 'application/json', 'user-agent': 'cart-transfer', ...type, ...headers }
  const response = await fetch(url, { ...sent, headers: all, signal })
  const { status } = response
  if (!response.ok && status !== reads) {
    // The body is not read; cancelling it frees the connection.
    response.body?.cancel().catch(() => {})
    const Failure = status >= 500 ? ShopDown : ShopFailed
    const hint = REDIRECTS.includes(status) ? '; redirects are not followed' : (hints?.[status] ?? '')
    throw new Failure(`it answered ${status}${hint}`)
  }
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > MAX_BYTES) throw new ShopFailed(`its answer has more than ${MAX_BYTES} bytes`)
    chunks.push(chunk)
  }
  try {
    return { status, headers: response.headers, json: JSON.parse(Buffer.concat(chunks).toString()) }
  } catch {
    throw new ShopFailed(`it answered ${status} with something that is not JSON`)
  }
}

/** Requests of one bag that a shop gets at once. */
const AT_ONCE = 4

/** Asks about each part, and stops at the first failure. @returns the answers, in the order of the parts */
export async function askInTurns<Part, Answer>(parts: Part[], ask: (part: Part) => Promise<Answer>): Promise<Answer[]> {
  const answers: Answer[] = []
  for (const some of batchesOf(parts, AT_ONCE)) answers.push(...(await Promise.all(some.map(ask))))
  return answers
}

export function batchesOf<T>(list: T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size))
}

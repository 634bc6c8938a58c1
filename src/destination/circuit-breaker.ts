// A merchant's own shop, called with a time limit and behind a circuit breaker, so that a dead shop makes nobody wait.
// Answers never count as failures, whatever they are: one shopper's cart must not close the shop to all.
import type { Logger } from 'pino'
import type { Cart } from '../cart/cart.ts'
import type { Observer } from '../observer.ts'
import { CartRefused, type Destination, type ShopAccess, ShopDown, ShopFailed } from './destination.ts'
import { type ReadHandover, readHandover } from './handover.ts'

/** Failures in a row after which the circuit opens, and for how long, in milliseconds. */
const MAX_FAILURES = 5
const PAUSE = 10_000

/** Codes of errors by which a connection ends before its answer. */
const CUT = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']

export type OwnShop = {
  /**
   * @throws CartRefused as the shop says
   * @throws ShopFailed if it failed, took too long or answered nonsense, or if the circuit is open
   */
  open: (cart: Cart, key: string) => Promise<ReadHandover>
}

/** A merchant whose carts may lead to a destination. */
type ConnectedMerchant = {
  id: string
  destination?: { destination: Destination; settings: { timeoutSeconds: number }; secret?: string }
}

type ConnectParts = Pick<ShopAccess, 'fetch' | 'clock'> & {
  logger: Pick<Logger, 'info' | 'warn'>
  observer: Pick<Observer, 'shopCircuit'>
}

/** Connects a merchant with its own shop, if its carts lead there. */
export function connectShop(
  { id, destination: leadsTo }: ConnectedMerchant,
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
  /** Loads the library with the first cart: a start without one does without its 28 modules. */
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
    // After a pause one cart asks the shop. The breaker would let the others wait for what becomes of it.
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
            // Any other is the breaker's own.
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

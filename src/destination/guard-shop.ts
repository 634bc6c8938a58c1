// Calls a shop with a time limit, and leaves it alone for a while after it was down several times in a row, so that a
// dead shop makes nobody wait. Answers never count, whatever they are: one shopper's cart must not close it to all.
import type { Cart } from '../cart/cart.ts'
import type { ShopClient } from './destination.ts'
import { type ReadHandover, readHandover } from './read-handover.ts'
import { CartRefused, ShopDown, ShopFailed } from './shop-errors.ts'

/** Failures in a row after which the shop is left alone, and for how long, in milliseconds. */
const MAX_FAILURES = 5
const PAUSE = 10_000

export type GuardedShop = {
  /**
   * @throws CartRefused as the shop says
   * @throws ShopFailed if it failed, took too long or answered nonsense, or is being left alone
   */
  open: (cart: Cart, key: string) => Promise<ReadHandover>
}

export type GuardOptions = {
  /** How long a shop may take, in milliseconds. */
  timeout: number
  /** How long it is left alone, in milliseconds. */
  pause?: number
  clock: () => Date
  /** Told when the shop begins to be left alone, with the last failure, and when it answers again. */
  onPause: (milliseconds: number, reason: string) => void
  onRecovery: () => void
}

/** Codes of errors by which a connection ends before its answer. */
const CUT = ['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']

/** Loads the library with the first cart: a start without one does without its 28 modules. */
async function makeBreaker(pause: number, onPause: () => void, onRecovery: () => void) {
  const { CircuitState, ConsecutiveBreaker, circuitBreaker, handleAll } = await import('cockatiel')
  const breaker = circuitBreaker(handleAll, { halfOpenAfter: pause, breaker: new ConsecutiveBreaker(MAX_FAILURES) })
  breaker.onBreak(onPause)
  breaker.onReset(onRecovery)
  return {
    breaker,
    // After a pause one cart asks the shop. The breaker would let the others wait for what becomes of it.
    isTrying: () => breaker.state === CircuitState.HalfOpen
  }
}

type FetchError = { cause?: { code?: string }; message: string }

export function guardShop(client: ShopClient, options: GuardOptions): GuardedShop {
  const { timeout, pause = PAUSE, clock, onPause, onRecovery } = options
  let making: ReturnType<typeof makeBreaker> | undefined
  let lastFailure = ''
  const leftAlone = () =>
    new ShopFailed(`left alone for ${pause / 1000} s after ${MAX_FAILURES} failures in a row; the last: ${lastFailure}`)
  const explain = (error: FetchError, { aborted }: AbortSignal): ShopFailed => {
    if (aborted) return new ShopDown(`no answer within ${timeout / 1000} s`)
    const { cause: { code } = {}, message } = error
    if (code === undefined) return new ShopFailed(message)
    const isCut = CUT.includes(code)
    return new ShopDown(isCut ? `it closed the connection before it answered (${code})` : `no connection: ${code}`)
  }
  /** A refusal or nonsense is an answer: the shop is up. */
  const open = async (cart: Cart, key: string): Promise<ReadHandover | CartRefused | ShopFailed> => {
    const signal = AbortSignal.timeout(timeout)
    try {
      return readHandover(await client.open(cart, key, signal), clock())
    } catch (error) {
      if (error instanceof CartRefused) return error
      const failure = error instanceof ShopFailed ? error : explain(error as FetchError, signal)
      if (!(failure instanceof ShopDown)) return failure
      lastFailure = failure.message
      throw failure
    }
  }
  return {
    open: async (cart, key) => {
      making ??= makeBreaker(pause, () => onPause(pause, lastFailure), onRecovery)
      const { breaker, isTrying } = await making
      if (isTrying()) throw leftAlone()
      const answer = await breaker
        .execute(() => open(cart, key))
        .catch(error => {
          // Any other is the breaker's own.
          throw error instanceof ShopDown ? error : leftAlone()
        })
      if (answer instanceof Error) throw answer
      return answer
    }
  }
}

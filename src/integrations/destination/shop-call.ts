// Calls to a shop: with a time limit, and with a share of the process, so that a slow shop takes nothing from the others; of a
// shop that only fails, the circuit opens, and few wait for it. Its JSON is read without quoting what is wrong, as an answer can
// hold a session, and long lists are asked for in parts, as one bag must not become hundreds of requests at once.
import type { Cart } from '../../cart/cart.ts'
import { quote } from '../../cart/read-cart.ts'
import type { Log, Observer } from '../../observer.ts'
import { maxBody } from '../../transfer/option.ts'
import { openCircuit } from '../outgoing/circuit.ts'
import type { Fetch } from '../outgoing/http-client.ts'
import {
  CartRefused,
  cartDifferences,
  type Destination,
  type ReadHandoff,
  readHandoff,
  ShopDown,
  ShopFailed
} from './destination.ts'
import { readJsonText } from './shop-json.ts'
import { withPageParameters } from './shop-page.ts'

/** What an open circuit lets through: bags at a time, and lines of each but the only one. The first that is answered closes it. */
const TRIALS = 20
const TRIAL_LINES = 50
const TRIAL_BYTES = maxBody(TRIAL_LINES)

/** Lines for which a bag takes one more place of `maxInProgress`: long ones take the memory of many. */
const LINES_A_PLACE = 100

/** Lines for which a shop has a second more. */
const LINES_A_SECOND = 100
/** In seconds, whatever the bag: a stop waits 15 for what is in progress. */
const MAX_SECONDS = 14

export type OwnShop = {
  /** Why a bag of so many bytes need not be read: reading it costs as much as a hundred small ones. */
  reasonNotToRead: (bytes: number) => string | undefined
  /**
   * Does the work with a cart if the shop has room for one more, until which nothing of it should be kept.
   * @throws ShopFailed if it has not
   */
  admit: <T>(cart: Cart, work: () => Promise<T>) => Promise<T>
  /**
   * @returns what the shop answers, and an address by which its page learns of codes that were refused
   * @throws CartRefused as the shop says
   * @throws ShopFailed if it failed, took too long or answered nonsense
   */
  open: (cart: Cart, key: string) => Promise<ReadHandoff>
  isCircuitOpen: () => boolean
}

export type ShopLimits = { timeoutSeconds: number; maxInProgress: number }

type ShopSettings = { adapter: Destination; settings: ShopLimits; secret?: string }
type ConnectParts = {
  fetch: Fetch
  clock: () => Date
  logger: Log
  observer: Observer
}

export function connectShop(
  { id, destination: leadsTo }: { id: string; destination?: ShopSettings },
  { fetch, clock, logger, observer }: ConnectParts
): OwnShop | undefined {
  if (!leadsTo) return undefined
  const { adapter, settings, secret } = leadsTo
  const about = { merchant: id, destination: adapter.name }
  let inProgress = 0
  const circuit = openCircuit(clock, (isOpen, reason) => {
    observer.shopCircuit(id, isOpen)
    if (isOpen) logger.warn({ ...about, reason }, 'shop keeps failing; circuit open, carts get 503')
    else logger.info(about, 'shop answers again')
  })
  const noRoomFor = (isLarge: boolean): string | undefined => {
    if (circuit.isOpen() && inProgress > 0 && (inProgress >= TRIALS || isLarge)) {
      const tries = `${TRIALS} bags of up to ${TRIAL_LINES} lines, or one of any size, at a time try the shop`
      return `circuit open: ${tries} until it answers; the last failure: ${circuit.reason()}`
    }
    const { maxInProgress: most } = settings
    return inProgress >= most ? `it has as many bags as maxInProgress allows (${most})` : undefined
  }
  return {
    reasonNotToRead: bytes => (bytes > TRIAL_BYTES ? noRoomFor(true) : undefined),
    admit: async ({ items }, work) => {
      const reason = noRoomFor(items.length > TRIAL_LINES)
      if (reason) throw new ShopFailed(reason)
      const places = 1 + Math.floor(items.length / LINES_A_PLACE)
      inProgress += places
      try {
        return await work()
      } finally {
        inProgress -= places
      }
    },
    open: async (cart, key) => {
      const more = Math.floor(cart.items.length / LINES_A_SECOND)
      const seconds = Math.min(settings.timeoutSeconds + more, MAX_SECONDS)
      const signal = AbortSignal.timeout(seconds * 1000)
      const access = { settings, signal, fetch, clock, ...(secret !== undefined && { secret }) }
      try {
        const ask = async (sent: Cart, key: string) =>
          readHandoff(await adapter.open(sent, { ...access, key }), clock())
        const { refusedCodes = [], ...handover } = await openWithCodes(ask, cart, key)
        circuit.answered()
        if (refusedCodes.length > 0) {
          const said = refusedCodes.map(({ code, detail = '' }) => `${quote(code)}: ${detail.slice(0, MAX_SAID)}`)
          logger.warn({ ...about, reference: cart.reference, refusedCodes: said }, 'shop refused discount codes')
        }
        const { description } = handover
        const parameters = refusedCodes.map(({ code }): [string, string] => ['refused_code', code])
        return { ...handover, description: withPageParameters(description, parameters) }
      } catch (error) {
        const isLate = signal.aborted && !(error instanceof CartRefused)
        const failure = isLate ? new ShopDown(`no answer within ${seconds} s`) : failureOf(error)
        if (failure instanceof ShopDown) circuit.failed(failure.message)
        else circuit.answered()
        throw failure
      }
    },
    isCircuitOpen: circuit.isOpen
  }
}

/** What is logged of a shop's words about a code, in characters. */
const MAX_SAID = 200

/** A code may change what is in the shop's cart, as one that adds a gift does: then a new cart is made, without codes. */
async function openWithCodes(
  ask: (cart: Cart, key: string) => Promise<ReadHandoff>,
  cart: Cart,
  key: string
): Promise<ReadHandoff> {
  const { codes, ...others } = cart
  const handover = await ask(cart, key)
  if (!codes || cartDifferences(cart, handover).length === 0) return handover
  const detail = 'with it, the cart is not what was sent'
  return { ...(await ask(others, `${key}-no-codes`)), refusedCodes: codes.map(code => ({ code, detail })) }
}

export function failureOf(error: unknown): Error {
  if (error instanceof ShopFailed || error instanceof CartRefused) return error
  const { cause: { code } = {}, message } = error as { cause?: { code?: string }; message: string }
  if (code === undefined) return new ShopFailed(message)
  const isCut = ['ECONNRESET', 'EPIPE'].includes(code)
  const what = isCut ? `it closed the connection before it answered (${code})` : `no connection: ${code}`
  return new ShopDown(what, { madeNothing: UNREACHED.includes(code) })
}

/** Errors of a connection that has not been made. */
const UNREACHED = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']

type ShopCall = {
  headers?: Record<string, string>
  /** Lines of a cart that the answer holds. */
  lines?: number
  /** JSON to POST; without it, the call is a GET. */
  body?: string
  signal: AbortSignal
  /** A status other than 2xx whose JSON is read as well. */
  reads?: number
  /** Whether a redirect is an answer, too, and headers are all that is read of any. */
  headersOnly?: boolean
  /** What the operator could look for if an answer with this status is refused. */
  hints?: Record<number, string>
}

/**
 * Of an answer, in bytes: for any request, for each byte that was sent (a search finds more than it asks for), for each line of a
 * cart, and at most.
 */
const BASE_ANSWER = 128 * 1024
const ANSWER_RATIO = 500
const LINE_ANSWER = 1024
const MAX_ANSWER = 1024 * 1024

const REDIRECTS = [301, 302, 303, 307, 308]

/** By which a proxy says that it has lost the shop, which may have done what it was asked. */
const LOST = [502, 504, 520, 524]

/** What a cart carries that has come from a server of this kind: a shop that sends it back would begin a loop. */
export const HOP_HEADER = 'cart-transfer-hop'

/** @throws ShopDown for 5xx, ShopFailed for any other status, and for what is not JSON or too much of it */
export async function callShop(
  fetch: Fetch,
  url: string | URL,
  { headers, lines = 0, body, signal, reads, headersOnly = false, hints }: ShopCall
): Promise<{ status: number; headers: Headers; json: unknown }> {
  const sent = body === undefined ? {} : { method: 'POST', body }
  const type = body === undefined ? {} : { 'content-type': 'application/json' }
  const all = { accept: 'application/json', 'user-agent': 'cart-transfer', [HOP_HEADER]: '1', ...type, ...headers }
  const response = await fetch(url, { ...sent, headers: all, signal })
  const { status } = response
  const isRedirect = REDIRECTS.includes(status)
  const isAnswer = response.ok || status === reads || (headersOnly && isRedirect)
  // A body that is not read is cancelled, which frees the connection.
  if (headersOnly || !isAnswer) response.body?.cancel().catch(() => {})
  if (!isAnswer) {
    const Failure = status >= 500 ? ShopDown : ShopFailed
    const hint = isRedirect ? `; redirects are not followed${placeOf(response, url)}` : (hints?.[status] ?? '')
    const madeNothing = !LOST.includes(status)
    throw new Failure(`it answered ${status}${hint}`, { retryAfter: retryAfter(response), madeNothing })
  }
  if (headersOnly) return { status, headers: response.headers, json: undefined }
  const answerRoom = BASE_ANSWER + ANSWER_RATIO * (String(url).length + (body?.length ?? 0)) + LINE_ANSWER * lines
  const room = { maxBytes: Math.min(answerRoom, MAX_ANSWER), maxValues: MAX_VALUES }
  const text = await readJsonText(response, room, problem => new ShopFailed(`its answer ${problem}`))
  try {
    return { status, headers: response.headers, json: JSON.parse(text) }
  } catch {
    throw new ShopFailed(`it answered ${status} with something that is not JSON${hints?.[status] ?? ''}`)
  }
}

/** Where a redirect leads, for the log; a query could hold a secret. */
function placeOf({ headers }: Response, url: string | URL): string {
  const location = headers.get('location')
  const to = location === null ? null : URL.parse(location, String(url))
  return to ? `, and this one leads to ${to.origin}${to.pathname}` : ''
}

/** In seconds; WooCommerce has a header of its own for it. */
export function retryAfter({ headers }: Pick<Response, 'headers'>): number | undefined {
  const seconds = Number(headers.get('ratelimit-retry-after') ?? headers.get('retry-after'))
  return Number.isInteger(seconds) && seconds > 0 ? Math.min(seconds, 3600) : undefined
}

/** So many keys of one object hold the loop for some 16 ms. */
const MAX_VALUES = 32_768

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

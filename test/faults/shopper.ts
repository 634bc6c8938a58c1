// Sends a bag and places its order as an app does, and notes in the ledger what was answered. Everything that the answer
// must show is checked at once.

import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cart } from '../../src/cart/cart.ts'
import { ADA, type Form, formOf, titleOf } from '../pages/shopper.ts'
import { linesIn, mistakesIn } from '../transfer/answers.ts'
import { until } from '../until.ts'
import { type Entry, emailOf, type Ledger, linesText, type Outcome } from './bags.ts'

/** What a refusal may be while the store or the provider is out of reach: for a bag, for an order, and after paying. */
const REFUSALS = {
  transfer: ['store-unavailable', 'overloaded'],
  order: ['order-not-placed', 'order-uncertain'],
  paid: ['payment-unknown', 'store-unavailable', 'overloaded']
}

export function checkoutPath({ shop }: Entry, token: string): string {
  return `/${shop.id}/checkout/${token}`
}

/** Sends a bag. @returns whether it was taken */
export async function sendBag(client: Client, ledger: Ledger, entry: Entry): Promise<boolean> {
  const { shop, cart } = entry
  const answer = await attempt(client, ledger, transferOf(entry), outcome => {
    entry.transfer = outcome
  })
  if (!answer) return false
  const token = [200, 303].includes(answer.status) ? tokenIn(answer, cart) : undefined
  if (token !== undefined) {
    entry.transfer = 'answered'
    entry.token = token
    return true
  }
  entry.transfer = problemFrom(answer)
  const form = shop.option.answer === 'description' ? 'application/problem+json' : 'text/html'
  if (!isRefusal(answer, REFUSALS.transfer, form)) ledger.wrong.push(wrongAnswer('bag', entry, answer))
  return false
}

/** Opens the page of a bag that was taken, and places the order, or pays for it. */
export async function placeOrder(client: Client, ledger: Ledger, entry: Entry): Promise<void> {
  const form = await openForm(client, ledger, entry)
  if (form) await submitForm(client, ledger, entry, form)
  if (entry.payAt !== undefined) await pay(client, ledger, entry)
}

/** @returns the form of the page, if there is an answer */
export async function openForm(client: Client, ledger: Ledger, entry: Entry): Promise<Form | undefined> {
  const path = checkoutPath(entry, String(entry.token))
  const page = await attempt(client, ledger, { method: 'GET', path }, () => {})
  if (!page) return undefined
  const form = page.status === 200 ? formOf(page.body) : undefined
  if (form && linesText(linesIn(page.body)) === linesText(entry.cart.items)) return form
  if (!isRefusal(page, REFUSALS.transfer, 'text/html')) ledger.wrong.push(wrongAnswer('page', entry, page))
  return undefined
}

export async function submitForm(
  client: Client,
  ledger: Ledger,
  entry: Entry,
  form: Form,
  typed: Record<string, string> = {}
): Promise<void> {
  const body = `${new URLSearchParams({ ...form.fields, ...ADA, email: emailOf(entry.n), ...typed })}`
  const sent = { method: 'POST', path: form.action, headers: FORM, body }
  const answer = await attempt(client, ledger, sent, outcome => {
    entry.order = outcome
  })
  if (!answer || noteOrder(entry, answer)) return
  const { status, headers, body: page } = answer
  const { location = '' } = headers
  if (status === 303 && URL.canParse(location)) {
    Object.assign(entry, { order: 'unanswered', payAt: location } satisfies Partial<Entry>)
    return
  }
  entry.order = problemFrom(answer)
  const isUnpaid = [429, 503].includes(status) && /Nothing was charged|You won’t be charged twice/.test(page)
  if (!isUnpaid && !isRefusal(answer, REFUSALS.order, 'text/html'))
    ledger.wrong.push(wrongAnswer('order', entry, answer))
}

/** Pays on the provider's page, and comes back. */
export async function pay(client: Client, ledger: Ledger, entry: Entry, action = 'pay'): Promise<void> {
  const back = await press(String(entry.payAt), action)
  // Otherwise it leads to itself: there is nothing to pay any more.
  if (URL.canParse(back)) await comeBack(client, ledger, entry, back)
}

/** How long the provider's page may take, in milliseconds. */
export const PAGE_PATIENCE = 5000

/** Presses a button of the provider's page. @returns where it leads, if there is an answer */
export async function press(page: string, action: string): Promise<string> {
  const body = new URLSearchParams({ action })
  const signal = AbortSignal.timeout(PAGE_PATIENCE)
  const answer = await fetch(page, { method: 'POST', body, redirect: 'manual', signal }).catch(() => undefined)
  await answer?.body?.cancel()
  return answer?.headers.get('location') ?? ''
}

/** Comes back from the provider's page, having paid. */
export async function comeBack(
  client: Client,
  ledger: Ledger,
  entry: Entry,
  address: string,
  isRight: (answer: Answer) => boolean = () => false
): Promise<void> {
  const { pathname, search } = new URL(address)
  const answer = await attempt(client, ledger, { method: 'GET', path: pathname + search }, () => {})
  if (!answer || isRight(answer) || noteOrder(entry, answer)) return
  if (!isRefusal(answer, REFUSALS.paid, 'text/html')) ledger.wrong.push(wrongAnswer('return', entry, answer))
}

/** Notes the order that an answer leads to. @returns whether it does */
export function noteOrder(entry: Entry, { status, headers, body }: Answer): boolean {
  // Who has ordered already is shown the way there.
  const [, link = ''] = status === 409 ? (/href="(\/[^"]*\/complete[^"]*)"/.exec(body) ?? []) : []
  const [confirmation, number] = /^\/.*\/complete\?order=([^&]+)/.exec(headers.location ?? link) ?? []
  if (confirmation === undefined || number === undefined) return false
  Object.assign(entry, { order: 'answered', confirmation, number } satisfies Partial<Entry>)
  return true
}

/** The request that sends a bag by the option of its shop. */
function transferOf({ shop, cart }: Entry): Sent {
  const { method, url, headers, body } = shop.option.request(cart, `/${shop.id}/cart`)
  return {
    method,
    path: url,
    headers: Object.fromEntries(headers.map(({ name, value }) => [name, value])),
    ...(body !== undefined && { body })
  }
}

/** @returns undefined if there is no answer, once that is noted */
async function attempt(
  client: Client,
  ledger: Ledger,
  sent: Sent,
  note: (outcome: Outcome) => void
): Promise<Answer | undefined> {
  const asked = performance.now()
  try {
    return await client.ask(sent)
  } catch (error) {
    if (!(error instanceof NotAnswered)) throw error
    if (error.isLate) ledger.wrong.push(`${sent.method} ${sent.path}: ${error.message}`)
    note(error.isUnsent ? 'unsent' : 'unanswered')
    return undefined
  } finally {
    ledger.longest = Math.max(ledger.longest, performance.now() - asked)
  }
}

/** The token that an answer leads to, if it is the right answer to this cart. */
function tokenIn({ status, headers, body }: Answer, { items }: Cart): string | undefined {
  // What is at the address is checked when its page is opened.
  if (status === 303) return /\/checkout\/([\w-]+)/.exec(String(headers.location))?.[1]
  if (body.startsWith('{')) return /"body":"token=([\w-]+)"/.exec(body)?.[1]
  return linesText(linesIn(body)) === linesText(items)
    ? formOf(body)?.action.split('/').at(-1)?.split('?')[0]
    : undefined
}

function problemFrom({ body }: Answer): Outcome {
  return body.includes('whether anything was taken is unknown') ? 'uncertain' : 'refused'
}

/** Whether an answer says what it must while the store is out of reach: that nothing was taken, and when to come again. */
function isRefusal({ status, headers, body }: Answer, codes: string[], form: string): boolean {
  const isComplete = headers['retry-after'] !== undefined && headers['content-type']?.startsWith(form)
  return status === 503 && isComplete === true && mistakesIn(body).some(code => codes.includes(code))
}

function wrongAnswer(what: string, { n }: Entry, { status, body }: Answer): string {
  return `${what} ${n} was answered ${status}: ${titleOf(body) || body.slice(0, 300)}`
}

export type Answer = { status: number; headers: IncomingHttpHeaders; body: string }

export type Sent = { method: string; path: string; headers?: Record<string, string>; body?: string }

export type Client = {
  /** Resolves once the answer is there as a whole. @throws NotAnswered */
  ask: (sent: Sent) => Promise<Answer>
  close: () => void
}

/** The connection broke before the answer was there, or the server took too long. */
export class NotAnswered extends Error {
  /** Whether the server cannot have had the request: it did not even take the connection. */
  readonly isUnsent: boolean
  /** Whether the server had the connection and did not use it. */
  readonly isLate: boolean

  constructor(cause: NodeJS.ErrnoException) {
    super(cause.message)
    this.isUnsent = cause.code === 'ECONNREFUSED'
    this.isLate = cause instanceof NoAnswer
  }
}

class NoAnswer extends Error {}

/** Longer than the server lets anything wait, in milliseconds. */
const PATIENCE = 30_000

export const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

export function openClient(origin: string, { keepAlive = true }: { keepAlive?: boolean } = {}): Client {
  const agent = new Agent({ keepAlive, maxSockets: Number.POSITIVE_INFINITY })
  const ask = ({ method, path, headers = {}, body = '' }: Sent) =>
    new Promise<Answer>((resolve, reject) => {
      const lengths = method === 'POST' ? { 'content-length': Buffer.byteLength(body) } : {}
      const url = new URL(path, origin)
      const sending = request(
        url,
        { method, agent, headers: { ...headers, ...lengths }, timeout: PATIENCE },
        response => {
          const chunks: Buffer[] = []
          response
            .on('data', chunk => chunks.push(chunk))
            .on('error', error => reject(new NotAnswered(error)))
            .on('end', () => {
              const { statusCode: status = 0, headers } = response
              resolve({ status, headers, body: Buffer.concat(chunks).toString() })
            })
        }
      )
      sending
        .on('timeout', () => sending.destroy(new NoAnswer(`no answer in ${PATIENCE / 1000} s`)))
        .on('error', error => reject(new NotAnswered(error)))
        .end(body)
    })
  return { ask, close: () => agent.destroy() }
}

const SHOPPERS = 16
/** After something that was not taken, in milliseconds. */
const PAUSE = 10

export type Load = {
  /** Resolves once so many more bags and orders have been answered. */
  more: (answers: number) => Promise<void>
  /** Resolves once no shopper has a request under way. */
  stop: () => Promise<void>
}

export function startLoad(origin: string, ledger: Ledger, shoppers = SHOPPERS): Load {
  const open = (i: number) => {
    const client = openClient(origin, { keepAlive: i % 4 < 2 })
    const shop: Shopper = async (entry, isStopped) => {
      if (!(await sendBag(client, ledger, entry))) return
      if (entry.n % 5 < 3 && !isStopped()) await placeOrder(client, ledger, entry)
    }
    return { shop, close: client.close }
  }
  return startShoppers(ledger, open, shoppers)
}

/** Does with a bag what a shopper does. */
export type Shopper = (entry: Entry, isStopped: () => boolean) => Promise<void>

export function startShoppers(
  ledger: Ledger,
  open: (i: number) => { shop: Shopper; close?: () => void },
  shoppers = SHOPPERS
): Load {
  let isStopped = false
  let answered = 0

  async function goOn({ shop, close }: ReturnType<typeof open>): Promise<void> {
    while (!isStopped) {
      const entry = ledger.next()
      await shop(entry, () => isStopped)
      answered += Number(entry.transfer === 'answered') + Number(entry.order === 'answered')
      if (entry.transfer !== 'answered') await pause(PAUSE)
    }
    close?.()
  }
  const all = Promise.all(Array.from({ length: shoppers }, (_, i) => goOn(open(i))))
  return {
    more: answers => {
      const enough = answered + answers
      return until('the answers', () => answered >= enough)
    },
    stop: async () => {
      isStopped = true
      await all
    }
  }
}

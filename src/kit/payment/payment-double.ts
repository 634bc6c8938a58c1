// A stand-in for Stripe: its API for Checkout, and the page where a shopper pays. No money moves. See README.md for what it is
// worth.
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type Stripe from 'stripe'
import { type CheckoutPayment, checkoutAccount, type PaymentAction } from './checkout-account.ts'
import { type NotificationOptions, stripeNotifications } from './notifications.ts'
import { paymentPage } from './payment-page.ts'
import { readParameters } from './read-parameters.ts'
import { found, RefusedCall } from './refused-call.ts'
import {
  disputeList,
  noParameters,
  refundRequest,
  sessionList,
  sessionLookUp,
  sessionRequest
} from './session-request.ts'
import { API_VERSION, newEvent, newId } from './stripe-objects.ts'

export type PaymentDoubleOptions = {
  /** Any free one by default. */
  port?: number
  clock?: () => Date
  /** A test key, the only one that it takes. */
  secretKey: string
  webhookSecret: string
  /** Where notifications go: `{publicUrl}/payments/stripe`. */
  notify?: () => string | undefined
  shopName?: string
  onAnswer?: NotificationOptions['onAnswer']
}

/**
 * `down`: each request gets a 503. `silent`: no request is answered. `forgetful`: each is carried out, and its answer lost.
 */
export type PaymentOutage = 'down' | 'silent' | 'forgetful'

export type PaymentDouble = Awaited<ReturnType<typeof openPaymentDouble>>

type Answer = { status: number; body: string; isReplayed?: true }
/** What a request leads to; its parameters have been read. @throws RefusedCall */
type Execution = () => object

/** @throws if the key is not one of Stripe's test mode */
export async function openPaymentDouble({
  port = 0,
  clock = () => new Date(),
  secretKey,
  webhookSecret,
  notify = () => undefined,
  onAnswer = () => {},
  shopName
}: PaymentDoubleOptions) {
  if (!/^[sr]k_test_/.test(secretKey))
    throw new Error('The stand-in for Stripe takes a test key only: sk_test_… or rk_test_…')
  let origin = ''
  let outage: PaymentOutage | undefined
  const notifications = stripeNotifications({ notify, webhookSecret, clock, onAnswer })
  const account = checkoutAccount({
    clock,
    origin: () => origin,
    happened: (type, object) => notifications.add(newEvent(type, object, Math.floor(clock().getTime() / 1000)))
  })
  /**
   * By keys of idempotency: what was carried out is answered the same way again, also if it failed
   * (https://docs.stripe.com/api/idempotent_requests). Stripe forgets them after a day, or later.
   */
  const answers = new Map<string, { request: string; form: string; answer: Answer }>()

  /** Reads the parameters. */
  function route(method: string | undefined, path: string, form: string): Execution {
    const [, session = '', verb] = /^\/v1\/checkout\/sessions\/(\w+)(\/expire)?$/.exec(path) ?? []
    const [, intent] = /^\/v1\/payment_intents\/(\w+)$/.exec(path) ?? []
    if (method === 'POST' && path === '/v1/checkout/sessions') {
      const request = readParameters(form, sessionRequest)
      return () => account.open(request).session
    }
    if (session && method === (verb ? 'POST' : 'GET')) {
      const { expand } = readParameters(form, sessionLookUp)
      return () => {
        const payment = found(account.find(session), 'checkout.session', session, 'session')
        if (verb) account.expire(payment)
        return expanded(payment, expand?.[0])
      }
    }
    if (method === 'GET' && path === '/v1/checkout/sessions') {
      const { payment_intent: id, expand } = readParameters(form, sessionList)
      return () => {
        const payment = found(account.findByIntent(id), 'payment_intent', id, 'payment_intent')
        return listOf(path, [expanded(payment, expand?.[0])])
      }
    }
    if (method === 'GET' && path === '/v1/disputes') {
      const { payment_intent: id } = readParameters(form, disputeList)
      return () => listOf(path, found(account.findByIntent(id), 'payment_intent', id, 'payment_intent').disputes)
    }
    if (method === 'GET' && intent) {
      readParameters(form, noParameters)
      return () => found(account.findByIntent(intent)?.intent, 'payment_intent', intent, 'intent')
    }
    if (method === 'POST' && path === '/v1/refunds') {
      const request = readParameters(form, refundRequest)
      return () => account.refund(request)
    }
    throw new RefusedCall(`Unrecognized request URL (${method}: ${path}).`, { status: 404 })
  }

  /** A session with what was asked for in place of its id. */
  function expanded(payment: CheckoutPayment, expand: string | undefined): Stripe.Checkout.Session {
    const { session, intent } = payment
    if (!expand || !intent) return session
    const latest_charge = expand.endsWith('latest_charge') ? (account.chargeOf(payment) ?? null) : intent.latest_charge
    return { ...session, payment_intent: { ...intent, latest_charge } }
  }

  /** @throws RefusedCall */
  function answerApi({ method, headers }: IncomingMessage, { pathname, search }: URL, body: string): Answer {
    checkHeaders(headers, secretKey)
    const request = `${method} ${pathname}`
    const form = method === 'GET' ? search.slice(1) : body
    const key = method === 'POST' ? headers['idempotency-key'] : undefined
    const known = key === undefined ? undefined : answers.get(String(key))
    if (known?.request === request && known.form === form) return { ...known.answer, isReplayed: true }
    if (known) {
      const what = known.request === request ? 'with the same parameters' : 'for the same endpoint'
      throw new RefusedCall(
        `Keys for idempotent requests can only be used ${what} they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`,
        { type: 'idempotency_error' }
      )
    }
    const execution = route(method, pathname, form)
    const answer = answerOf(() => ({ status: 200, body: JSON.stringify(execution()) }))
    if (key !== undefined) answers.set(String(key), { request, form, answer })
    return answer
  }

  async function respond(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const body = Buffer.concat(await request.toArray()).toString()
    const address = new URL(String(request.url), origin)
    const { pathname } = address
    if (outage === 'silent') return undefined
    if (outage === 'down') return response.writeHead(503).end()
    if (pathname.startsWith('/v1/')) {
      const { status, body: json, isReplayed } = answerOf(() => answerApi(request, address, body))
      if (outage === 'forgetful') return response.destroy()
      const headers = {
        'content-type': 'application/json',
        'request-id': newId('req_', 14),
        'stripe-version': API_VERSION
      }
      return response.writeHead(status, { ...headers, ...(isReplayed && { 'idempotent-replayed': 'true' }) }).end(json)
    }
    const [, id = ''] = /^\/c\/pay\/(\w+)$/.exec(pathname) ?? []
    const payment = account.find(id)
    if (!payment) return response.writeHead(404, { 'content-type': 'text/plain' }).end('No such page.')
    const actions = account.actionsOf(payment)
    if (request.method === 'POST') {
      const action = actions.find(action => action === new URLSearchParams(body).get('action'))
      if (action) account.act(payment, action)
      // Stripe, too, first tells the shop, and does not wait for it for more than ten seconds.
      await notifications.settled()
      const isDone = action === 'pay' || action === 'pay-later'
      return response.writeHead(303, { location: isDone ? successUrl(payment) : pathname }).end()
    }
    const { html, policy } = paymentPage({ ...payment, actions, successUrl: successUrl(payment), shopName })
    const headers = {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'cache-control': 'no-store'
    }
    return response
      .writeHead(200, { ...headers, 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' })
      .end(html)
  }

  const server = createServer((request, response) => {
    // A client that has gone away gets no answer.
    respond(request, response).catch(() => response.destroy())
  })
  await once(server.listen(port, '127.0.0.1'), 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    notifications,
    /** All that it knows, oldest first; whoever changes it falsifies what Stripe says. */
    payments: (): CheckoutPayment[] => [...account.payments.values()],
    /** Does what shopper or bank would. @param id of the session @throws if that cannot be done now */
    act: (id: string, action: PaymentAction): void =>
      account.act(found(account.find(id), 'checkout.session', id, 'session'), action),
    /** Sends a part back, as on Stripe's own pages. @throws RefusedCall */
    refund: (id: string, amount: number): void =>
      void account.sendBack(found(account.find(id), 'checkout.session', id, 'session'), amount),
    /** Ends the sessions that the clock has ended; every request does that first. */
    expireDue: account.expireDue,
    /** Until it is called without. */
    fail: (how?: PaymentOutage) => {
      outage = how
    },
    close: async (): Promise<void> => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    }
  }
}

function listOf(url: string, data: object[]) {
  return { object: 'list', data, has_more: false, url }
}

function successUrl({ session }: CheckoutPayment): string {
  return String(session.success_url).replaceAll('{CHECKOUT_SESSION_ID}', session.id)
}

function answerOf(run: () => Answer): Answer {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof RefusedCall)) throw error
    return { status: error.status, body: JSON.stringify({ error: error.details }) }
  }
}

/** @throws RefusedCall */
function checkHeaders({ authorization, 'stripe-version': version }: IncomingHttpHeaders, secretKey: string): void {
  if (authorization !== `Bearer ${secretKey}` && authorization !== `Basic ${btoa(`${secretKey}:`)}`) {
    throw new RefusedCall('Invalid API Key provided', { status: 401 })
  }
  if (version === API_VERSION) return
  throw new RefusedCall(`Invalid Stripe API version: ${version}. This stand-in plays ${API_VERSION}.`)
}

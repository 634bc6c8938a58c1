// What the simulator page shows of a transfer: its steps in plain words, for people who have never read the contract.
import { STATUS_CODES } from 'node:http'
import { curlLine, TRANSPORT_HEADERS } from '../../transfer/curl-command.ts'
import { MAX_URL, type TransferOption, type WebHeader, type WebRequest } from '../../transfer/option.ts'
import type { DescribedField } from '../client/app-request.ts'
import { headerValue, responseText, type WebResponse } from '../client/send-request.ts'
import type { Sender, Step } from '../client/simulate-transfer.ts'
import type { SeenMessage } from '../fault-injection/fault-injection.ts'

export type RequestView = ReturnType<typeof requestView>

export type StepView = {
  /** Where on the way it happens; absent for a failure on the leg of the step before it. */
  leg?: Leg
  title: string
  says: string
  isFailure?: boolean
  /** Nothing is expected to follow it. */
  isLast?: boolean
  request?: RequestView
  answer?: ReturnType<typeof responseView>
  described?: DescribedField[]
}

/** In characters. */
const MAX_TEXT = 20_000

/** Who sends the first request, if it is not the option's own: the shopper by what is pressed, or who has edited it. */
export type FirstSender = Sender | 'shopper'

type Context = {
  /** The leg of what the web view sends. */
  sent: Leg
  edited: FirstSender | undefined
  isOwnPage: (url: string) => boolean
  /** Whether pages elsewhere are the payment provider's. */
  isPaid: boolean
  previous: Step | undefined
  next: Step | undefined
}

/** @param answer what the merchant's option is answered with */
export function stepsView(
  steps: Step[],
  answer: TransferOption['answer'],
  edited?: FirstSender,
  isOwnPage: Context['isOwnPage'] = () => false,
  isPaid = false
): StepView[] {
  const sent = isSentByPlatform({ answer }) ? 'request' : 'bag'
  return steps.flatMap((step, i) => {
    const context = { sent, edited, isOwnPage, isPaid, previous: steps[i - 1], next: steps[i + 1] } as const
    // It is shown with the response that contains it.
    if (step.step === 'description') return []
    if (step.step === 'request') return { ...explainRequest(step, context), request: requestView(step) }
    if (step.step === 'answer') return { ...explainResponse(step, context), answer: responseView(step.answer) }
    const failed = { ...legOfFailure(context), isFailure: true }
    const title = answer === 'protocol' ? 'The shopper stays in the app' : 'The app shows its generic error'
    if (edited !== 'shopper') return { ...failed, title, says: step.says }
    return { ...failed, title: 'The page stays as it is', says: step.says.replace(/ The app [^.]*\.$/, '') }
  })
}

const MESSAGES: Record<SeenMessage['kind'], { title: string; says: string }> = {
  webhook: { title: 'This server sends the webhook', says: 'It is signed with the secret that both share.' },
  report: {
    title: 'The shop reports the order to this server',
    says: 'It is signed with the secret that both share.'
  },
  open: {
    title: 'This server opens the payment',
    says: 'The payment provider gets the lines, the delivery and the email, and answers with the address of its page.'
  },
  look: {
    title: 'This server asks the payment provider',
    says: 'Only this answer makes the bag an order.'
  },
  cancel: {
    title: 'This server ends the payment',
    says: 'Nobody can pay it any more, unless it has been paid by now.'
  },
  notification: {
    title: 'The payment provider notifies this server',
    says: 'It is signed. All that is read of it is which payment it is about.'
  }
}

/** What servers tell each other about an order. */
export function messageView({ kind, request, answer, milliseconds }: SeenMessage): StepView {
  const { title, says } = MESSAGES[kind]
  const [, event] = /"type":"(order\.[\w-]+)"/.exec(request.body ?? '') ?? []
  const view = { title: event ? `${title} ${event}` : title, says, request: requestView({ sender: 'server', request }) }
  if (!answer) return { ...view, says: `${says} No answer came.`, isFailure: true }
  const statusText = STATUS_CODES[answer.status] ?? ''
  const response = { url: '', statusText, milliseconds, ...answer, body: Buffer.from(answer.body) }
  const isFailure = answer.status >= 300
  const isLast = !isFailure && (kind === 'webhook' || kind === 'report')
  return { ...view, isFailure, isLast, answer: responseView(response) }
}

function explainRequest(
  { sender, request }: Step & { step: 'request' },
  { sent, edited, previous }: Context
): StepView {
  const leg = sender === 'platform' ? 'bag' : sent
  if (edited === 'shopper' && !previous) {
    const title = `The shopper ${request.method === 'GET' ? 'follows a link' : 'presses a button'}`
    return { title, says: 'The web view sends what the page says, and what was entered.' }
  }
  if (edited && !previous) {
    const says = 'To the shop it is a request like any other.'
    return { leg, title: `The ${edited} sends the request as edited`, says }
  }
  if (sender === 'platform') {
    const says = 'The platform’s server sends the bag to the shop. The shopper sees nothing of this.'
    return { leg, title: 'The platform sends the bag', says }
  }
  if (previous?.step === 'answer' && previous.to === 'platform') {
    return { leg, title: 'The app opens the address of the answer', says: 'It is the continue_url of the cart.' }
  }
  if (previous?.step === 'answer') {
    return { leg, title: 'The web view follows the redirect', says: 'It requests the address that the shop gave.' }
  }
  const title = 'The app builds the request'
  if (previous) return { leg, title, says: 'It is built from the description, and the web view sends it to the shop.' }
  return request.body === undefined
    ? { leg, title, says: 'The whole bag is in the web address that the web view opens.' }
    : { leg, title, says: 'The bag is in the body, which the web view posts to the shop.' }
}

function explainResponse(
  { to, answer: { status, url } }: Step & { step: 'answer' },
  { sent, edited, next, isOwnPage, isPaid }: Context
): StepView {
  if (to === 'platform') return explainDescription(next)
  if (isPaid && isOwnPage(url) && next) {
    const says = 'That proves nothing: anybody could open the address to which it leads.'
    return { leg: sent, title: 'The payment page redirects the web view', says }
  }
  // A redirect is still on the way to the page, followed or not.
  if (next?.step === 'request' && isOwnPage(next.request.url) && !isOwnPage(url)) {
    if (isPaid) {
      const says = 'The order is kept until it is paid. The address leads out of this server, to the payment provider.'
      return { leg: sent, title: 'The web view is led to the payment page', says }
    }
    const says = 'By now its own cart has this bag. The address leads out of this server, to where the shop shows it.'
    return { leg: sent, title: 'The web view is led into the shop', says }
  }
  if (next) return { leg: sent, title: 'The shop redirects the web view', says: 'It gives another address to open.' }
  const leg = 'page'
  if (status >= 400) {
    const says = 'The web view shows it, whatever its status.'
    return { leg, title: 'The shop shows a refusal page', says, isFailure: true }
  }
  if (isPaid && isOwnPage(url)) {
    const says = `It is the payment provider’s, at ${new URL(url).origin}; nothing of it comes from this server.`
    return { leg, title: 'The payment page opens in the web view', says }
  }
  if (edited === 'shopper') {
    return { leg, title: 'The next page opens in the web view', says: 'The app looks at its title and its address.' }
  }
  if (!isOwnPage(url)) {
    return { leg, title: 'The shop’s page opens in the web view', says: 'From here on the shopper is in the shop.' }
  }
  const says = `It is the shop’s own cart, at ${new URL(url).origin}; nothing of it comes from this server.`
  return { leg, title: 'A page of the shop’s own opens in the web view', says }
}

function explainDescription(next: Step | undefined): StepView {
  const leg = 'description'
  if (next?.step === 'request') {
    const says = 'It has the lines at the shop’s prices, their sum, and the address for the shopper.'
    return { leg, title: 'The shop answers with the cart', says }
  }
  if (next?.step !== 'description') {
    const says = 'The response says why, for the engineers on both sides. The shopper never sees it.'
    return { leg, title: 'The shop refuses the bag', says, isFailure: true }
  }
  const { fields: described } = next
  if (!isRefused(described)) {
    const says = 'It describes the web request for the app to send. This is how the app handles each field.'
    return { leg, described, title: 'The shop answers with a description', says }
  }
  const says = 'It is to describe the web request for the app to send, but iOS refuses the fields marked in red.'
  return { leg, described, title: 'The shop answers with a description that iOS refuses', says, isFailure: true }
}

/** No leg for a failure on that of the step before it. */
function legOfFailure({ sent, edited, previous }: Context): { leg?: Leg } {
  // Nothing was sent.
  if (!previous) return { leg: edited === 'web view' ? sent : 'bag' }
  // The description is fine, but what it describes could not be sent.
  return previous.step === 'description' && !isRefused(previous.fields) ? { leg: 'request' } : {}
}

function isRefused(fields: DescribedField[]): boolean {
  return fields.some(({ verdict }) => verdict === 'refused')
}

function requestView({ sender, request }: { sender: Sender | 'server'; request: WebRequest }) {
  const { url, headers, body } = request
  const isForm = /^application\/x-www-form-urlencoded/i.test(headerValue(headers, 'content-type') ?? '')
  const encoded = isForm ? (body ?? '') : new URL(url).search
  return {
    ...request,
    sender,
    editable: editableHeaders(headers, sender),
    urlLength: url.length,
    isTooLong: url.length > MAX_URL,
    // Of a form or a query, decoded.
    fields: Array.from(new URLSearchParams(encoded), ([name, value]) => ({ name, value })),
    curl: curlLine(request)
  }
}

/** Headers with which the platform proves who it is. */
const PROOF = /^(authorization|x-api-key|webhook-(id|timestamp|signature))$/i

/** Whether it brings its own proof, right or wrong, so that none is added. */
export function bringsProof({ headers }: WebRequest): boolean {
  return headers.some(({ name }) => PROOF.test(name))
}

/** The headers to edit: without those that are made anew for what is sent, such as its length and its signature. */
function editableHeaders(headers: WebHeader[], sender: Sender | 'server'): WebHeader[] {
  return headers.filter(
    ({ name }) => !TRANSPORT_HEADERS.includes(name.toLowerCase()) && !(sender === 'platform' && PROOF.test(name))
  )
}

function responseView(response: WebResponse) {
  const { status, statusText, headers, body, milliseconds } = response
  const text = responseText(response)
  const isProblem = /^application\/problem\+json/i.test(headerValue(headers, 'content-type') ?? '')
  return {
    status,
    statusText,
    headers,
    size: body.length,
    milliseconds: Math.round(milliseconds * 10) / 10,
    // As it was sent; only the beginning if it is long.
    text: text.slice(0, MAX_TEXT),
    mistakes: isProblem ? mistakesOf(text) : [],
    isCut: text.length > MAX_TEXT
  }
}

/** The mistakes in a problem+json as this server writes it; without an `at`, of the whole request. */
function mistakesOf(text: string): { at: string; says: string }[] {
  let problem: { detail?: string; errors?: { pointer: string; detail: string }[] } | null = null
  try {
    problem = JSON.parse(text)
  } catch {
    // Not by this server.
  }
  const { detail = '', errors = [] } = problem ?? {}
  const mistakes = errors.map(error => ({ at: error.pointer, says: error.detail }))
  return mistakes.length > 0 ? mistakes : [{ at: '', says: detail }]
}

export type Leg = 'bag' | 'description' | 'request' | 'page' | 'order'

export type LegView = {
  leg: Leg
  to: 'shop' | 'app'
  byPlatform: boolean
  says: string
}

const BAG: Record<string, string> = {
  'application/json': 'The bag, as JSON',
  'application/x-www-form-urlencoded': 'The bag, as a form',
  query: 'The bag, in a web address',
  path: 'The bag, in a web address'
}

/** Whether it is the platform's servers that bring a bag, whose answer tells the app what to open. */
const isSentByPlatform = ({ answer }: Pick<TransferOption, 'answer'>) =>
  answer === 'description' || answer === 'protocol'

export function legsOf({ answer, encoding }: Pick<TransferOption, 'answer' | 'encoding'>): LegView[] {
  const byPlatform = isSentByPlatform({ answer })
  const [told, opened] =
    answer === 'protocol'
      ? ['The cart, priced, and an address', 'That address']
      : ['The description of a web request', 'The request that it describes']
  const described: LegView[] = [
    { leg: 'description', to: 'app', byPlatform, says: told },
    { leg: 'request', to: 'shop', byPlatform: false, says: opened }
  ]
  return [
    { leg: 'bag', to: 'shop', byPlatform, says: BAG[encoding] ?? 'The bag' },
    ...(byPlatform ? described : []),
    { leg: 'page', to: 'app', byPlatform: false, says: 'The checkout page' },
    { leg: 'order', to: 'app', byPlatform: false, says: 'The confirmation of the order' }
  ]
}

// What the simulator page shows of a transfer: its steps in plain words, for people who have never read the contract.
import { MAX_URL, type TransferOption, type WebHeader, type WebRequest } from '../../transfer/option.ts'
import type { DescribedField } from '../client/app-request.ts'
import { curlLine, fetchCall } from '../client/request-code.ts'
import { type Header, headerValue, responseText, type WebResponse } from '../client/send-request.ts'
import type { Sender, Step } from '../client/simulate-transfer.ts'
import { editableHeaders } from './typed-request.ts'

export type RequestView = WebRequest & {
  sender: Sender
  /** The headers that an edited request is sent with. */
  editable: WebHeader[]
  urlLength: number
  isTooLong: boolean
  /** The decoded fields of a form or a query. */
  fields: { name: string; value: string }[]
  curl: string
  fetch: string
}

export type ResponseView = {
  status: number
  statusText: string
  headers: Header[]
  size: number
  milliseconds: number
  /** The body as text, as it was sent; only the beginning if it is long. */
  text: string
  /** The reasons for a refusal, each for a field; an empty `at` stands for the whole request. */
  mistakes: { at: string; says: string }[]
  isCut: boolean
}

export type StepView = {
  /** Where on the way it happens; absent for a failure on the leg of the step before it. */
  leg?: Leg
  title: string
  says: string
  isFailure: boolean
  request?: RequestView
  answer?: ResponseView
  described?: DescribedField[]
}

/** How many characters of a body are shown. */
const MAX_TEXT = 20_000

/**
 * @param answer what the merchant's option is answered with
 * @param edited who sends the first request, if somebody has edited it
 * @param isOwnPage whether a URL is in a shop of the merchant's own
 */
export function stepsView(
  steps: Step[],
  answer: TransferOption['answer'],
  edited?: Sender,
  isOwnPage: (url: string) => boolean = () => false
): StepView[] {
  const views: StepView[] = []
  for (const [i, step] of steps.entries()) {
    if (step.step === 'description') Object.assign(views.at(-1) ?? {}, descriptionView(step.fields))
    else {
      const [previous, next] = [steps[i - 1], steps[i + 1]]
      const leg = legOf(step, { previous, next, answer, edited })
      views.push({ isFailure: false, ...(leg && { leg }), ...stepView(step, previous, next, isOwnPage) })
    }
  }
  const [first] = views
  if (edited && first?.request) Object.assign(first, editedView(edited))
  return views
}

function editedView(sender: Sender): Partial<StepView> {
  return { title: `The ${sender} sends the request as edited`, says: 'To the shop it is a request like any other.' }
}

/** A description is shown with the response that contains it. */
function descriptionView(described: DescribedField[]): Partial<StepView> {
  if (!isRefused(described)) return { described }
  const title = 'The shop answers with a description that iOS refuses'
  const says = 'It is to describe the web request for the app to send, but iOS refuses the fields marked in red.'
  return { described, title, says, isFailure: true }
}

function stepView(
  step: Exclude<Step, { step: 'description' }>,
  previous: Step | undefined,
  next: Step | undefined,
  isOwnPage: (url: string) => boolean
): Omit<StepView, 'isFailure' | 'leg'> & { isFailure?: boolean } {
  if (step.step === 'failure') return { title: 'The app shows its generic error', says: step.says, isFailure: true }
  if (step.step === 'request') return { ...explainRequest(step, previous), request: requestView(step) }
  return { ...explainResponse(step, next, isOwnPage), answer: responseView(step.answer) }
}

type Explanation = { title: string; says: string; isFailure?: boolean }

function explainRequest({ sender, request }: Step & { step: 'request' }, previous: Step | undefined): Explanation {
  if (sender === 'platform') {
    const says = 'The platform’s server sends the bag to the shop. The shopper sees nothing of this.'
    return { title: 'The platform sends the bag', says }
  }
  if (previous?.step === 'answer') {
    return { title: 'The web view follows the redirect', says: 'It requests the address that the shop gave.' }
  }
  const title = 'The app builds the request'
  if (previous) return { title, says: 'It is built from the description, and the web view sends it to the shop.' }
  return request.body === undefined
    ? { title, says: 'The whole bag is in the web address that the web view opens.' }
    : { title, says: 'The bag is in the body, which the web view posts to the shop.' }
}

function explainResponse(
  { to, answer: { status, url } }: Step & { step: 'answer' },
  next: Step | undefined,
  isOwnPage: (url: string) => boolean
): Explanation {
  if (to === 'platform') {
    if (next?.step === 'description') {
      const says = 'It describes the web request for the app to send. This is how the app handles each field.'
      return { title: 'The shop answers with a description', says }
    }
    const says = 'The response says why, for the engineers on both sides. The shopper never sees it.'
    return { title: 'The shop refuses the bag', says, isFailure: true }
  }
  if (next?.step === 'request' && isOwnPage(next.request.url) && !isOwnPage(url)) {
    const says = 'By now its own cart has this bag. The address leads out of this server, to where the shop shows it.'
    return { title: 'The web view is led into the shop', says }
  }
  if (next) {
    return { title: 'The shop redirects the web view', says: 'It gives another address to open.' }
  }
  return status >= 400
    ? { title: 'The shop shows a refusal page', says: 'The web view shows it, whatever its status.', isFailure: true }
    : isOwnPage(url)
      ? {
          title: 'A page of the shop’s own opens in the web view',
          says: `It is the shop’s own cart, at ${new URL(url).origin}; nothing of it comes from this server.`
        }
      : { title: 'The shop’s page opens in the web view', says: 'From here on the shopper is in the shop.' }
}

function requestView({ sender, request }: Step & { step: 'request' }): RequestView {
  const { url, headers, body } = request
  const isForm = /^application\/x-www-form-urlencoded/i.test(headerValue(headers, 'content-type') ?? '')
  const encoded = isForm ? (body ?? '') : new URL(url).search
  return {
    ...request,
    sender,
    editable: editableHeaders(headers, sender),
    urlLength: url.length,
    isTooLong: url.length > MAX_URL,
    fields: Array.from(new URLSearchParams(encoded), ([name, value]) => ({ name, value })),
    curl: curlLine(request),
    fetch: fetchCall(request)
  }
}

function responseView(response: WebResponse): ResponseView {
  const { status, statusText, headers, body, milliseconds } = response
  const text = responseText(response)
  const isProblem = /^application\/problem\+json/i.test(headerValue(headers, 'content-type') ?? '')
  return {
    status,
    statusText,
    headers,
    size: body.length,
    milliseconds: Math.round(milliseconds * 10) / 10,
    text: text.slice(0, MAX_TEXT),
    mistakes: isProblem ? mistakesOf(parseJson(text)) : [],
    isCut: text.length > MAX_TEXT
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The mistakes in a problem+json as this server writes it. */
function mistakesOf(problem: unknown): ResponseView['mistakes'] {
  const { detail = '', errors = [] } = (problem ?? {}) as {
    detail?: string
    errors?: { pointer: string; detail: string }[]
  }
  const mistakes = errors.map(error => ({ at: error.pointer, says: error.detail }))
  return mistakes.length > 0 ? mistakes : [{ at: '', says: detail }]
}

export type Leg = 'bag' | 'description' | 'request' | 'page' | 'order'

export type LegView = {
  leg: Leg
  to: 'shop' | 'app'
  /** Whether the platform's server passes it on. */
  byPlatform: boolean
  says: string
}

const BAG: Record<string, string> = {
  'application/json': 'The bag, as JSON',
  'application/x-www-form-urlencoded': 'The bag, as a form',
  query: 'The bag, in a web address'
}

export function legsOf({ answer, encoding }: Pick<TransferOption, 'answer' | 'encoding'>): LegView[] {
  const byPlatform = answer === 'description'
  const described: LegView[] = [
    { leg: 'description', to: 'app', byPlatform, says: 'The description of a web request' },
    { leg: 'request', to: 'shop', byPlatform: false, says: 'The request that it describes' }
  ]
  return [
    { leg: 'bag', to: 'shop', byPlatform, says: BAG[encoding] ?? 'The bag' },
    ...(byPlatform ? described : []),
    { leg: 'page', to: 'app', byPlatform: false, says: 'The checkout page' },
    { leg: 'order', to: 'app', byPlatform: false, says: 'The confirmation of the order' }
  ]
}

export type LegOptions = {
  previous: Step | undefined
  next: Step | undefined
  /** What the merchant's option is answered with. */
  answer: TransferOption['answer']
  /** Who sends the first request, if somebody has edited it. */
  edited: Sender | undefined
}

/** The leg of a step; undefined for a failure on the leg of the step before it. */
export function legOf(
  step: Exclude<Step, { step: 'description' }>,
  { previous, next, answer, edited }: LegOptions
): Leg | undefined {
  const sent = answer === 'description' ? 'request' : 'bag'
  if (step.step === 'failure') {
    // Nothing was sent.
    if (!previous) return edited === 'web view' ? sent : 'bag'
    // The description is fine, but what it describes could not be sent.
    return previous.step === 'description' && !isRefused(previous.fields) ? 'request' : undefined
  }
  if (step.step === 'request') return step.sender === 'platform' ? 'bag' : sent
  if (step.to === 'platform') return 'description'
  // A redirect is still on the way to the page, followed or not.
  return next ? sent : 'page'
}

/** Whether iOS refuses a description with these fields. */
export function isRefused(fields: DescribedField[]): boolean {
  return fields.some(({ verdict }) => verdict === 'refused')
}

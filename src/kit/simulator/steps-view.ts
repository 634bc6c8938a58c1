// What the simulator page prints of a hand-over: its steps in plain words, for people who have never read the contract.

import { MAX_URL, type WebRequest } from '../../transfer/option.ts'
import { curlLine } from '../client/curl.ts'
import type { DescribedField } from '../client/described-field.ts'
import { responseText } from '../client/response-text.ts'
import { type Header, headerValue, type WebResponse } from '../client/send-request.ts'
import type { Step } from '../client/simulate-transfer.ts'

export type RequestView = WebRequest & {
  urlLength: number
  isTooLong: boolean
  /** What a form or a query carries, decoded. */
  fields: { name: string; value: string }[]
  curl: string
}

export type AnswerView = {
  status: number
  statusText: string
  headers: Header[]
  size: number
  milliseconds: number
  /** The body as text, JSON indented; of a long one the beginning. */
  text: string
  /** What a refusal says: of a field, or with an empty `at` of the whole. */
  mistakes: { at: string; says: string }[]
  isCut: boolean
}

export type StepView = {
  title: string
  says: string
  isFailure: boolean
  request?: RequestView
  answer?: AnswerView
  described?: DescribedField[]
}

/** How many characters of a body are shown. */
const MOST_TEXT = 20_000

export function stepsView(steps: Step[]): StepView[] {
  const views: StepView[] = []
  for (const [i, step] of steps.entries()) {
    const last = views.at(-1)
    if (step.step === 'description') Object.assign(last ?? {}, descriptionView(step.fields))
    else views.push({ isFailure: false, ...viewOf(step, steps[i - 1], steps[i + 1]) })
  }
  return views
}

/** What was described stands with the answer that describes it. */
function descriptionView(described: DescribedField[]): Partial<StepView> {
  if (!described.some(({ verdict }) => verdict === 'refused')) return { described }
  const says = 'It describes the web request that the app is to make, and iOS refuses what is marked in red.'
  return { described, says, isFailure: true }
}

function viewOf(
  step: Exclude<Step, { step: 'description' }>,
  before: Step | undefined,
  after: Step | undefined
): Omit<StepView, 'isFailure'> & { isFailure?: boolean } {
  if (step.step === 'failure') return { title: 'The app shows its generic error', says: step.says, isFailure: true }
  if (step.step === 'request') return { ...saidOfRequest(step, before), request: requestView(step.request) }
  return { ...saidOfAnswer(step, after), answer: answerView(step.answer) }
}

type Said = { title: string; says: string; isFailure?: boolean }

function saidOfRequest({ sender, request }: Step & { step: 'request' }, before: Step | undefined): Said {
  if (sender === 'platform') {
    const says = 'The platform’s server sends the bag to the shop. The shopper sees nothing of this.'
    return { title: 'The platform asks the shop', says }
  }
  if (before?.step === 'answer') {
    return { title: 'The web view follows', says: 'The shop has sent it to another address.' }
  }
  const title = 'The app builds the request'
  if (before) return { title, says: 'It is made from the description, and the web view sends it to the shop.' }
  return request.body === undefined
    ? { title, says: 'The whole bag stands in the address, and the web view opens that.' }
    : { title, says: 'The bag is in the body, which the web view posts to the shop.' }
}

function saidOfAnswer({ to, answer: { status } }: Step & { step: 'answer' }, after: Step | undefined): Said {
  const isRefusal = status >= 400
  if (to === 'platform') {
    if (after?.step === 'description') {
      const says = 'It describes the web request that the app is to make. This is what the app does with each field.'
      return { title: 'The shop answers with a description', says }
    }
    const says = 'The answer says why, for the engineers on both sides. The shopper never sees it.'
    return { title: 'The shop refuses the bag', says, isFailure: true }
  }
  if (after?.step === 'request') return { title: 'The shop sends the web view on', says: 'It names another address.' }
  return isRefusal
    ? { title: 'The shop says no on a page', says: 'The web view shows it, whatever its status.', isFailure: true }
    : { title: 'The shop’s page opens in the web view', says: 'From here on the shopper is with the shop.' }
}

function requestView(request: WebRequest): RequestView {
  const { url, headers, body } = request
  const isForm = /^application\/x-www-form-urlencoded/i.test(headerValue(headers, 'content-type') ?? '')
  const encoded = isForm ? (body ?? '') : new URL(url).search
  return {
    ...request,
    urlLength: url.length,
    isTooLong: url.length > MAX_URL,
    fields: Array.from(new URLSearchParams(encoded), ([name, value]) => ({ name, value })),
    curl: curlLine(request)
  }
}

function answerView(answer: WebResponse): AnswerView {
  const { status, statusText, headers, body, milliseconds } = answer
  const read = readJson(responseText(answer))
  const text = read === undefined ? responseText(answer) : JSON.stringify(read, null, 2)
  return {
    status,
    statusText,
    headers,
    size: body.length,
    milliseconds: Math.round(milliseconds * 10) / 10,
    text: text.slice(0, MOST_TEXT),
    mistakes: /^application\/problem\+json/i.test(headerValue(headers, 'content-type') ?? '') ? mistakesOf(read) : [],
    isCut: text.length > MOST_TEXT
  }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The mistakes in a problem+json of this server's kind. */
function mistakesOf(problem: unknown): AnswerView['mistakes'] {
  const { detail = '', errors = [] } = (problem ?? {}) as {
    detail?: string
    errors?: { pointer: string; detail: string }[]
  }
  const found = errors.map(error => ({ at: error.pointer, says: error.detail }))
  return found.length > 0 ? found : [{ at: '', says: detail }]
}

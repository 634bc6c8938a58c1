// Reads responses for the checks.
import { responseText } from '../client/response-text.ts'
import { headerValue, type WebResponse } from '../client/send-request.ts'
import type { Step } from '../client/simulate-transfer.ts'
import type { FinalResponse } from './final-response.ts'
import { RequestUnanswered } from './verdict-errors.ts'

const readNothing = async () => []

/** The response of a transfer that led to no page: the app shows nothing of it. */
export function refusedTransfer(response: WebResponse): FinalResponse {
  return {
    status: response.status,
    isShown: false,
    isHtml: isHtml(response),
    text: responseText(response),
    readLines: readNothing,
    readAmounts: readNothing,
    takeScreenshot: async () => {}
  }
}

/** Without a Content-Type, a browser may sniff HTML. */
export function isHtml({ headers }: WebResponse): boolean {
  return /^(text\/html|application\/xhtml|$)/i.test(headerValue(headers, 'content-type') ?? '')
}

/** @throws RequestUnanswered if the last request got no response */
export function lastResponse(steps: Step[]): WebResponse {
  const responses = steps.flatMap(step => (step.step === 'answer' ? step.answer : []))
  const requests = steps.filter(({ step }) => step === 'request')
  const response = responses.at(-1)
  if (response && responses.length === requests.length) return response
  const got = steps.flatMap(step => (step.step === 'failure' ? step.says : [])).join(' ')
  throw new RequestUnanswered(got, [{ expected: 'A response', got }])
}

/** Whether a response contains a text, also in a string of its JSON, where it may be escaped. */
export function mentions(response: string, text: string): boolean {
  let isFound = response.includes(text)
  try {
    JSON.parse(response, (_key, value) => {
      if (typeof value === 'string' && value.includes(text)) isFound = true
      return value
    })
  } catch {
    // Not JSON.
  }
  return isFound
}

export function parseJsonObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

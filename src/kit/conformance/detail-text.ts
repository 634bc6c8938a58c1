// The parts of a failure's detail that quote requests and responses.
import type { AppRequest } from '../client/app-request.ts'
import { curlLine } from '../client/request-code.ts'
import type { Step } from '../client/simulate-transfer.ts'

/** How much of a response is quoted, in characters. */
const MAX_LENGTH = 400

/** The requests of a transfer as curl commands, whole: what is cut short cannot be sent again. */
export function curlLines(steps: Step[]): string[] {
  return steps.flatMap(step => (step.step === 'request' ? curlLine(step.request) : []))
}

/** A request of the web view, with its cookies, as a curl command. */
export function curlOfPage({ cookies = [], ...request }: AppRequest): string {
  const value = cookies.map(cookie => `${cookie.name}=${cookie.value}`).join('; ')
  const headers = value ? [...request.headers, { name: 'Cookie', value }] : request.headers
  return curlLine({ ...request, headers })
}

/** What was sent and done, as lines of a report. */
export function listSent(sent: string[]): string[] {
  if (sent.length <= 1) return sent.map(step => `Sent: ${step}`)
  return ['Sent, in this order:', ...sent.map((step, i) => `${i + 1}. ${step}`)]
}

/** The text of a response on one line. */
export function excerpt(text: string): string {
  return truncate(text.replace(/\s+/g, ' ').trim())
}

export function truncate(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}… (${text.length} characters)` : text
}

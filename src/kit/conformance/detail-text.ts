// The parts of a failure's detail that quote requests and responses, at limited length.
import type { WebRequest } from '../../transfer/option.ts'
import { curlLine } from '../client/curl.ts'

/** How much of a request or a response is quoted, in characters. */
const MAX_LENGTH = 400

/** A request as the curl command that sends it. */
export function curlOf(request: WebRequest): string {
  return truncate(curlLine(request))
}

export function quoteRequest(request: WebRequest): string {
  return `Sent: ${curlOf(request)}`
}

/** The text of a response on one line. */
export function excerpt(text: string): string {
  return truncate(text.replace(/\s+/g, ' ').trim())
}

export function truncate(text: string): string {
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH)}… (${text.length} characters)` : text
}

// Emulates the app of src/transfer/REAL-APP.md: turns the description of a web request (contract 2.2) into the request that an
// iPhone sends, or into the generic error that its user sees, and reports how each field is handled.
import { MAX_URL, type WebRequest } from '../../transfer/option.ts'
import { type AppCookie, readCookie } from './described-cookie.ts'
import {
  type DescribedField,
  isJsonObject,
  type JsonObject,
  type ReportField,
  readEntries,
  readString,
  reportUnknownFields,
  TOKEN
} from './described-field.ts'
import { readHeaders } from './described-headers.ts'

/** What the web view opens. If cookies are described, even an empty list, they replace the app's cookie store. */
export type AppRequest = WebRequest & { cookies?: AppCookie[] }

/** A description as the app reads it; without a request if any field is refused. */
export type DescriptionResult = { fields: DescribedField[]; request?: AppRequest }

/** The characters of RFC 3986, each % with two hex digits. `new URL` accepts what iOS refuses. */
const RFC_3986 =
  /^https?:\/\/(?:[\w\-.~:/?[\]@!$&'()*+,;=]|%[0-9a-f]{2})+(?:#(?:[\w\-.~:/?@!$&'()*+,;=]|%[0-9a-f]{2})*)?$/i

const FORM_TYPE = 'application/x-www-form-urlencoded'

/** Reads the body of the response to a transfer as the app does. */
export function readDescription(text: string): DescriptionResult {
  const fields: DescribedField[] = []
  const report: ReportField = (at, value, verdict, says) => {
    fields.push({ at, value: JSON.stringify(value) ?? 'absent', verdict, says })
  }
  const description = parse(text, report)
  if (!description) return { fields }
  const url = readUrl(description.url, report)
  const method = readMethod(description.httpMethod, report)
  const body = readBody(description.body, method, report)
  const cookies = readEntries(description.cookies, 'cookies', report).flatMap(cookie => readCookie(cookie, report))
  const headers = readHeaders(readEntries(description.headers, 'headers', report), report)
  reportUnknownFields(description, '', ['url', 'httpMethod', 'body', 'cookies', 'headers'], report)
  if (fields.some(({ verdict }) => verdict === 'refused')) return { fields }
  if (body !== undefined || method === 'POST') headers.push({ name: 'Content-Type', value: FORM_TYPE })
  return { fields, request: { method, url, headers, ...(body !== undefined && { body }), cookies } }
}

function parse(text: string, report: ReportField): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (isJsonObject(value)) return value
    report('#', value, 'refused', 'The response must be a JSON object (contract 2.2). The app shows its generic error.')
  } catch {
    const says = 'The response is not JSON (contract 4.1 rule 1). The app shows its generic error.'
    report('#', text.slice(0, 200), 'refused', says)
  }
  return undefined
}

function readUrl(value: unknown, report: ReportField): string {
  const url = readString(value, 'url', report)
  if (url === undefined) {
    if (value === undefined || value === null) {
      report('url', value, 'refused', 'Required (contract 2.2): without it, the app has nothing to open.')
    }
    return ''
  }
  // The pattern allows brackets and ports that no URL parser accepts.
  if (!RFC_3986.test(url) || !URL.canParse(url)) {
    const says = 'iOS cannot parse this URL: it must be http or https, with only the characters that RFC 3986 allows.'
    report('url', url, 'refused', says)
  } else if (url.length > MAX_URL) {
    const says = `${url.length} characters; the contract allows ${MAX_URL} (4.1 rule 4, section 8). A longer URL can break the checkout.`
    report('url', url, 'doubtful', says)
  } else report('url', url, 'used', 'The address that the web view opens.')
  return url
}

function readMethod(value: unknown, report: ReportField): string {
  const method = readString(value, 'httpMethod', report)
  if (method === undefined) {
    report('httpMethod', value, 'used', 'Defaults to GET (contract 2.2).')
    return 'GET'
  }
  if (method === 'POST') {
    report('httpMethod', method, 'used', 'The web view sends a POST (recommended, contract 4.1 rule 3).')
  } else if (method === 'GET') report('httpMethod', method, 'used', 'The web view sends a GET.')
  else if (TOKEN.test(method) && method.toUpperCase() !== 'CONNECT') {
    report('httpMethod', method, 'doubtful', 'The contract allows GET and POST (2.2). The app sends this value as is.')
  } else report('httpMethod', method, 'refused', 'Not a method that can load a page.')
  return method
}

function readBody(value: unknown, method: string, report: ReportField): string | undefined {
  const body = readString(value, 'body', report)
  if (body === undefined) return undefined
  if (method.toUpperCase() === 'GET') {
    report('body', body, 'refused', 'iOS cannot send a GET with a body. The app shows its generic error.')
  } else report('body', body, 'used', `Sent as UTF-8, always with Content-Type: ${FORM_TYPE} (contract 4.1 rule 2).`)
  return body
}

// Emulates the app of src/transfer/REAL-APP.md: turns the description of a web request (contract 2.2) into the request that an
// iPhone sends, or into the generic error that its user sees, and reports how each field is handled.
import { isCalendarDate } from '../../cart/exact-values.ts'
import { TRANSPORT_HEADERS } from '../../transfer/curl-command.ts'
import { MAX_URL, type WebRequest } from '../../transfer/option.ts'

/**
 * How the app handles a field: it uses it; uses it although it breaks a rule of the contract (`doubtful`); ignores it;
 * or fails the whole checkout because of it (`refused`).
 */
export type FieldVerdict = 'used' | 'doubtful' | 'ignored' | 'refused'

/** A field: its path in the description, its value as JSON, and how the app handles it, with the reason. */
export type DescribedField = { at: string; value: string; verdict: FieldVerdict; says: string }

type Report = (at: string, value: unknown, verdict: FieldVerdict, says: string) => void
type Judgement = [verdict: FieldVerdict, says: string]
type JsonObject = Record<string, unknown>
type ListEntry = { entry: JsonObject; at: string }

/** A method, header name or cookie name (RFC 9110, section 5.6.2). */
const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/

export const UNKNOWN_FIELD = 'Not a field of a description (contract 2.2).'

/** What the web view opens. If cookies are described, even an empty list, they replace the app's cookie store. */
export type AppRequest = WebRequest & { cookies?: AppCookie[] }

/** A description as the app reads it; without a request if any field is refused. */
export type DescriptionResult = { fields: DescribedField[]; request?: AppRequest }

/** The characters of RFC 3986, each % with two hex digits. `new URL` accepts what iOS refuses. */
const RFC_3986 =
  /^https?:\/\/(?:[\w\-.~:/?[\]@!$&'()*+,;=]|%[0-9a-f]{2})+(?:#(?:[\w\-.~:/?@!$&'()*+,;=]|%[0-9a-f]{2})*)?$/i

const FORM_TYPE = 'application/x-www-form-urlencoded'

export function readDescription(text: string): DescriptionResult {
  const fields: DescribedField[] = []
  const report: Report = (at, value, verdict, says) => {
    fields.push({ at, value: JSON.stringify(value) ?? 'absent', verdict, says })
  }
  const description = parse(text, report)
  if (!description) return { fields }
  const url = readString(description.url, 'url', report, judgeUrl)
  if (description.url == null) {
    report('url', description.url, 'refused', 'Required (contract 2.2): without it, the app has nothing to open.')
  }
  const method = readString(description.httpMethod, 'httpMethod', report, judgeMethod) ?? 'GET'
  if (typeof description.httpMethod !== 'string') {
    report('httpMethod', description.httpMethod, 'used', 'Defaults to GET (contract 2.2).')
  }
  const body = readString(description.body, 'body', report, () =>
    method.toUpperCase() === 'GET'
      ? ['refused', 'iOS cannot send a GET with a body. The app shows its generic error.']
      : ['used', `Sent as UTF-8, always with Content-Type: ${FORM_TYPE} (contract 4.1 rule 2).`]
  )
  const cookies = readEntries(description.cookies, 'cookies', report).flatMap(cookie => readCookie(cookie, report))
  const headers = readHeaders(readEntries(description.headers, 'headers', report), report)
  reportUnknownFields(description, '', ['url', 'httpMethod', 'body', 'cookies', 'headers'], report)
  if (url === undefined || fields.some(({ verdict }) => verdict === 'refused')) return { fields }
  if (body !== undefined || method === 'POST') headers.push({ name: 'Content-Type', value: FORM_TYPE })
  return { fields, request: { method, url, headers, ...(body !== undefined && { body }), cookies } }
}

function parse(text: string, report: Report): JsonObject | undefined {
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

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Swift decodes null as absent, and fails on any other type. @param judge how the app handles the text by itself */
function readString(
  value: unknown,
  at: string,
  report: Report,
  judge?: (text: string) => Judgement
): string | undefined {
  if (value == null) return undefined
  if (typeof value !== 'string') {
    report(at, value, 'refused', mustBe('a string'))
    return undefined
  }
  if (judge) report(at, value, ...judge(value))
  return value
}

function readEntries(value: unknown, at: string, report: Report): ListEntry[] {
  if (value == null) return []
  if (!Array.isArray(value)) {
    report(at, value, 'refused', mustBe('an array'))
    return []
  }
  return value.flatMap((entry: unknown, i) => {
    if (isJsonObject(entry)) return { entry, at: `${at}[${i}]` }
    report(`${at}[${i}]`, entry, 'refused', mustBe('an object'))
    return []
  })
}

function mustBe(type: string): string {
  return `Must be ${type} (contract 2.2): the app cannot decode the response.`
}

function reportUnknownFields(fields: JsonObject, at: string, known: string[], report: Report): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!known.includes(name)) report(at ? `${at}.${name}` : name, value, 'ignored', UNKNOWN_FIELD)
  }
}

function judgeUrl(url: string): Judgement {
  // The pattern allows brackets and ports that no URL parser accepts.
  if (!RFC_3986.test(url) || !URL.canParse(url)) {
    const says = 'iOS cannot parse this URL: it must be http or https, with only the characters that RFC 3986 allows.'
    return ['refused', says]
  }
  if (url.length <= MAX_URL) return ['used', 'The address that the web view opens.']
  const says = `${url.length} characters; the contract allows ${MAX_URL} (4.1 rule 4, section 8). A longer URL can break the checkout.`
  return ['doubtful', says]
}

function judgeMethod(method: string): Judgement {
  if (method === 'POST') return ['used', 'The web view sends a POST (recommended, contract 4.1 rule 3).']
  if (method === 'GET') return ['used', 'The web view sends a GET.']
  return TOKEN.test(method) && method.toUpperCase() !== 'CONNECT'
    ? ['doubtful', 'The contract allows GET and POST (2.2). The app sends this value as is.']
    : ['refused', 'Not a method that can load a page.']
}

/** A cookie that the app sets before it loads the page; `expires` in seconds since 1970. */
export type AppCookie = {
  name: string
  value: string
  path: string
  secure: boolean
  httpOnly: boolean
  expires: number
}

const COOKIE_VALUE = /^[!#-+\--:<-[\]-~]*$/
const COOKIE_PATH = /^\/[ -:<-~]*$/
const COOKIE_FIELDS = ['name', 'value', 'path', 'expireDate', 'isSecure', 'isHttpOnly']

/** Apple's ISO8601DateFormatter with default options: no fractional seconds. */
const APPLE_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/

/** The expiry if the date is absent or cannot be parsed, in seconds since 1970. */
const DISTANT_FUTURE = Date.parse('2080-01-01T00:00:00Z') / 1000

/** @returns the cookie, or nothing if the app or the browser ignores it */
function readCookie({ entry, at }: ListEntry, report: Report): AppCookie[] {
  const [name, value, path = '/', date] = ['name', 'value', 'path', 'expireDate'].map(key =>
    readString(entry[key], `${at}.${key}`, report)
  )
  for (const flag of ['isSecure', 'isHttpOnly']) {
    if (entry[flag] == null || typeof entry[flag] === 'boolean') continue
    report(`${at}.${flag}`, entry[flag], 'refused', 'Must be true or false (contract 2.2).')
  }
  reportUnknownFields(entry, at, COOKIE_FIELDS, report)
  if (!name || value === undefined) {
    report(at, entry, 'ignored', 'A cookie without a name or a value is skipped.')
    return []
  }
  if (!TOKEN.test(name) || !COOKIE_VALUE.test(value) || !COOKIE_PATH.test(path)) {
    report(at, entry, 'ignored', 'A cookie cannot contain these characters (RFC 6265, section 4.1.1); it is not sent.')
    return []
  }
  const isReadable = date !== undefined && isAppleDate(date)
  if (date !== undefined && !isReadable) {
    const says =
      'iOS cannot parse this date (it accepts 2026-11-20T10:00:00Z, without fractions); the cookie stays for decades.'
    report(`${at}.expireDate`, date, 'doubtful', says)
  }
  const until = isReadable ? ` until ${date}` : ''
  const says = `The app clears its cookie store, then sets this cookie for its configured domain, path ${path}${until}.`
  report(at, entry, 'used', says)
  const expires = isReadable ? Date.parse(date) / 1000 : DISTANT_FUTURE
  return [{ name, value, path, secure: entry.isSecure === true, httpOnly: entry.isHttpOnly === true, expires }]
}

function isAppleDate(text: string): boolean {
  return APPLE_DATE.test(text) && isCalendarDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))
}

const HEADER_VALUE = /^[\t -~]*$/

/** Headers with the same name are joined; the Content-Type is always the app's own. */
function readHeaders(entries: ListEntry[], report: Report): WebRequest['headers'] {
  const headers: WebRequest['headers'] = []
  for (const { entry, at } of entries) {
    const name = readString(entry.name, `${at}.name`, report)
    const value = readString(entry.value, `${at}.value`, report)
    reportUnknownFields(entry, at, ['name', 'value'], report)
    const key = name?.toLowerCase() ?? ''
    if (!name || value === undefined) {
      report(at, entry, 'ignored', 'A header without a name or a value is skipped.')
    } else if (key === 'content-type') {
      const says = 'A Content-Type is ignored, because of in-app browser behaviour (contract 4.1 rule 2).'
      report(at, entry, 'ignored', says)
    } else if (TRANSPORT_HEADERS.includes(key)) {
      report(at, entry, 'ignored', 'iOS sets this header itself, from the URL and the body.')
    } else if (!TOKEN.test(name) || !HEADER_VALUE.test(value)) {
      const says = 'A header cannot contain these characters (RFC 9110, section 5); use printable ASCII.'
      report(at, entry, 'refused', says)
    } else {
      const same = headers.find(header => header.name.toLowerCase() === key)
      if (same) same.value = `${same.value}, ${value}`
      else headers.push({ name, value })
      if (key === 'cookie') {
        const says = 'Replaced by the cookies of the web view, if it has any; describe cookies instead.'
        report(at, entry, 'doubtful', says)
      } else report(at, entry, 'used', same ? 'Joined to the header of the same name.' : 'Added to the web request.')
    }
  }
  return headers
}

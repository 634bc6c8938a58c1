// Plays the app of ../shared/real-app.md: from a description of a web request (contract 2.2) to the request that an
// iPhone sends, with a word on what becomes of each field, or to the generic error that its user sees instead.
import { MAX_URL, type WebRequest } from '../transfer/option.ts'

/** A cookie as the app sets it before it loads the page; `expires` in seconds since 1970. */
export type AppCookie = {
  name: string
  value: string
  path: string
  secure: boolean
  httpOnly: boolean
  expires: number
}

/**
 * What the web view opens. Where cookies are described (none of them, too) the app empties its cookie store and sets
 * those before it.
 */
export type AppRequest = WebRequest & { cookies?: AppCookie[] }

/**
 * What the app makes of one field of a description: it is used, or used although it breaks a rule of the contract
 * (`doubtful`), or it is passed over (`ignored`), or the whole checkout fails on it (`refused`).
 */
export type Verdict = 'used' | 'doubtful' | 'ignored' | 'refused'

/** One field: its place in the description, its value as JSON, and what becomes of it. */
export type DescribedField = { at: string; value: string; verdict: Verdict; says: string }

/** A description as the app reads it; without a request where any field is refused. */
export type DescriptionReading = { fields: DescribedField[]; request?: AppRequest }

type Note = (at: string, value: unknown, verdict: Verdict, says: string) => void
type Fields = Record<string, unknown>

/** The characters of RFC 3986, every % with its two digits; `new URL` takes what iOS refuses. */
const RFC_3986 = /^https?:\/\/(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})+$/i

/** Apple's ISO8601DateFormatter with default options: no fractions of a second. */
const APPLE_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/

/** What becomes of a date that does not parse: decades ahead, in seconds since 1970. */
const DISTANT_FUTURE = Date.parse('2080-01-01T00:00:00Z') / 1000

const FORM = 'application/x-www-form-urlencoded'

/** Reads the body of the answer to a transfer as the app does. */
export function readDescription(text: string): DescriptionReading {
  const fields: DescribedField[] = []
  let isRefused = false
  const note: Note = (at, value, verdict, says) => {
    if (verdict === 'refused') isRefused = true
    fields.push({ at, value: JSON.stringify(value) ?? 'absent', verdict, says })
  }
  const description = parse(text, note)
  if (!description) return { fields }
  const url = readUrl(description.url, note)
  const method = readMethod(description, note)
  const body = readBody(description.body, method, note)
  const cookies = readList(description.cookies, 'cookies', note).flatMap(cookie => readCookie(cookie, note))
  const headers = readHeaders(readList(description.headers, 'headers', note), note)
  for (const [name, value] of Object.entries(description)) {
    if (['url', 'httpMethod', 'body', 'cookies', 'headers'].includes(name)) continue
    note(name, value, 'ignored', 'This is no field of a description (contract 2.2); the app does not look at it.')
  }
  if (isRefused) return { fields }
  if (body !== undefined) headers.push({ name: 'Content-Type', value: FORM })
  return { fields, request: { method, url, headers, ...(body !== undefined && { body }), cookies } }
}

function parse(text: string, note: Note): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
    note('#', value, 'refused', 'The answer must be a JSON object (contract 2.2); the app shows its generic error.')
  } catch {
    const says = 'The answer is not JSON (contract 4.1 rule 1); the app shows its generic error.'
    note('#', text.slice(0, 200), 'refused', says)
  }
  return undefined
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A string, or nothing: Swift takes null for absent, and the app cannot decode anything else. */
function stringAt(value: unknown, at: string, note: Note): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  note(at, value, 'refused', 'This must be a string (contract 2.2); the app cannot decode the answer.')
  return undefined
}

function readUrl(value: unknown, note: Note): string {
  const url = stringAt(value, 'url', note)
  if (url === undefined) {
    if (value === undefined || value === null) {
      note('url', value, 'refused', 'It is required (contract 2.2); the app has nothing to open.')
    }
    return ''
  }
  // Brackets and ports may stand where no host can be made of them.
  if (!RFC_3986.test(url) || !URL.canParse(url)) {
    const says = 'iOS makes no URL of this: it must be http or https, and hold the characters of RFC 3986 alone.'
    note('url', url, 'refused', says)
  } else if (url.length > MAX_URL) {
    const says = `It has ${url.length} characters and the contract allows ${MAX_URL} (sections 4.1 rule 4 and 8): a longer URL can stop the checkout.`
    note('url', url, 'doubtful', says)
  } else note('url', url, 'used', 'The address that the web view opens.')
  return url
}

function readMethod(description: Fields, note: Note): string {
  const method = stringAt(description.httpMethod, 'httpMethod', note)
  if (method === undefined) {
    note('httpMethod', description.httpMethod, 'used', 'Absent means GET (contract 2.2).')
    return 'GET'
  }
  const says = {
    POST: 'The web view sends a POST (recommended, contract 4.1 rule 3).',
    GET: 'The web view sends a GET.'
  }
  if (method === 'POST' || method === 'GET') note('httpMethod', method, 'used', says[method])
  else if (/^[!#$%&'*+.^`|~\w-]+$/.test(method)) {
    note('httpMethod', method, 'doubtful', 'The contract knows GET and POST (2.2); the app uses it as it stands.')
  } else note('httpMethod', method, 'refused', 'This is no method of HTTP.')
  return method
}

function readBody(value: unknown, method: string, note: Note): string | undefined {
  const body = stringAt(value, 'body', note)
  if (body === undefined) return undefined
  if (method.toUpperCase() === 'GET') {
    note('body', body, 'refused', 'iOS sends no GET with a body; the app shows its generic error.')
  } else note('body', body, 'used', `Sent as UTF-8 with Content-Type: ${FORM}, always (contract 4.1 rule 2).`)
  return body
}

function readList(value: unknown, at: string, note: Note): { entry: Fields; at: string }[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) {
    note(at, value, 'refused', 'This must be an array (contract 2.2); the app cannot decode the answer.')
    return []
  }
  return value.flatMap((entry: unknown, i) => {
    if (isObject(entry)) return { entry, at: `${at}[${i}]` }
    note(`${at}[${i}]`, entry, 'refused', 'This must be an object (contract 2.2); the app cannot decode the answer.')
    return []
  })
}

function readCookie({ entry, at }: { entry: Fields; at: string }, note: Note): AppCookie[] {
  const name = stringAt(entry.name, `${at}.name`, note)
  const value = stringAt(entry.value, `${at}.value`, note)
  const path = stringAt(entry.path, `${at}.path`, note)
  const date = stringAt(entry.expireDate, `${at}.expireDate`, note)
  for (const flag of ['isSecure', 'isHttpOnly']) {
    if (entry[flag] === undefined || entry[flag] === null || typeof entry[flag] === 'boolean') continue
    note(`${at}.${flag}`, entry[flag], 'refused', 'This must be true or false (contract 2.2).')
  }
  if (!name || value === undefined) {
    note(at, entry, 'ignored', 'A cookie without a name or a value is passed over.')
    return []
  }
  const isReadable = date !== undefined && APPLE_DATE.test(date) && !Number.isNaN(Date.parse(date))
  if (date !== undefined && !isReadable) {
    const says =
      'iOS cannot read this date (it takes 2026-11-20T10:00:00Z, without fractions); the cookie stays for decades.'
    note(`${at}.expireDate`, date, 'doubtful', says)
  }
  const expires = isReadable ? Date.parse(date) / 1000 : DISTANT_FUTURE
  const cookie = {
    name,
    value,
    path: path ?? '/',
    secure: entry.isSecure === true,
    httpOnly: entry.isHttpOnly === true
  }
  note(
    at,
    entry,
    'used',
    'The app empties its cookie store, then sets this cookie for the domain it is configured with.'
  )
  return [{ ...cookie, expires }]
}

/** Headers are added: two of one name are joined, and the Content-Type is the app's own. */
function readHeaders(list: { entry: Fields; at: string }[], note: Note): AppRequest['headers'] {
  const headers: AppRequest['headers'] = []
  for (const { entry, at } of list) {
    const name = stringAt(entry.name, `${at}.name`, note)
    const value = stringAt(entry.value, `${at}.value`, note)
    if (!name || !value) {
      note(at, entry, 'ignored', 'A header without a name or a value is passed over.')
      continue
    }
    if (name.toLowerCase() === 'content-type') {
      note(
        at,
        entry,
        'ignored',
        'A Content-Type is ignored, because of in-app browser behaviour (contract 4.1 rule 2).'
      )
      continue
    }
    const same = headers.find(header => header.name.toLowerCase() === name.toLowerCase())
    if (same) same.value = `${same.value}, ${value}`
    else headers.push({ name, value })
    note(at, entry, 'used', same ? 'Joined to the header of the same name.' : 'Added to the web request.')
  }
  return headers
}

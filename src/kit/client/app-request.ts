// Plays the app of ../shared/real-app.md: from a description of a web request (contract 2.2) to the request that an
// iPhone sends, with a word on what becomes of each field, or to the generic error that its user sees instead.
import { MAX_URL, type WebRequest } from '../../transfer/option.ts'
import { type AppCookie, readCookie } from './described-cookie.ts'
import {
  type DescribedField,
  type Fields,
  isObject,
  type NoteField,
  noteOthers,
  readEntries,
  stringAt,
  TOKEN
} from './described-field.ts'
import { readHeaders } from './described-headers.ts'

/**
 * What the web view opens. Where cookies are described (none of them, too) the app empties its cookie store and sets
 * those before it.
 */
export type AppRequest = WebRequest & { cookies?: AppCookie[] }

/** A description as the app reads it; without a request where any field is refused. */
export type DescriptionReading = { fields: DescribedField[]; request?: AppRequest }

/** The characters of RFC 3986, every % with its two digits; `new URL` takes what iOS refuses. */
const RFC_3986 =
  /^https?:\/\/(?:[\w\-.~:/?[\]@!$&'()*+,;=]|%[0-9a-f]{2})+(?:#(?:[\w\-.~:/?@!$&'()*+,;=]|%[0-9a-f]{2})*)?$/i

const FORM = 'application/x-www-form-urlencoded'

/** Reads the body of the answer to a transfer as the app does. */
export function readDescription(text: string): DescriptionReading {
  const fields: DescribedField[] = []
  let isRefused = false
  const note: NoteField = (at, value, verdict, says) => {
    if (verdict === 'refused') isRefused = true
    fields.push({ at, value: JSON.stringify(value) ?? 'absent', verdict, says })
  }
  const description = parse(text, note)
  if (!description) return { fields }
  const url = readUrl(description.url, note)
  const method = readMethod(description, note)
  const body = readBody(description.body, method, note)
  const cookies = readEntries(description.cookies, 'cookies', note).flatMap(cookie => readCookie(cookie, note))
  const headers = readHeaders(readEntries(description.headers, 'headers', note), note)
  noteOthers(description, '', ['url', 'httpMethod', 'body', 'cookies', 'headers'], note)
  if (isRefused) return { fields }
  if (body !== undefined || method === 'POST') headers.push({ name: 'Content-Type', value: FORM })
  return { fields, request: { method, url, headers, ...(body !== undefined && { body }), cookies } }
}

function parse(text: string, note: NoteField): Fields | undefined {
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

function readUrl(value: unknown, note: NoteField): string {
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

function readMethod(description: Fields, note: NoteField): string {
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
  else if (TOKEN.test(method) && method.toUpperCase() !== 'CONNECT') {
    note('httpMethod', method, 'doubtful', 'The contract knows GET and POST (2.2); the app uses it as it stands.')
  } else note('httpMethod', method, 'refused', 'This is no method that opens a page.')
  return method
}

function readBody(value: unknown, method: string, note: NoteField): string | undefined {
  const body = stringAt(value, 'body', note)
  if (body === undefined) return undefined
  if (method.toUpperCase() === 'GET') {
    note('body', body, 'refused', 'iOS sends no GET with a body; the app shows its generic error.')
  } else note('body', body, 'used', `Sent as UTF-8 with Content-Type: ${FORM}, always (contract 4.1 rule 2).`)
  return body
}

// A cookie of a description as the app sets it (real-app.md 5 and 6).
import { isCalendarDate } from '../../calendar.ts'
import { type Entry, type NoteField, noteOthers, stringAt, TOKEN } from './described-field.ts'

/** A cookie as the app sets it before it loads the page; `expires` in seconds since 1970. */
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

/** Apple's ISO8601DateFormatter with default options: no fractions of a second. */
const APPLE_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/

/** What becomes of a date that does not parse: decades ahead, in seconds since 1970. */
const DISTANT_FUTURE = Date.parse('2080-01-01T00:00:00Z') / 1000

/** @returns the cookie, or nothing where the app or the browser passes it over */
export function readCookie({ entry, at }: Entry, note: NoteField): AppCookie[] {
  const name = stringAt(entry.name, `${at}.name`, note)
  const value = stringAt(entry.value, `${at}.value`, note)
  const path = stringAt(entry.path, `${at}.path`, note) ?? '/'
  const date = stringAt(entry.expireDate, `${at}.expireDate`, note)
  for (const flag of ['isSecure', 'isHttpOnly']) {
    if (entry[flag] === undefined || entry[flag] === null || typeof entry[flag] === 'boolean') continue
    note(`${at}.${flag}`, entry[flag], 'refused', 'This must be true or false (contract 2.2).')
  }
  noteOthers(entry, at, COOKIE_FIELDS, note)
  if (!name || value === undefined) {
    note(at, entry, 'ignored', 'A cookie without a name or a value is passed over.')
    return []
  }
  if (!TOKEN.test(name) || !COOKIE_VALUE.test(value) || !COOKIE_PATH.test(path)) {
    note(at, entry, 'ignored', 'No cookie can have these characters (RFC 6265, section 4.1.1); it is not sent.')
    return []
  }
  const isReadable = date !== undefined && isAppDate(date)
  if (date !== undefined && !isReadable) {
    const says =
      'iOS cannot read this date (it takes 2026-11-20T10:00:00Z, without fractions); the cookie stays for decades.'
    note(`${at}.expireDate`, date, 'doubtful', says)
  }
  const expires = isReadable ? Date.parse(date) / 1000 : DISTANT_FUTURE
  const until = isReadable ? ` until ${date}` : ''
  const says = `The app empties its cookie store, then sets this cookie for the domain it is configured with, below ${path}${until}.`
  note(at, entry, 'used', says)
  return [{ name, value, path, secure: entry.isSecure === true, httpOnly: entry.isHttpOnly === true, expires }]
}

function isAppDate(text: string): boolean {
  return APPLE_DATE.test(text) && isCalendarDate(text.slice(0, 10)) && !Number.isNaN(Date.parse(text))
}

// A cookie of a description as the app sets it (REAL-APP.md 5 and 6).
import { isCalendarDate } from '../../calendar.ts'
import { type ListEntry, type ReportField, readString, reportUnknownFields, TOKEN } from './described-field.ts'

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
export function readCookie({ entry, at }: ListEntry, report: ReportField): AppCookie[] {
  const name = readString(entry.name, `${at}.name`, report)
  const value = readString(entry.value, `${at}.value`, report)
  const path = readString(entry.path, `${at}.path`, report) ?? '/'
  const date = readString(entry.expireDate, `${at}.expireDate`, report)
  for (const flag of ['isSecure', 'isHttpOnly']) {
    if (entry[flag] === undefined || entry[flag] === null || typeof entry[flag] === 'boolean') continue
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

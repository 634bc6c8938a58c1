// The headers of a description as the app adds them (REAL-APP.md 3).
import type { WebRequest } from '../../transfer/option.ts'
import { type ListEntry, type ReportField, readString, reportUnknownFields, TOKEN } from './described-field.ts'
import { TRANSPORT_HEADERS } from './send-request.ts'

const HEADER_VALUE = /^[\t -~]*$/

/** Headers with the same name are joined; the Content-Type is always the app's own. */
export function readHeaders(entries: ListEntry[], report: ReportField): WebRequest['headers'] {
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

// The headers of a description as the app adds them (real-app.md 3).
import type { WebRequest } from '../../transfer/option.ts'
import { type Entry, type NoteField, noteOthers, stringAt, TOKEN } from './described-field.ts'
import { TRANSPORT_HEADERS } from './send-request.ts'

const HEADER_VALUE = /^[\t -~]*$/

/** Headers are added: two of one name are joined, and the Content-Type is the app's own. */
export function readHeaders(list: Entry[], note: NoteField): WebRequest['headers'] {
  const headers: WebRequest['headers'] = []
  for (const { entry, at } of list) {
    const name = stringAt(entry.name, `${at}.name`, note)
    const value = stringAt(entry.value, `${at}.value`, note)
    noteOthers(entry, at, ['name', 'value'], note)
    if (!name || value === undefined) {
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
    if (TRANSPORT_HEADERS.includes(name.toLowerCase())) {
      note(at, entry, 'ignored', 'iOS writes this header itself, from the address and the body.')
      continue
    }
    if (!TOKEN.test(name) || !HEADER_VALUE.test(value)) {
      note(at, entry, 'refused', 'No header can have these characters (RFC 9110, section 5); use printable ASCII.')
      continue
    }
    const same = headers.find(header => header.name.toLowerCase() === name.toLowerCase())
    if (same) same.value = `${same.value}, ${value}`
    else headers.push({ name, value })
    if (name.toLowerCase() === 'cookie') {
      note(
        at,
        entry,
        'doubtful',
        'Cookies of the web view take its place where there are any; describe cookies instead.'
      )
    } else note(at, entry, 'used', same ? 'Joined to the header of the same name.' : 'Added to the web request.')
  }
  return headers
}

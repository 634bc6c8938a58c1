// What the app makes of each field of a description, and how its parts are taken out of the JSON.

/**
 * What the app makes of one field of a description: it is used, or used although it breaks a rule of the contract
 * (`doubtful`), or it is passed over (`ignored`), or the whole checkout fails on it (`refused`).
 */
export type FieldVerdict = 'used' | 'doubtful' | 'ignored' | 'refused'

/** One field: its place in the description, its value as JSON, and what becomes of it. */
export type DescribedField = { at: string; value: string; verdict: FieldVerdict; says: string }

export type NoteField = (at: string, value: unknown, verdict: FieldVerdict, says: string) => void
export type Fields = Record<string, unknown>
export type Entry = { entry: Fields; at: string }

/** A method, the name of a header or of a cookie (RFC 9110, section 5.6.2). */
export const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A string, or nothing: Swift takes null for absent, and the app cannot decode anything else. */
export function stringAt(value: unknown, at: string, note: NoteField): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  note(at, value, 'refused', 'This must be a string (contract 2.2); the app cannot decode the answer.')
  return undefined
}

export function readEntries(value: unknown, at: string, note: NoteField): Entry[] {
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

/** Fields that the contract does not have are passed over. */
export function noteOthers(fields: Fields, at: string, known: string[], note: NoteField): void {
  for (const [name, value] of Object.entries(fields)) {
    if (known.includes(name)) continue
    const says = 'This is no field of a description (contract 2.2); the app does not look at it.'
    note(at ? `${at}.${name}` : name, value, 'ignored', says)
  }
}

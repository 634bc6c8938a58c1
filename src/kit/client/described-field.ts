// How the app handles each field of a description, and typed access to the values in its JSON.

/**
 * How the app handles a field: it uses it; uses it although it breaks a rule of the contract (`doubtful`); ignores it;
 * or fails the whole checkout because of it (`refused`).
 */
export type FieldVerdict = 'used' | 'doubtful' | 'ignored' | 'refused'

/** A field: its path in the description, its value as JSON, and how the app handles it, with the reason. */
export type DescribedField = { at: string; value: string; verdict: FieldVerdict; says: string }

export type ReportField = (at: string, value: unknown, verdict: FieldVerdict, says: string) => void
export type JsonObject = Record<string, unknown>
/** An entry of a list, with its path such as `cookies[0]`. */
export type ListEntry = { entry: JsonObject; at: string }

/** A method, header name or cookie name (RFC 9110, section 5.6.2). */
export const TOKEN = /^[!#$%&'*+.^`|~\w-]+$/

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Swift decodes null as absent, and fails on any other type. */
export function readString(value: unknown, at: string, report: ReportField): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value === 'string') return value
  report(at, value, 'refused', mustBe('a string'))
  return undefined
}

/** Reads a list of objects, such as `cookies`; null and absent are an empty one. */
export function readEntries(value: unknown, at: string, report: ReportField): ListEntry[] {
  if (value === undefined || value === null) return []
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

export function reportUnknownFields(fields: JsonObject, at: string, known: string[], report: ReportField): void {
  for (const [name, value] of Object.entries(fields)) {
    if (known.includes(name)) continue
    report(at ? `${at}.${name}` : name, value, 'ignored', 'Not a field of a description (contract 2.2).')
  }
}

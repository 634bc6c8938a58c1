// Plays the app of ../shared/real-app.md: from a description of a web request to the request that an iPhone sends, or
// to the generic error that its user sees instead.
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** What Swift decodes: unknown fields are passed over, and everything but the url may be absent. */
const Description = Type.Object({
  url: Type.String(),
  httpMethod: Type.Optional(Type.String()),
  body: Type.Optional(Type.String()),
  cookies: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Union([Type.String(), Type.Boolean()])))),
  headers: Type.Optional(Type.Array(Type.Record(Type.String(), Type.String())))
})

export type AppCookie = {
  name: string
  value: string
  path: string
  secure: boolean
  httpOnly: boolean
  expires: number
}

export type AppRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body: string | undefined
  cookies: AppCookie[]
}

/** The characters of RFC 3986, every % with its two digits; `new URL` takes what iOS refuses. */
const RFC_3986 = /^[a-z][a-z0-9+.-]*:\/\/(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})+$/i

/** Apple's ISO8601DateFormatter with default options: no fractions of a second. */
const APPLE_DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d)$/

/** What becomes of a date that does not parse: decades ahead. */
const DISTANT_FUTURE = Date.parse('2080-01-01T00:00:00Z') / 1000

/** @throws Error where the app would show its generic error */
export function requestOf(answer: unknown): AppRequest {
  const description: Static<typeof Description> = Value.Decode(Description, answer)
  const { url, httpMethod: method = 'GET', body } = description
  if (!RFC_3986.test(url)) throw new Error(`iOS makes no URL of ${url}`)
  if (method === 'GET' && body !== undefined) throw new Error('iOS sends no GET with a body')
  const headers: Record<string, string> = {}
  for (const { name, value } of description.headers ?? []) {
    if (name && value) headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  if (body !== undefined) headers['Content-Type'] = 'application/x-www-form-urlencoded'
  const cookies = (description.cookies ?? []).flatMap(({ name, value, path, isSecure, isHttpOnly, expireDate }) => {
    if (typeof name !== 'string' || typeof value !== 'string') return []
    const date =
      typeof expireDate === 'string' && APPLE_DATE.test(expireDate) ? Date.parse(expireDate) / 1000 : DISTANT_FUTURE
    const cookie = {
      path: String(path ?? '/'),
      secure: isSecure === true,
      httpOnly: isHttpOnly === true,
      expires: date
    }
    return [{ name, value, ...cookie }]
  })
  return { method, url, headers, body, cookies }
}

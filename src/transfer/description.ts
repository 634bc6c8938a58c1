// The description of a web request (contract 2.2), in a form that real apps understand.
import { type Static, Type } from '@sinclair/typebox'

/** What headers and cookies may be made of (RFC 9110, RFC 6265), as regular expressions. */
export const describedPatterns = {
  name: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
  headerValue: '^[ -~]+$',
  cookieValue: '^[!#-+\\--:<-[\\]-~]+$',
  cookiePath: '^/[!-:<-~]*$',
  expireDate: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$'
}

export const DescribedCookie = Type.Object({
  name: Type.String({ pattern: describedPatterns.name, description: 'a cookie name' }),
  value: Type.String({
    pattern: describedPatterns.cookieValue,
    description: 'printable ASCII without spaces, quotes, commas, semicolons and backslashes'
  }),
  path: Type.Optional(Type.String({ pattern: describedPatterns.cookiePath, description: 'a path such as "/"' })),
  isSecure: Type.Optional(Type.Boolean({ description: 'true or false' })),
  isHttpOnly: Type.Optional(Type.Boolean({ description: 'true or false' })),
  expireDate: Type.Optional(
    Type.String({ pattern: describedPatterns.expireDate, description: 'in UTC, without fractions of a second' })
  )
})
export type DescribedCookie = Static<typeof DescribedCookie>

export const DescribedHeader = Type.Object({
  name: Type.String({
    pattern: describedPatterns.name,
    description: 'a header name; never Content-Type, which the app ignores'
  }),
  value: Type.String({ pattern: describedPatterns.headerValue, description: 'printable ASCII, at least one character' })
})
export type DescribedHeader = Static<typeof DescribedHeader>

/** Contract 2.2, field by field; nothing else is sent. */
export const Description = Type.Object({
  url: Type.String({ description: 'where the web request goes, as it is' }),
  httpMethod: Type.Union([Type.Literal('GET'), Type.Literal('POST')]),
  body: Type.Optional(Type.String({ description: 'form-encoded; only with POST' })),
  cookies: Type.Optional(Type.Array(DescribedCookie)),
  headers: Type.Optional(Type.Array(DescribedHeader))
})
export type Description = Static<typeof Description>

/** `2026-11-20T10:00:00Z`: iOS refuses fractions of a second, and then keeps the cookie for decades. */
export function appDate(date: Date): string {
  return date.toISOString().replace(/\.\d+/, '')
}

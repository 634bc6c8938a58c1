// The description of a web request (contract 2.2) that option 1 answers with, in a form that real apps understand.
import { type Static, Type } from '@sinclair/typebox'
import type { CheckoutLink } from '../option.ts'
import type { JsonSettings } from './settings.ts'

const Cookie = Type.Object({
  name: Type.String(),
  value: Type.String(),
  expireDate: Type.Optional(Type.String()),
  isHttpOnly: Type.Optional(Type.Boolean()),
  isSecure: Type.Optional(Type.Boolean()),
  path: Type.Optional(Type.String())
})

/** Contract 2.2, field by field; nothing else is sent. */
export const Description = Type.Object({
  url: Type.String(),
  httpMethod: Type.Union([Type.Literal('GET'), Type.Literal('POST')]),
  body: Type.Optional(Type.String()),
  cookies: Type.Optional(Type.Array(Cookie)),
  headers: Type.Optional(Type.Array(Type.Object({ name: Type.String(), value: Type.String() })))
})
export type Description = Static<typeof Description>

/**
 * Describes the request that opens a checkout. POST carries the token in its body (contract 4.1 rule 3); GET carries
 * it in the path and has no body, as iOS sends no GET with one. Nothing per item is in the URL (rule 4).
 */
export function describeRequest({ url, token, at }: CheckoutLink, settings: JsonSettings['description']): Description {
  const { httpMethod = 'POST', headers = [], cookies = [] } = settings ?? {}
  return {
    url: httpMethod === 'GET' ? `${url}/${token}` : url,
    httpMethod,
    ...(httpMethod === 'POST' && { body: `token=${token}` }),
    ...(cookies.length > 0 && {
      cookies: cookies.map(({ expiresAfterMinutes, expireDate, ...cookie }) => ({
        ...cookie,
        ...(expireDate !== undefined && { expireDate: appDate(new Date(expireDate)) }),
        ...(expiresAfterMinutes !== undefined && {
          expireDate: appDate(new Date(at.getTime() + expiresAfterMinutes * 60_000))
        })
      }))
    }),
    ...(headers.length > 0 && { headers })
  }
}

/** `2026-11-20T10:00:00Z`: iOS refuses fractions of a second, and then keeps the cookie for decades. */
function appDate(date: Date): string {
  return date.toISOString().replace(/\.\d+/, '')
}

// The settings of option 1, and the description made from them (contract 2.2). Settings that no app could follow are refused.
import { type Static, Type } from '@sinclair/typebox'
import { isCalendarDate } from '../../cart/exact-values.ts'
import { AuthenticationSetting } from '../authentication.ts'
import { appDate, DescribedCookie, DescribedHeader, type Description } from '../description.ts'
import { type CheckoutLink, MAX_TOKEN, MAX_URL, OnlyForOurPage, type ReportError } from '../option.ts'

const closed = { additionalProperties: false }

const HeaderSetting = Type.Object(DescribedHeader.properties, closed)

const CookieSetting = Type.Object(
  {
    ...DescribedCookie.properties,
    expireDate: Type.Optional(
      Type.String({
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(Z|[+-]\\d\\d:\\d\\d)$',
        description: 'a date and time such as "2027-01-31T12:00:00Z"; or give expiresAfterMinutes, not both'
      })
    ),
    expiresAfterMinutes: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 5_256_000,
        description: 'whole minutes from 1 to 5256000 (ten years); or give expireDate, not both'
      })
    )
  },
  closed
)

export const JsonSettings = Type.Object({
  acceptHyphenated: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'true or false: also accept the 36-character form of a UUID as the reference'
    })
  ),
  authentication: Type.Optional(AuthenticationSetting),
  description: OnlyForOurPage(
    Type.Optional(
      Type.Object(
        {
          httpMethod: Type.Optional(
            Type.Union([Type.Literal('GET'), Type.Literal('POST')], {
              description:
                'the method of the described request: "POST" (default) or "GET", which the contract advises against'
            })
          ),
          headers: Type.Optional(
            Type.Array(HeaderSetting, { description: 'a list of headers for that request: { "name": …, "value": … }' })
          ),
          cookies: Type.Optional(
            Type.Array(CookieSetting, {
              description: 'a list of cookies for that request: { "name": …, "value": …, … }'
            })
          )
        },
        { ...closed, description: 'an object with httpMethod, headers and cookies, each optional' }
      )
    )
  )
})
export type JsonSettings = Static<typeof JsonSettings>

export function checkJsonSettings({ description = {} }: JsonSettings, checkoutUrl: string, report: ReportError): void {
  const place = ['description']
  description.headers?.forEach(({ name }, i) => {
    if (name.toLowerCase() === 'content-type') {
      const problem = 'the app ignores a Content-Type (contract 4.1 rule 2); leave this header out'
      report([...place, 'headers', i, 'name'], problem)
    }
  })
  description.cookies?.forEach(({ expireDate, expiresAfterMinutes }, i) => {
    if (expireDate === undefined) return
    const cookie = [...place, 'cookies', i]
    if (expiresAfterMinutes !== undefined) report(cookie, 'give expireDate or expiresAfterMinutes, not both')
    const problem = `"${expireDate}" is not a date that exists; use one such as "2027-01-31T12:00:00Z"`
    if (!isAppDate(expireDate)) report([...cookie, 'expireDate'], problem)
  })
  const length = checkoutUrl.length + (description.httpMethod === 'GET' ? 1 + MAX_TOKEN : 0)
  if (length > MAX_URL) {
    const limit = `${length} characters and ${MAX_URL} are allowed`
    report(place, `the described URL could have ${limit}; shorten publicUrl or checkout.path`)
  }
}

/** Whether a date exists, and has a four-digit year in UTC too: iOS reads no others. */
function isAppDate(text: string): boolean {
  const date = new Date(text)
  return isCalendarDate(text.slice(0, 10)) && !Number.isNaN(date.getTime()) && /^\d{4}-/.test(date.toISOString())
}

/**
 * Describes the request that opens a checkout. POST carries the token in its body (contract 4.1 rule 3); GET carries
 * it in the path and has no body, as iOS sends no GET with one. Nothing per item is in the URL (rule 4).
 */
export function describeRequest(
  { url, token, at }: CheckoutLink,
  { httpMethod = 'POST', headers = [], cookies = [] }: JsonSettings['description'] = {}
): Description {
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

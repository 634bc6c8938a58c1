// The description that leads to our own checkout page, as the settings of option 1 want it.
import { appDate, type Description } from '../description.ts'
import type { CheckoutLink } from '../option.ts'
import type { JsonSettings } from './settings.ts'

/**
 * Describes the request that opens a checkout. POST carries the token in its body (contract 4.1 rule 3); GET carries
 * it in the path and has no body, as iOS sends no GET with one. Nothing per item is in the URL (rule 4).
 */
export function describeRequest(
  { url, token, at }: Pick<CheckoutLink, 'url' | 'token' | 'at'>,
  settings: JsonSettings['description']
): Description {
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

// The session that Vendure begins for a cart, and how the shopper's page gets it.
import type { Cookie } from 'tough-cookie'
import { appDate, type DescribedCookie } from '../../transfer/description.ts'
import { ShopFailed } from '../shop-errors.ts'

export type PageSettings = {
  pageUrl: string
  tokenCookie?: string
}

export type Session = {
  /** Headers by which a call of the Shop API belongs to it. */
  headers: Record<string, string>
  /** The page, and the cookies that it needs. */
  url: string
  cookies: DescribedCookie[]
}

/** Stands for the session's token in `pageUrl`. */
export const TOKEN_PLACE = '{token}'

/** @param answer the headers of the answer with which the session began */
export async function readSession({ pageUrl, tokenCookie }: PageSettings, answer: Headers): Promise<Session> {
  if (tokenCookie === undefined && !pageUrl.includes(TOKEN_PLACE)) {
    // Loaded with the first session, so that a server without Vendure does without it.
    const { Cookie } = await import('tough-cookie')
    const cookies = answer.getSetCookie().flatMap(header => describeCookie(Cookie.parse(header)) ?? [])
    if (cookies.length === 0) throw missing('session cookies', 'cookie')
    return {
      headers: { cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; ') },
      url: pageUrl,
      cookies
    }
  }
  const token = answer.get('vendure-auth-token')
  if (!token) throw missing('a vendure-auth-token', 'bearer')
  const isSecure = pageUrl.startsWith('https:')
  return {
    headers: { authorization: `Bearer ${token}` },
    url: pageUrl.replaceAll(TOKEN_PLACE, encodeURIComponent(token)),
    cookies:
      tokenCookie === undefined ? [] : [{ name: tokenCookie, value: token, isHttpOnly: true, isSecure, path: '/' }]
  }
}

function describeCookie(cookie: Cookie | undefined): DescribedCookie | undefined {
  if (!cookie?.value) return undefined
  const { key, value, expires, httpOnly, secure, path } = cookie
  return {
    name: key,
    value,
    ...(expires instanceof Date && { expireDate: appDate(expires) }),
    isHttpOnly: httpOnly,
    isSecure: secure,
    ...(path && { path })
  }
}

function missing(what: string, method: string): ShopFailed {
  return new ShopFailed(
    `Vendure began a session without ${what}; add "${method}" to authOptions.tokenMethod in its configuration`
  )
}

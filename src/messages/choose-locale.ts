// Which of a merchant's locales suits a shopper best, by the Accept-Language of the request.
import { match } from '@formatjs/intl-localematcher'
import Negotiator from 'negotiator'

/** The most languages of a header that are looked at; a phone sends a handful. */
const MOST = 20

/**
 * @param accept the header `Accept-Language`
 * @param locales what there is, the default first
 */
export function chooseLocale(accept: string | undefined, locales: [string, ...string[]]): string {
  const [usual, ...others] = locales
  if (accept === undefined || others.length === 0) return usual
  const wanted = new Negotiator({ headers: { 'accept-language': accept } }).languages()
  return match(wanted.slice(0, MOST).filter(isWellFormed), locales, usual)
}

/** `*` is none, and neither is what only looks like a tag. */
function isWellFormed(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

// Addresses of a shop: those that we call, and those that an app opens.
import { isPrivate } from '../private-address.ts'
import { MAX_URL } from '../transfer/option.ts'

/** The characters of RFC 3986, each % with two hex digits: `new URL` accepts what iOS refuses. */
const CHARACTERS = /^(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[0-9a-f]{2})+$/i

/** What is wrong with the address of a page that an app is to open, if anything is. */
export function pageUrlProblem(text: string): string | undefined {
  if (!CHARACTERS.test(text)) return 'it has characters that RFC 3986 does not allow in a URL'
  if (text.length > MAX_URL) return `it has ${text.length} characters, and the contract allows ${MAX_URL} (section 8)`
  return shopUrlProblem(text)
}

/** What is wrong with the address of a shop, if anything is; without the address, which could hold a secret. */
export function shopUrlProblem(text: string): string | undefined {
  const url = URL.parse(text)
  // `URL` reads `https:shop.example` as well, which a browser takes for a path.
  if (!url || !/^https?:\/\/[^/]/i.test(text)) return 'it is not an absolute http or https address'
  if (url.username || url.password) return 'it has a user or a password'
  if (url.protocol === 'http:' && !isPrivate(url.hostname)) {
    return 'it is http, which is for loopback and private addresses only'
  }
  return undefined
}

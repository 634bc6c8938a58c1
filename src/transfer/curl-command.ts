// A web request as a curl command to paste.
import type { WebRequest } from './option.ts'

/** The headers that an HTTP client always sets itself. */
export const TRANSPORT_HEADERS = ['host', 'content-length', 'connection', 'transfer-encoding']

/** A character that does not print, or reorders those that do. */
export const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** A line for bash or zsh (dash too, for plain text) that sends the same request, with curl's own User-Agent. */
export function curlLine({ method, url, headers, body }: WebRequest): string {
  const texts = [method, url, body ?? '', ...headers.flatMap(({ name, value }) => [name, value])]
  if (texts.some(text => text.includes('\0'))) return '# this request contains a NUL, which no shell can pass on'
  const words = ['curl']
  if (method === 'HEAD') words.push('-I')
  else if (method !== 'GET' || body !== undefined) words.push('-X', quoteWord(method))
  // Stops curl from expanding brackets and braces, and from resolving dot segments.
  if (/[[\]{}]/.test(url)) words.push('-g')
  if (/\/\.{1,2}([/?#]|$)/.test(url)) words.push('--path-as-is')
  for (const { name, value, variable } of headers) {
    if (TRANSPORT_HEADERS.includes(name.toLowerCase())) continue
    // The shell fills the secret in, and says so if the variable is not set.
    if (variable !== undefined) words.push('-H', `"${name}: ${value.replace(`$${variable}`, `\${${variable}:?}`)}"`)
    else words.push('-H', quoteWord(value.trim() ? `${name}: ${value}` : `${name};`))
  }
  if (body !== undefined) words.push('--data-raw', quoteWord(body))
  return [...words, quoteWord(url)].join(' ')
}

export function quoteWord(word: string): string {
  if (/^[\w-]+$/.test(word)) return word
  if (!INVISIBLE.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`
  const escaped = word.replace(/['\\]/g, '\\$&').replace(new RegExp(INVISIBLE, 'gu'), found => {
    return Array.from(Buffer.from(found), byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  })
  return `$'${escaped}'`
}

// A web request as code to paste: a curl command, or a call of fetch.
import type { WebHeader, WebRequest } from '../../transfer/option.ts'
import { TRANSPORT_HEADERS } from './send-request.ts'

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

export function fetchCall({ method, url, headers, body }: WebRequest): string {
  if (body !== undefined && /^(GET|HEAD)$/i.test(method)) return `// fetch cannot send a ${method} with a body`
  const sent = headers.filter(({ name }) => !TRANSPORT_HEADERS.includes(name.toLowerCase()))
  // Pairs, as a header may be repeated.
  const pairs = sent.map(header => `    [${JSON.stringify(header.name)}, ${writeValue(header)}]`)
  const parts = [
    `  method: ${JSON.stringify(method)}`,
    `  headers: [\n${pairs.join(',\n')}\n  ]`,
    ...(body === undefined ? [] : [`  body: ${JSON.stringify(body)}`])
  ]
  return `await fetch(${JSON.stringify(url)}, {\n${parts.join(',\n')}\n})`
}

/** A secret is a constant with the name of its variable: without one the call fails, and names it. */
function writeValue({ value, variable }: WebHeader): string {
  if (variable === undefined) return JSON.stringify(value)
  return `\`${value.replace(`$${variable}`, `\${${variable}}`)}\``
}

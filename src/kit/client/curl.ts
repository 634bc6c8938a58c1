// A web request as a curl line.
import type { WebRequest } from '../../transfer/option.ts'
import { TRANSPORT_HEADERS } from './send-request.ts'

/**
 * A line to paste into a shell (bash, zsh, dash for what is plain text): it sends the same method, headers and bytes,
 * and curl's own User-Agent.
 */
export function curlLine({ method, url, headers, body }: WebRequest): string {
  const all = [method, url, body ?? '', ...headers.flatMap(({ name, value }) => [name, value])]
  if (all.some(text => text.includes('\0'))) return '# there is a NUL in this request, which no shell can pass on'
  const words = ['curl']
  if (method === 'HEAD') words.push('-I')
  else if (method !== 'GET' || body !== undefined) words.push('-X', quoteWord(method))
  // What curl would make of an address otherwise: several, or a tidier one.
  if (/[[\]{}]/.test(url)) words.push('-g')
  if (/\/\.{1,2}([/?#]|$)/.test(url)) words.push('--path-as-is')
  const added = headers.filter(({ name }) => !TRANSPORT_HEADERS.includes(name.toLowerCase()))
  for (const { name, value } of added) words.push('-H', quoteWord(value.trim() ? `${name}: ${value}` : `${name};`))
  if (body !== undefined) words.push('--data-raw', quoteWord(body))
  return [...words, quoteWord(url)].join(' ')
}

/** What a terminal would not show as it is, or act upon. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

function quoteWord(word: string): string {
  if (/^[\w-]+$/.test(word)) return word
  if (!UNSEEN.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`
  const escaped = word.replace(/['\\]/g, '\\$&').replace(new RegExp(UNSEEN, 'gu'), found => {
    const bytes = [...Buffer.from(found)]
    return bytes.map(byte => `\\x${byte.toString(16).padStart(2, '0')}`).join('')
  })
  return `$'${escaped}'`
}

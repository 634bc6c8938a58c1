// The requests that the load consists of: bags of random products, each option's own way.
import { randomUUID } from 'node:crypto'
import { transferOptions } from '../../src/transfer/index.ts'

/** What a web view sends with each request. */
const HEADERS = [
  'Host: shop.example',
  'User-Agent: Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'Accept-Language: en-GB,en;q=0.9',
  'Accept-Encoding: gzip, deflate'
]

/** How many lines the different bags of a kind have in total: more products than a small cache keeps. */
const LINES_IN_TURN = 5120

export function writeRequest(
  { method, path, headers = [], body = '' }: { method: string; path: string; headers?: string[]; body?: string },
  connection: 'keep-alive' | 'close' = 'keep-alive'
): string {
  const lines = [`${method} ${path} HTTP/1.1`, ...HEADERS, ...headers]
  if (method === 'POST') lines.push(`Content-Length: ${Buffer.byteLength(body)}`)
  if (connection === 'close') lines.push('Connection: close')
  return `${lines.join('\r\n')}\r\n\r\n${body}`
}

/** A generator with a seed (mulberry32), so that every run sends the same bags. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * below)
  }
}

/** Products of a generated feed that can be bought: those in stock. */
function randomItems(lines: number, products: number, random: (below: number) => number) {
  const skus = new Set<string>()
  while (skus.size < lines) {
    const product = 1 + random(products - 1)
    if (product % 7 !== 0) skus.add(`SKU-${product}`)
  }
  return Array.from(skus, sku => ({ sku, quantity: 1 + random(3) }))
}

type Bags = {
  option: '1' | '2A' | '2B'
  lines: number
  products: number
  path: string
  connection?: 'keep-alive' | 'close'
}

/** Transfers through an option; each gets a new reference when it is sent. */
export function transfers({ option: name, lines, products, path, connection }: Bags): Kind {
  const option = transferOptions.find(option => option.name === name)
  const random = randomNumbers(lines)
  const requests = Array.from({ length: Math.ceil(LINES_IN_TURN / lines) }, () => {
    const cart = { reference: REFERENCE, currency: 'GBP', items: randomItems(lines, products, random) }
    const request = option?.request(cart, 'http://shop.example')
    const { method = '', url = '', headers = [], body = '' } = request ?? {}
    const added = headers.map(({ name, value }) => `${name}: ${value}`)
    const text = { method, path: path + url.slice('http://shop.example'.length), headers: added, body }
    return writeRequest(text, connection)
  })
  const answer = name === '1' ? { holds: '"token=', times: 1 } : { holds: 'data-sku=', times: lines }
  return { name: `${name}, ${lines} lines`, requests, ...answer, echoes: name !== '1' }
}

/** Checkout pages that exist, shown again. */
export function pages(paths: string[], lines: number): Kind {
  const requests = paths.map(path => writeRequest({ method: 'GET', path }))
  return { name: `page, ${lines} lines`, requests, holds: 'data-sku=', times: lines, echoes: false }
}

/** A UUID that each request replaces by a reference of its own. */
export const REFERENCE = 'facade00'.repeat(4)

/** Requests of one kind, sent in turn. */
export type Kind = {
  name: string
  requests: string[]
  /** What a body must hold, and how often. It must also hold the reference, if `echoes`. */
  holds: string
  times: number
  echoes: boolean
}

/** A request that was written, and what is needed to check its answer. */
export type Written = { length: number; reference: string }

export type Requests = ReturnType<typeof requestsOf>

/** The requests of a kind, in turn. */
export function requestsOf({ requests }: Kind) {
  const prepared = requests.map(text => {
    const bytes = Buffer.from(text, 'latin1')
    return { bytes, referenceAt: bytes.indexOf(REFERENCE) }
  })
  let sent = 0
  return {
    /** The length of the longest request, in bytes. */
    longest: Math.max(...prepared.map(({ bytes }) => bytes.length)),
    /** Writes the next request, with a new reference. */
    writeNext: (into: Buffer): Written => {
      const { bytes, referenceAt } = prepared[sent++ % prepared.length] as (typeof prepared)[number]
      bytes.copy(into)
      if (referenceAt < 0) return { length: bytes.length, reference: '' }
      const reference = randomUUID().replaceAll('-', '')
      into.write(reference, referenceAt, 'latin1')
      return { length: bytes.length, reference }
    }
  }
}

/**
 * Checks an answer; of most, only the status is known.
 * @throws if it is not the answer to this request
 */
export function checkAnswer(
  { status, body }: { status: number; body: string | undefined },
  kind: Kind,
  { reference }: Written
): void {
  const { name, holds, times, echoes } = kind
  if (status !== 200) throw new Error(`${name}: status ${status}`)
  if (body === undefined) return
  const found = body.split(holds).length - 1
  if (found !== times) {
    throw new Error(`${name}: ${JSON.stringify(holds)} is in the body ${found} times instead of ${times}`)
  }
  if (echoes && !body.includes(reference)) throw new Error(`${name}: the body lacks the reference that was sent`)
}

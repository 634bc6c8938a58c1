// Any request of each kind, with what must come back. The cart comes first and its writings follow from it, so nothing
// here reads a request as the server does.
import fc from 'fast-check'
import type { Cart } from '../../src/cart/cart.ts'
import { anyLink, anyMutatedLink } from './any-link.ts'
import { breakersOf, type Verdict, wrongBodies } from './break-rule.ts'
import { anyCart, anyNumbers, type Choose, chooser, type Draft, draftOf, type OptionName, pick } from './draft.ts'
import type { Expected, FuzzCase, Line } from './fuzz-case.ts'
import { anyRawBytes, mutate } from './mutate.ts'
import { anyPageRequest } from './page-requests.ts'
import { readAsSent } from './try-case.ts'
import { anyUcpCart } from './ucp-carts.ts'
import { anyUcpRequest } from './ucp-requests.ts'
import { ORIGIN, type Request, shopOf, writeBody, writeJson, writeQuery, writeRequest } from './write-request.ts'

/** Contract 8. */
const MAX_URL = 2048

/** A cart, and the numbers that decide how it is written. */
type Seeds = { option: OptionName; cart: Cart; numbers: number[] }

function anySeeds(skus: string[]): fc.Arbitrary<Seeds> {
  const option = fc.constantFrom<OptionName[]>('1', '2A', '2B')
  return fc.record({ option, cart: anyCart(skus), numbers: anyNumbers }).map(seeds => {
    const { option, cart } = seeds
    return option === '2B' ? { ...seeds, cart: { ...cart, items: thatFit(cart.items) } } : seeds
  })
}

/** The first lines, as many as a URL has room for if it is encoded at length. */
function thatFit(items: Cart['items']): Cart['items'] {
  let room = MAX_URL - 400
  const fitting = items.filter(({ sku }) => {
    room -= 3 * Buffer.byteLength(sku) + 90
    return room > 0
  })
  return fitting.length > 0 ? fitting : items.slice(0, 1)
}

/** The request that carries a draft, in some legal writing. */
export function requestOf(option: OptionName, draft: Draft, isIndexFree: boolean, choose: Choose): Request {
  const { path, contentType } = shopOf(option)
  const target = `${path}/cart`
  if (option === '2B') return { method: 'GET', target: `${target}?${writeQuery(draft, choose)}` }
  const types = [contentType, contentType, `${contentType}; charset=utf-8`, `${contentType};charset="UTF-8" ; a=b`]
  const headers = [`Content-Type: ${pick(choose, [...types, contentType?.toUpperCase()])}`]
  const body = option === '1' ? writeJson(draft, choose) : writeBody(draft, isIndexFree, choose)
  return { method: 'POST', target, headers, body }
}

const linesOf = ({ items }: Cart): Line[] => items.map(({ sku, quantity }) => ({ sku, quantity }))

/** What comes back for a request that may be too long for a URL. */
export function expectedOf({ method, target }: Request, expected: Expected): Expected {
  if (method !== 'GET' || ORIGIN.length + target.length <= MAX_URL) return expected
  return { status: 414, mistakes: ['url-too-long'] }
}

export function anyValid(skus: string[]): fc.Arbitrary<FuzzCase> {
  return anySeeds(skus).map(({ option, cart, numbers }) => {
    const choose = chooser(numbers)
    const isIndexFree = option === '2A' && choose(3) === 2
    const request = requestOf(option, draftOf(cart), isIndexFree, choose)
    const pieces = 1 + Math.max(0, choose(8) - 5)
    const answers = [expectedOf(request, { status: 200, lines: linesOf(cart) })]
    return { option, kind: 'valid', what: 'a cart', send: [writeRequest(request, choose)], pieces, answers }
  })
}

/** Changes around the cart: the method, the Content-Type. */
function breakRequest(request: Request, option: OptionName, choose: Choose): { what: string; verdict: Verdict } {
  if (option !== '2B' && choose(2) === 1) {
    const type = pick(choose, [
      ...['text/plain', 'multipart/form-data; boundary=x', 'application/jsonx', 'application/problem+json', ''],
      option === '1' ? 'application/x-www-form-urlencoded' : 'application/json'
    ])
    request.headers = type === '' ? [] : [`Content-Type: ${type}`]
    return { what: 'another Content-Type', verdict: { status: 415, mistakes: ['media-type-unsupported'] } }
  }
  const methods = ['PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY', 'M-SEARCH']
  request.method = pick(choose, [...methods, option === '2B' ? 'POST' : 'GET'])
  return { what: 'another method', verdict: { status: 405, mistakes: ['method-not-allowed'] } }
}

export function anyNearlyValid(skus: string[]): fc.Arbitrary<FuzzCase> {
  return fc.tuple(anySeeds(skus), fc.nat(999), fc.nat(19)).map(([{ option, cart, numbers }, at, where]) => {
    const choose = chooser(numbers)
    const isIndexFree = option === '2A' && at % 3 === 2
    const draft = draftOf(cart)
    let what = 'too little'
    let verdict: Verdict | undefined
    if (where > 3) {
      const breakers = breakersOf(option)
      // Some cannot be broken in every form.
      for (let i = at; verdict === undefined; i++) {
        const [name, breaker] = breakers[i % breakers.length] as (typeof breakers)[0]
        verdict = breaker({ draft, choose, option, isIndexFree })
        what = name
      }
    }
    const request = requestOf(option, draft, isIndexFree, choose)
    if (verdict === undefined && option === '1' && where > 0) {
      const [name, mistake, change] = wrongBodies[at % wrongBodies.length] as (typeof wrongBodies)[0]
      request.body = change(String(request.body), choose)
      what = name
      verdict = { status: 400, mistakes: [mistake] }
    }
    if (verdict === undefined) ({ what, verdict } = breakRequest(request, option, choose))
    const mistakes = [...verdict.mistakes].sort()
    const answers = [expectedOf(request, { ...verdict, mistakes, lines: [] })]
    return { option, kind: 'nearly valid', what, send: [writeRequest(request, choose)], answers }
  })
}

/** A cart whose body or query was damaged, in a whole HTTP request. If it is accepted, then as any reader reads it. */
export function anyMutated(skus: string[]): fc.Arbitrary<FuzzCase> {
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 1, maxLength: 5 })
  return fc.tuple(anySeeds(skus), changes).map(([{ option, cart, numbers }, damage]) => {
    const choose = chooser(numbers)
    const request = requestOf(option, draftOf(cart), option === '2A' && choose(3) === 2, choose)
    if (request.body === undefined) {
      const [path, query] = request.target.split(/\?(.*)/s)
      // What no request line may hold belongs to the raw bytes.
      request.target = `${path}?${mutate(String(query), damage).replace(/[^!-~]|#/g, '!')}`
    } else request.body = mutate(request.body, damage)
    const lines = readAsSent(option, request.body ?? request.target)
    const send = [writeRequest(request, choose)]
    return { option, kind: 'mutated', what: 'a damaged cart', send, answers: [expectedOf(request, { lines })] }
  })
}

/** Several requests written at once: each gets its own answer, in the same order. */
function pipelined(one: fc.Arbitrary<FuzzCase>): fc.Arbitrary<FuzzCase> {
  return fc.array(one, { minLength: 2, maxLength: 8 }).map(cases => {
    const [{ option }] = cases as [FuzzCase]
    const what = `pipelined: ${[...new Set(cases.map(({ what }) => what))].join(', ')}`
    const kind = cases.every(({ kind }) => kind === 'valid') ? 'valid' : 'nearly valid'
    const answers = cases.flatMap(({ answers }) => answers ?? [])
    return { option, kind, what, send: cases.flatMap(({ send }) => send), answers }
  })
}

/** Everything that may run beside other requests. */
export function anyCase(skus: string[]): fc.Arbitrary<FuzzCase> {
  const valid = anyValid(skus)
  const nearlyValid = anyNearlyValid(skus)
  const mutated = anyMutated(skus)
  return fc.oneof(
    { weight: 36, arbitrary: valid },
    { weight: 26, arbitrary: nearlyValid },
    { weight: 18, arbitrary: mutated },
    { weight: 3, arbitrary: pipelined(fc.oneof(valid, nearlyValid)) },
    { weight: 8, arbitrary: anyLink(skus) },
    { weight: 8, arbitrary: anyMutatedLink(skus) },
    { weight: 7, arbitrary: anyPageRequest },
    { weight: 6, arbitrary: anyUcpCart(skus, false) },
    { weight: 6, arbitrary: anyUcpCart(skus, true) },
    { weight: 7, arbitrary: anyUcpRequest },
    { weight: 10, arbitrary: anyRawBytes(valid) }
  )
}

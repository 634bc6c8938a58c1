// Links that carry a cart, in any legal writing, and damaged ones. The items come first, and what a damaged link means is read as
// leniently as any reader would.
import fc from 'fast-check'
import type { Item } from '../../src/cart/cart.ts'
import { anyCart, anyNumbers, type Choose, chooser, type LinkName, pick, shuffle } from './draft.ts'
import type { FuzzCase, Line } from './fuzz-case.ts'
import { type Damage, mutate } from './mutate.ts'
import { shopOf, writeRequest } from './write-request.ts'

type Link = { option: LinkName; items: Line[]; reference: string; numbers: number[] }

function anyLinkOf(skus: string[]): fc.Arbitrary<Link> {
  // Meta has no way to write an id with these.
  const ofMeta = skus.filter(sku => !/[,:]/.test(sku))
  const linkOf = (option: LinkName, some: string[]) =>
    fc.tuple(anyCart(some), anyNumbers).map(([{ items, reference }, numbers]) => ({
      option,
      items: items.map(({ sku, quantity }: Item) => ({ sku, quantity })),
      reference,
      numbers
    }))
  return fc.oneof(linkOf('meta', ofMeta), linkOf('permalink', skus))
}

/** Parameters that change nothing of the cart. */
const OTHERS = [
  ...[
    'utm_source=app',
    'utm_source=%zz',
    'utm_campaign=a%00',
    'fbclid=1',
    'fbclid=2',
    'cart_origin=instagram',
    'clear=true'
  ],
  ...['__proto__=1', 'constructor=1', 'access_token=1', 'lang=de', '=', '', 'a=%FF', `utm_content=${'x'.repeat(3000)}`]
]
const OTHERS_OF_UCP = [
  ...['attribution/__proto__=1', 'attribution/utm_source=a', '/attribution/utm_source=b', 'buyer/unknown=%zz'],
  ...['line_items/0/quantity=5', 'continue_to=//evil.example', 'context/language=de', 'currency=USD', 'totals/0=1']
]

function targetOf({ option, items, reference }: Link, choose: Choose): string {
  const some = pick(choose, [[], OTHERS.slice(0, 5), shuffle(OTHERS, choose)])
  const address = `${shopOf(option).path}/cart`
  if (option === 'permalink') {
    const tokens = items.map(({ sku, quantity }) => {
      const isRaw = /^[A-Za-z0-9._-]+$/.test(sku) && choose(2) === 0
      return `${isRaw ? sku : `~${Buffer.from(sku).toString('base64url')}`}:${quantity}`
    })
    const slash = pick(choose, ['', '/', '%2F'])
    const ucp = pick(choose, [[], shuffle(OTHERS_OF_UCP, choose)])
    return `${address}/${tokens.join(',')}?${shuffle([...some, ...ucp, `${slash}reference=${reference}`], choose).join('&')}`
  }
  const encode = (sku: string) =>
    choose(2) === 0 ? encodeURIComponent(sku) : new URLSearchParams([['', sku]]).toString().slice(1)
  const [comma, colon] = pick(choose, [
    ['%2C', '%3A'],
    [',', ':'],
    ['%2c', ':']
  ])
  const products = items.map(({ sku, quantity }) => `${encode(sku)}${colon}${quantity}`).join(comma)
  const name = pick(choose, ['products', 'pr%6Fducts'])
  return `${address}?${shuffle([...some, `${name}=${products}`, `reference=${reference}`, 'coupon'], choose).join('&')}`
}

export function anyLink(skus: string[]): fc.Arbitrary<FuzzCase> {
  return anyLinkOf(skus).map(link => {
    const choose = chooser(link.numbers)
    const send = [writeRequest({ method: 'GET', target: targetOf(link, choose) }, choose)]
    return { option: link.option, kind: 'valid', what: 'a link', send, answers: [{ status: 303, lines: link.items }] }
  })
}

/** A link that was damaged. If it is accepted, then as any reader reads it. */
export function anyMutatedLink(skus: string[]): fc.Arbitrary<FuzzCase> {
  const changes = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat()), { minLength: 1, maxLength: 5 })
  return fc.tuple(anyLinkOf(skus), changes).map(([link, damage]: [Link, Damage[]]) => {
    const { option, numbers } = link
    const choose = chooser(numbers)
    const target = targetOf(link, choose)
    const at = `${shopOf(option).path}/cart?`.length
    // What no request line may hold belongs to the raw bytes.
    const sent = mutate(target.slice(at), damage).replace(/[^!-~]|#/g, '!')
    const send = [writeRequest({ method: 'GET', target: target.slice(0, at) + sent }, choose)]
    const lines = option === 'meta' ? linesOfQuery(sent) : linesOfPath(sent)
    return { option, kind: 'mutated', what: 'a damaged link', send, answers: [{ lines }] }
  })
}

function linesOfQuery(query: string): Line[] {
  return readPairs(new URLSearchParams(`&${query}`).get('products') ?? '', id => id)
}

function linesOfPath(sent: string): Line[] {
  const textOf = (token: string) =>
    token.startsWith('~') ? Buffer.from(token.slice(1), 'base64url').toString() : token
  return readPairs(sent.replace(/\?.*/s, ''), textOf)
}

const readPairs = (text: string, textOf: (token: string) => string): Line[] =>
  text.split(',').map(entry => {
    const [token = '', quantity] = entry.split(':')
    return { sku: textOf(token), quantity: Number(quantity) }
  })

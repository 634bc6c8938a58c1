// How a bare site reads a bag, each option in a way of its own, and what it may get wrong about it. No code of ours is in it.

/** The name of something that a site does wrong. */
export type Fault = string

export type Line = { sku: string; quantity: number; price?: string }
export type Bag = { reference: string; currency: string; lines: Line[]; code?: string }
/** What the site refuses a request with. */
export class No extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

export type Is = (fault: Fault) => boolean

export function readJson(body: string, is: Is): Bag {
  let sent: { items?: unknown; currency?: unknown; reference?: unknown }
  try {
    sent = JSON.parse(body)
  } catch {
    throw new No(400, 'what?')
  }
  if (!Array.isArray(sent.items)) throw new No(400, 'which items?')
  const lines = sent.items.map(({ sku, quantity }) => {
    const isTaken = is('number-as-sku') || (typeof sku === 'number' && is('digits-as-sku'))
    if (typeof sku !== 'string' && !isTaken) throw new No(400, 'which item?')
    if (typeof quantity !== 'number' && !(typeof quantity === 'string' && is('text-as-quantity'))) {
      throw new No(400, 'how many?')
    }
    return { sku: String(sku), quantity: Number(quantity) }
  })
  if (is('no-other-fields') && Object.keys(sent).length > 3) throw new No(200, 'what is this?')
  if (typeof sent.currency !== 'string' || typeof sent.reference !== 'string') throw new No(400, 'which order?')
  return { currency: sent.currency, reference: sent.reference, lines }
}

export function readForm(text: string, is: Is): Bag {
  if (is('brackets-encoded-only') && text.includes('[')) throw new No(400, 'what?')
  if (is('names-not-decoded') && /%[0-9A-F]{2}%[0-9A-F]{2}/.test(text)) throw new No(400, 'what?')
  const lines: Partial<Line>[] = []
  const bag: Record<string, string> = {}
  let next = 0
  const fields = [...new URLSearchParams(text)].slice(0, is('fields-cut') ? 1000 : undefined)
  for (const [name, value] of fields) {
    const [, index, field] = /^items?[_[](\d*)\]?[_[](sku|quantity|price)\]?$/.exec(name) ?? []
    if (index === undefined) {
      bag[name] = value
      continue
    }
    if (index === '' && field === 'sku') next++
    if (index === '' && next > 20 && is('free-names-cut')) continue
    const at = index === '' ? next - 1 : Number(index)
    if (at < 0 && is('free-names-mixed')) continue
    if (at < 0) throw new No(400, 'which item?')
    lines[at] = { ...lines[at], [String(field)]: field === 'quantity' ? Number(value) : value }
  }
  const gap = Array.from(lines).findIndex(line => !line)
  if (is('gap-cuts') && gap >= 0) lines.length = gap
  const found = is('gap-closed') ? lines.filter(Boolean) : Array.from(lines)
  const { currency = '', reference = '', ...others } = bag
  if (is('no-other-fields') && Object.keys(others).length > 0) throw new No(400, 'what is this?')
  return {
    currency,
    reference,
    lines: found.map(line => {
      const { sku, quantity = is('free-names-mixed') ? 1 : undefined } = line ?? {}
      if (sku === undefined || quantity === undefined) throw new No(400, 'which item?')
      return { ...line, sku, quantity }
    })
  }
}

/** The bag of a link, in its query or in its path. */
export function readLink(path: string, search: string, is: Is): Bag {
  const query = new URLSearchParams(search)
  const inPath = path.split('/')[2]
  if (inPath === undefined && is('separators-encoded-only') && /[,:]/.test(search)) throw new No(400, 'what?')
  const names = [...query.keys()].map(name => name.replace(/^\//, ''))
  if (new Set(names).size < names.length && !is('names-not-compared')) throw new No(400, 'which buyer?')
  const entries = (inPath ?? query.get('products') ?? '').split(',').filter(Boolean)
  const lines = entries.flatMap(entry => {
    const [, token = '', quantity = ''] = /^([^:]+):([1-9]\d*)$/.exec(entry) ?? []
    const sku = inPath !== undefined && token.startsWith('~') ? decoded(token.slice(1), is) : token
    if (sku) return { sku, quantity: Number(quantity) }
    if (is('bad-entries-skipped')) return []
    throw new No(400, 'how many of what?')
  })
  const code = query.get('coupon') ?? query.get('discounts/codes/0') ?? undefined
  return { reference: query.get('reference') ?? '', currency: 'GBP', lines, ...(code && { code }) }
}

function decoded(token: string, is: Is): string {
  const text = Buffer.from(token, 'base64url').toString()
  const isCanonical = Buffer.from(text).toString('base64url') === token
  return isCanonical || is('padding-taken') ? text : ''
}

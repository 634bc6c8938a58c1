// What the standard readers of JavaScript find in a body or a query. They are laxer than the contract, so a cart that is
// accepted must be what they read.
import type { OptionName } from './draft.ts'
import type { Line } from './fuzz-case.ts'

/** @param sent a body or the target of a request, one character per byte @returns no line if this is no cart */
export function readAsSent(option: OptionName, sent: string): Line[] {
  if (option === '1') return readJson(Buffer.from(sent, 'latin1').toString())
  if (option === '2A') return readFields(sent, /^items\[(\d*)\]\[(sku|quantity)\]$/)
  return readFields(sent.replace(/^[^?]*\?/, ''), /^item_(\d+)_(sku|quantity)$/)
}

function readJson(text: string): Line[] {
  try {
    const { items } = JSON.parse(text.replace(/^\ufeff/, '')) as { items: Line[] }
    return items.map(({ sku, quantity }) => ({ sku, quantity }))
  } catch {
    return []
  }
}

/** Lines by index; index-free ones in the order sent. */
function readFields(text: string, pattern: RegExp): Line[] {
  const lines: { at: number; sku: string[]; quantity: string[] }[] = []
  const lineAt = (at: number) => {
    const found = lines.find(line => line.at === at) ?? { at, sku: [], quantity: [] }
    if (!lines.includes(found)) lines.push(found)
    return found
  }
  const free = { sku: 0, quantity: 0 }
  // Bytes are bytes, percent-encoded or not. And a leading ? would be dropped.
  const ascii = text.replace(/[\x80-\xff]/g, byte => `%${byte.charCodeAt(0).toString(16)}`)
  for (const [name, value] of new URLSearchParams(`&${ascii}`)) {
    const [, index, field] = pattern.exec(name) ?? []
    if (index === undefined) continue
    const line = lineAt(index === '' ? free[field as 'sku']++ : Number(index))
    line[field as 'sku'].push(value)
  }
  return lines
    .sort((a, b) => a.at - b.at)
    .map(({ sku, quantity }) => ({ sku: sku.join('\0'), quantity: Number(quantity.join('\0')) }))
}

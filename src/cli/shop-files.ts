// What `npm run add-shop` writes for a shop that has nothing of its own to say of it.
import { isAny } from '../errors.ts'
import { isCurrency, toDecimal } from '../money.ts'
import { transferOptions } from '../transfer/index.ts'

/** The first at `/cart`, unless it is UCP, whose carts are at `{path}/carts`; others at paths of their names. */
export function waysIn(answer: string): object {
  const ways = answer.split(/[ ,]+/).map((typed, i) => {
    const option = transferOptions.find(({ name }) => name.toLowerCase() === typed.toLowerCase())?.name ?? typed
    return { option, path: i === 0 && option !== 'ucp' ? '/cart' : `/${option.toLowerCase()}` }
  })
  return ways.length === 1 ? { ...ways[0] } : ways
}

export function exampleFeed(currencies: string[]): string {
  const known = currencies.filter(isCurrency)
  const rows = (isAny(known) ? known : ['GBP']).flatMap(currency => [
    ['MUG', 'Sea-glass mug', 'in_stock', `${toDecimal(1250, currency)} ${currency}`],
    ['ROPE', 'Rope mat', 'in_stock', `${toDecimal(2000, currency)} ${currency}`]
  ])
  return [['id', 'title', 'availability', 'price'], ...rows].map(row => `${row.join('\t')}\n`).join('')
}

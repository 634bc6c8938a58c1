// What `npm run simulate` was asked to do, read from its arguments.
import { transferOptions } from '../transfer/index.ts'
import type { TransferOption } from '../transfer/option.ts'
import { readArguments, UsageError } from './read-arguments.ts'

export type SimulateRequest =
  | { is: 'help' }
  | { is: 'hand-over'; baseUrl: string; option: TransferOption; cart: string; isJson: boolean; screenshot?: string }

const NAMES = transferOptions.map(({ name }) => name).join(', ')

export const USAGE = `npm run simulate -- URL --option ${NAMES} --cart bag.json [--json] [--screenshot FILE]

  URL           the address that the platform is given, {base_url} in the contract
  --option      how the cart reaches it: ${transferOptions.map(({ name, title }) => `${name} (${title})`).join(', ')}
  --cart        a file such as { "items": [{ "sku": "MUG", "quantity": 2 }], "currency": "GBP" }; a reference may be
                given, else a new one is made
  --json        print every step as JSON
  --screenshot  write a picture of the page as a phone shows it (PNG)

exit code: 0 the page is shown, 1 the transfer was refused or iOS refuses the description, 2 there was no answer at all,
or nothing could be sent
`

const OPTIONS = {
  option: { type: 'string' },
  cart: { type: 'string' },
  json: { type: 'boolean' },
  screenshot: { type: 'string' },
  help: { type: 'boolean', short: 'h' }
} as const

/** @throws UsageError */
export function readSimulateRequest(args: string[]): SimulateRequest {
  const { values, positionals } = readArguments(args, OPTIONS)
  if (values.help) return { is: 'help' }
  const [baseUrl, ...more] = positionals
  if (baseUrl === undefined || more.length > 0) throw new UsageError('give one URL')
  if (!/^https?:\/\/[^/?#\s]+[^\s#]*$/i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new UsageError(`${JSON.stringify(baseUrl)} is no address; give one such as https://shop.example/app/cart`)
  }
  const option = transferOptions.find(({ name }) => name.toLowerCase() === values.option?.toLowerCase())
  if (!option) throw new UsageError(`--option is ${JSON.stringify(values.option) ?? 'missing'}; give one of ${NAMES}`)
  const { cart, json, screenshot } = values
  if (cart === undefined) throw new UsageError('give --cart and a file')
  return {
    is: 'hand-over',
    baseUrl,
    option,
    cart,
    isJson: json === true,
    ...(screenshot !== undefined && { screenshot })
  }
}

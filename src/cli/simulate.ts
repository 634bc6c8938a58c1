// `npm run simulate`: hands one bag over to any merchant site, as platform and app do, and prints each step. Exit code
// 0 when a page came that the web view shows with a status of 200 to 299, 1 when not, 2 when nothing could be sent.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { EnvironmentError, readEnvironment } from '../config/environment.ts'
import { BagError, readBag } from '../platform/bag-file.ts'
import { findChromium, NoChromium } from '../platform/chromium.ts'
import { handOver } from '../platform/hand-over.ts'
import { handOverJson, handOverText } from '../platform/hand-over-text.ts'
import { screenshot } from '../platform/screenshot.ts'
import { visible, visibleJson } from '../terminal-text.ts'
import { transferOptions } from '../transfer/index.ts'
import type { TransferOption } from '../transfer/option.ts'

const NAMES = transferOptions.map(({ name }) => name).join(', ')

const USAGE = `npm run simulate -- URL --option ${NAMES} --cart bag.json [--json] [--screenshot FILE]

  URL           the address that the platform is given, {base_url} in the contract
  --option      how the cart reaches it: ${transferOptions.map(({ name, title }) => `${name} (${title})`).join(', ')}
  --cart        a file such as { "items": [{ "sku": "MUG", "quantity": 2 }], "currency": "GBP" }; a reference may be
                given, else a new one is made
  --json        print every step as JSON
  --screenshot  write a picture of the page as a phone shows it (PNG)

exit code: 0 the page is shown, 1 the transfer was refused or iOS refuses the description, 2 nothing could be sent
`

const SHOWN = 0
const REFUSED = 1
const MISUSED = 2

/** What keeps anything from being sent, in words for whoever asked. */
class CannotSimulate extends Error {}

async function main(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args)
  if (values.help) {
    process.stdout.write(USAGE)
    return SHOWN
  }
  const environment = readEnvironment()
  const at = (file: string) => resolve(environment.startedIn, file)
  const [baseUrl] = positionals
  if (baseUrl === undefined || positionals.length > 1) throw new CannotSimulate('give one URL')
  if (!/^https?:\/\/[^/?#\s]+[^\s#]*$/i.test(baseUrl) || !URL.canParse(baseUrl)) {
    throw new CannotSimulate(`${JSON.stringify(baseUrl)} is no address; give one such as https://shop.example/app/cart`)
  }
  const option = optionOf(values.option)
  const cart = readCartFile(values.cart, at)
  const { screenshot: file } = values
  const picture = file === undefined ? undefined : { file, chromium: findChromium(environment.chromium) }

  const { steps, shown } = await handOver(option, cart, baseUrl)
  process.stdout.write(values.json ? `${visibleJson(handOverJson(steps))}\n` : handOverText(steps))
  if (picture && shown) {
    await screenshot(shown, at(picture.file), picture.chromium)
    process.stderr.write(`the page is in ${visible(picture.file)}\n`)
  }
  return shown && shown.status >= 200 && shown.status <= 299 ? SHOWN : REFUSED
}

function readArguments(args: string[]) {
  const options = {
    option: { type: 'string' },
    cart: { type: 'string' },
    json: { type: 'boolean' },
    screenshot: { type: 'string' },
    help: { type: 'boolean', short: 'h' }
  } as const
  try {
    return parseArgs({ args, allowPositionals: true, options })
  } catch (error) {
    throw new CannotSimulate((error as Error).message)
  }
}

function optionOf(name: string | undefined): TransferOption {
  const option = transferOptions.find(option => option.name === name?.toUpperCase())
  if (!option) throw new CannotSimulate(`--option is ${JSON.stringify(name)}; give one of ${NAMES}`)
  return option
}

function readCartFile(file: string | undefined, at: (file: string) => string) {
  if (file === undefined) throw new CannotSimulate('give --cart and a file')
  let text: string
  try {
    text = readFileSync(at(file), 'utf8')
  } catch (error) {
    throw new CannotSimulate(`${file}: ${(error as Error).message}`)
  }
  return readBag(text, file)
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const isExpected = [CannotSimulate, BagError, NoChromium, EnvironmentError].some(kind => error instanceof kind)
  console.error(isExpected ? `${visible((error as Error).message).replaceAll('\\u{a}', '\n')}\n\n${USAGE}` : error)
  process.exitCode = MISUSED
}

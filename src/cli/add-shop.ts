// `npm run add-shop`: asks what a shop needs, or takes it as flags, and writes a merchant file that starts.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { pino } from 'pino'
import { destinations } from '../destination/index.ts'
import { OperatorError } from '../errors.ts'
import { quoteWord } from '../kit/client/request-code.ts'
import type { Merchant } from '../merchant/merchant.ts'
import { readMerchantFiles } from '../merchant/merchant-file.ts'
import { isFeedAddress } from '../merchant/read-catalogue.ts'
import { isCurrency, toDecimal } from '../money.ts'
import { findPageMistakes } from '../pages/check-pages.ts'
import { openCatalogue } from '../start/open-catalogue.ts'
import { transferOptions } from '../transfer/index.ts'
import { type Command, counted, onlyArgument, runCommand, TEXT_FLAG, UsageError } from './run-command.ts'

const SCHEMA = join(import.meta.dirname, '../../config/merchant.schema.json')

const OPTIONS = transferOptions.map(({ name, title }) => `${name} (${title})`).join(', ')

const QUESTIONS = {
  name: 'Name that shoppers see',
  feed: 'Product feed',
  currencies: 'Currencies that it sells in, with commas between them',
  locale: 'Language and country, which also decide how prices are written',
  option: `How bags arrive: ${OPTIONS}`,
  'public-url': 'Address under which the app reaches the shop, or only a path, to try it on this machine',
  'continue-url': 'Address that leads back to the app'
}

type Name = keyof typeof QUESTIONS
type Answers = Record<Name, string>

const FLAGS = Object.fromEntries(Object.keys(QUESTIONS).map(name => [name, TEXT_FLAG])) as Record<
  Name,
  typeof TEXT_FLAG
>

export const addShop: Command<typeof FLAGS> = {
  usage: `npm run add-shop -- FILE.json [--name TEXT] [--feed FILE|URL] [--currencies GBP,EUR] [--locale en-GB]
                         [--option 1] [--public-url URL] [--continue-url URL]

Writes a merchant file with what a shop needs, and tries it. Asks for what no flag gives; an empty answer takes what is
in brackets. Without a feed there is one with two example products. No file is overwritten.

exit code: 0 the shop can be started, 1 it could not, and nothing was written, 2 the arguments cannot be read
`,
  flags: FLAGS,
  run: async ({ values, positionals }, { environment, input, print }) => {
    const shown = onlyArgument(positionals, 'merchant file')
    const { startedIn } = environment()
    const file = resolve(startedIn, shown)
    if (!file.endsWith('.json')) throw new UsageError(`${shown}: give a merchant file the ending .json`)
    if (existsSync(file)) throw new OperatorError(`${shown} is there already; give a file that is not`)
    // Not as a terminal: Ctrl-C then ends the process at once, as anywhere else.
    const lines = createInterface({ input, terminal: false })
    const typed = lines[Symbol.asyncIterator]()
    const answers = await readAnswers(values, shown, startedIn, async question => {
      await print(question)
      return (await typed.next()).value
    }).finally(() => lines.close())
    const currencies = answers.currencies.toUpperCase().split(/[ ,]+/)
    const isFile = !isFeedAddress(answers.feed)
    const feed = isFile ? resolve(startedIn, answers.feed) : answers.feed
    const written = [file]
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, merchantText(file, isFile ? relative(dirname(file), feed) : feed, answers, currencies))
    if (answers.feed === feedBeside(shown) && !existsSync(feed)) {
      writeFileSync(feed, exampleFeed(currencies))
      written.push(feed)
    }
    const remarks = await tryShop(file).catch((error: Error) => {
      for (const one of written) rmSync(one)
      const flags = Object.entries(answers).map(([name, value]) => `--${name} ${shellWord(value)}`)
      const again = `npm run add-shop -- ${[shellWord(shown), ...flags].join(' ')}`
      throw new OperatorError(`${error.message}\n\nNothing was written. To try again:\n${again}`)
    })
    const names = written.map(one => relative(startedIn, one)).join(', ')
    await print([`Written: ${names}`, ...remarks, '', `npm start -- ${shellWord(shown)}`, ''].join('\n'))
    return 0
  }
}

function shellWord(word: string): string {
  return /^[\w./:,-]+$/.test(word) ? word : quoteWord(word)
}

/** @param ask gives undefined at the end of the input */
async function readAnswers(
  flags: Partial<Answers>,
  file: string,
  startedIn: string,
  ask: (question: string) => Promise<string | undefined>
): Promise<Answers> {
  const id = idOf(file)
  const feed = feedBeside(file)
  const answers: Answers = {
    ...{ name: id.replace(/^./, letter => letter.toUpperCase()), feed, currencies: 'GBP', locale: 'en-GB' },
    ...{ option: String(transferOptions[0]?.name), 'public-url': `/${id}`, 'continue-url': `${id}://continue` },
    ...flags
  }
  const remark = existsSync(resolve(startedIn, feed)) ? '' : ', with two example products'
  for (const name of Object.keys(QUESTIONS) as Name[]) {
    if (flags[name] !== undefined) continue
    const answer = await ask(`${QUESTIONS[name]} [${answers[name]}${name === 'feed' ? remark : ''}]: `)
    if (answer === undefined) throw new UsageError(`the input ended before "${QUESTIONS[name]}"; give --${name}`)
    answers[name] = answer.trim() || answers[name]
  }
  return answers
}

function idOf(file: string): string {
  return basename(file, '.json')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 40)
}

function feedBeside(file: string): string {
  return file.replace(/\.json$/, '.tsv')
}

function merchantText(file: string, feed: string, answers: Answers, currencies: string[]): string {
  const { name, locale, option } = answers
  const settings = {
    $schema: relative(dirname(file), SCHEMA),
    id: idOf(file),
    name,
    publicUrl: answers['public-url'],
    locale,
    currencies,
    transfer: { option: option.toUpperCase(), path: '/cart' },
    catalogue: { feed },
    checkout: { path: '/checkout', continueShoppingUrl: answers['continue-url'] }
  }
  return `${JSON.stringify(settings, null, 2)}\n`
}

export function exampleFeed(currencies: string[]): string {
  const rows = currencies.filter(isCurrency).flatMap(currency => [
    ['MUG', 'Sea-glass mug', 'in_stock', `${toDecimal(1250, currency)} ${currency}`],
    ['ROPE', 'Rope mat', 'in_stock', `${toDecimal(2000, currency)} ${currency}`]
  ])
  return [['id', 'title', 'availability', 'price'], ...rows].map(row => `${row.join('\t')}\n`).join('')
}

/** @returns what the shop will lack @throws OperatorError if it would not start, or could sell nothing */
async function tryShop(file: string): Promise<string[]> {
  const [merchant] = readMerchantFiles([file], { options: transferOptions, destinations, findPageMistakes }) as [
    Merchant
  ]
  let problems = 0
  const write = (line: string) => {
    problems = Math.max(problems, JSON.parse(line).problems ?? 0)
  }
  // The copy of a feed by address is not kept: the server's user may be another one.
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-'))
  const found = new Set<string>()
  try {
    const catalogue = await openCatalogue(merchant, pino({}, { write }), folder)
    const products = Iterator.from(catalogue.products()).filter(product => product !== undefined)
    for (const { offers } of products) for (const currency of Object.keys(offers)) found.add(currency)
    await catalogue.close()
  } finally {
    rmSync(folder, { recursive: true })
  }
  const missing = merchant.currencies.filter(currency => !found.has(currency))
  if (missing.length === merchant.currencies.length) {
    throw new OperatorError(
      `${merchant.catalogue?.feeds[0]?.address}: its prices are in ${[...found].join(', ')}; give --currencies as it has them`
    )
  }
  const remarks = missing.map(currency => `No product has a price in ${currency}: each bag in it is refused.`)
  if (problems === 0) return remarks
  return [...remarks, `${counted(problems, 'problem')} in the feed: the log names the products when you start it.`]
}

if (import.meta.main) await runCommand(addShop)

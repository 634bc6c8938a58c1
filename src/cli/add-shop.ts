// `npm run add-shop`: asks what a shop needs, or takes it as flags, and writes a merchant file that starts.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { pino } from 'pino'
import { destinations } from '../destination/index.ts'
import { isAny, OperatorError } from '../errors.ts'
import { quoteWord } from '../kit/client/request-code.ts'
import { describeMistake, type FileMistake } from '../merchant/json-file.ts'
import { MerchantFileError } from '../merchant/merchant-file.ts'
import { isFeedAddress } from '../merchant/read-catalogue.ts'
import { isCurrency, toDecimal } from '../money.ts'
import { findPageMistakes } from '../pages/check-pages.ts'
import { openMerchants } from '../start/open-catalogue.ts'
import { transferOptions } from '../transfer/index.ts'
import { type Command, counted, onlyArgument, runCommand, TEXT_FLAG, UsageError } from './run-command.ts'

const SCHEMA = join(import.meta.dirname, '../../config/merchant.schema.json')

const OPTIONS = transferOptions.map(({ name, title }) => `${name} (${title})`).join(', ')

/** What a flag, or an answer, is for: its key in the file, and the question. */
const QUESTIONS = {
  name: { key: 'name', text: 'Name that shoppers see' },
  feed: { key: 'catalogue.feed', text: 'Product feed' },
  currencies: { key: 'currencies', text: 'Currencies that it sells in, with commas between them' },
  locale: { key: 'locale', text: 'Language and country, which also decide how prices are written' },
  option: { key: 'transfer.option', text: `How bags arrive: ${OPTIONS}` },
  'public-url': {
    key: 'publicUrl',
    text: 'Address under which the app reaches the shop, or only a path, to try it on this machine'
  },
  'continue-url': { key: 'checkout.continueShoppingUrl', text: 'Address that leads back to the app' }
}

type Name = keyof typeof QUESTIONS

const NAMES = Object.keys(QUESTIONS) as Name[]

type Answers = Record<Name, string>

const FLAGS = Object.fromEntries(NAMES.map(name => [name, TEXT_FLAG])) as Record<Name, typeof TEXT_FLAG>

export const addShop: Command<typeof FLAGS> = {
  usage: `npm run add-shop -- FILE.json [--name TEXT] [--feed FILE|URL] [--currencies GBP,EUR] [--locale en-GB]
                         [--option 1] [--public-url URL] [--continue-url URL]

Writes a merchant file with what a shop needs, and tries it. Asks for what no flag gives; an empty answer, or none, takes
what is in brackets. Without a feed there is one with two example products. No file is overwritten.

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
    const answers = await readAnswers(values, shown, startedIn, async (question, proposal) => {
      await print(question)
      const { value, done } = await typed.next()
      // Nobody is there to answer, or to see what was taken.
      if (done) await print(`${proposal}\n`)
      return value
    }).finally(() => lines.close())
    const currencies = answers.currencies.toUpperCase().split(/[ ,]+/)
    const isFile = !isFeedAddress(answers.feed)
    const feed = isFile ? resolve(startedIn, answers.feed) : answers.feed
    const written: string[] = []
    let newFolder: string | undefined
    let remarks: string[]
    try {
      newFolder = mkdirSync(dirname(file), { recursive: true })
      written.push(file)
      writeFileSync(file, merchantText(file, isFile ? relative(dirname(file), feed) : feed, answers, currencies))
      if (answers.feed === feedBeside(shown) && !existsSync(feed)) {
        written.push(feed)
        writeFileSync(feed, exampleFeed(currencies))
      }
      remarks = await tryShop(file)
    } catch (error) {
      for (const one of newFolder === undefined ? written : [newFolder]) rmSync(one, { recursive: true, force: true })
      throw new OperatorError(failure(error as Error, shown, answers))
    }
    const names = written.map(one => relative(startedIn, one)).join(', ')
    await print([`Written: ${names}`, ...remarks, '', `npm start -- ${shellWord(shown)}`, ''].join('\n'))
    return 0
  }
}

/** Every mistake, by its flag, and a command that repeats what was right; it asks for the rest. */
function failure(error: Error, file: string, answers: Answers): string {
  const mistakes = error instanceof MerchantFileError ? error.mistakes : []
  const told = mistakes.map(mistake => {
    const flag = flagOf(mistake)
    return flag === undefined ? describeMistake(mistake) : `--${flag}: ${mistake.problem}`
  })
  const wrong = mistakes.map(flagOf)
  const right = Object.entries(answers).filter(([name]) => !wrong.includes(name as Name))
  const flags = right.map(([name, value]) => `--${name} ${shellWord(value)}`)
  const again = `npm run add-shop -- ${[shellWord(file), ...flags].join(' ')}`
  const how = wrong.some(Boolean) ? 'To try again, and be asked for what was wrong:' : 'To try again:'
  return [...(isAny(told) ? told : [error.message]), '', `Nothing was written. ${how}`, again].join('\n')
}

function flagOf({ key = [] }: FileMistake): Name | undefined {
  const path = key.join('.')
  return NAMES.find(name => `${path}.`.startsWith(`${QUESTIONS[name].key}.`))
}

function shellWord(word: string): string {
  return /^[\w./:,-]+$/.test(word) ? word : quoteWord(word)
}

/** @param ask is passed what an empty answer stands for; resolves to undefined at the end of the input */
async function readAnswers(
  flags: Partial<Answers>,
  file: string,
  startedIn: string,
  ask: (question: string, proposal: string) => Promise<string | undefined>
): Promise<Answers> {
  const id = idOf(file)
  const feed = feedBeside(file)
  const answers: Answers = {
    ...{ name: id.replace(/^./, letter => letter.toUpperCase()), feed, currencies: 'GBP', locale: 'en-GB' },
    ...{ option: String(transferOptions[0]?.name), 'public-url': `/${id}`, 'continue-url': `${id}://continue` },
    ...flags
  }
  const remark = existsSync(resolve(startedIn, feed)) ? '' : ', with two example products'
  for (const name of NAMES) {
    if (flags[name] !== undefined) continue
    const proposal = answers[name]
    const answer = await ask(`${QUESTIONS[name].text} [${proposal}${name === 'feed' ? remark : ''}]: `, proposal)
    answers[name] = answer?.trim() || proposal
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
  const known = currencies.filter(isCurrency)
  const rows = (isAny(known) ? known : ['GBP']).flatMap(currency => [
    ['MUG', 'Sea-glass mug', 'in_stock', `${toDecimal(1250, currency)} ${currency}`],
    ['ROPE', 'Rope mat', 'in_stock', `${toDecimal(2000, currency)} ${currency}`]
  ])
  return [['id', 'title', 'availability', 'price'], ...rows].map(row => `${row.join('\t')}\n`).join('')
}

/** @returns what the shop will lack @throws MerchantFileError if it would not start */
async function tryShop(file: string): Promise<string[]> {
  // The copy of a feed by address is not kept: the server's user may be another one.
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-'))
  try {
    const settings = { options: transferOptions, destinations, findPageMistakes }
    const [shop] = await openMerchants([file], settings, pino({ level: 'silent' }), folder)
    const { merchant, catalogue } = shop as NonNullable<typeof shop>
    const products = Iterator.from(catalogue.products()).filter(product => product !== undefined)
    const found = new Set(products.flatMap(({ offers }) => Object.keys(offers)))
    const problems = Number(catalogue.status?.().problems)
    await catalogue.close()
    const missing = merchant.currencies.filter(currency => !found.has(currency))
    return [
      ...missing.map(currency => `No product has a price in ${currency}: each bag in it is refused.`),
      ...(problems > 0
        ? [`${counted(problems, 'problem')} in the feed: the log names the products when you start it.`]
        : [])
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

if (import.meta.main) await runCommand(addShop)

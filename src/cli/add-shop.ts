// `npm run add-shop`: asks what a shop needs, or takes it as flags, and writes a merchant file that starts.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { pino } from 'pino'
import { isAny, OperatorError } from '../errors.ts'
import type { ShopFacts } from '../integrations/destination/destination.ts'
import { destinations } from '../integrations/destination/index.ts'
import { failureOf } from '../integrations/destination/shop-call.ts'
import { shopUrlProblem } from '../integrations/destination/shop-page.ts'
import { httpFetch } from '../integrations/outgoing/http-client.ts'
import { paymentProviders } from '../integrations/payment/index.ts'
import { describeError, type FileError } from '../merchant/json-file.ts'
import { MerchantFileError } from '../merchant/merchant-file.ts'
import { isFeedAddress } from '../merchant/read-catalogue.ts'
import { findPageMistakes } from '../pages/check-pages.ts'
import { openMerchants } from '../start/open-catalogue.ts'
import { quoteWord } from '../transfer/curl-command.ts'
import { transferOptions } from '../transfer/index.ts'
import { type Command, counted, onlyArgument, runCommand, TEXT_FLAG, UsageError } from './run-command.ts'
import { exampleFeed, waysIn } from './shop-files.ts'

const SCHEMA = join(import.meta.dirname, '../../config/merchant.schema.json')

const OPTIONS = transferOptions.map(({ name, title }) => `${name} (${title})`).join(', ')

/** Shops that say themselves what a merchant file needs to know of them. */
const LOOKED_AT = destinations.filter(({ look }) => look).map(({ name }) => name)

const CHECKOUTS = ['page (ours)', ...LOOKED_AT.map(name => `${name} (your shop)`)].join(' or ')

/** For a shop to answer all that it is asked, in milliseconds. */
const LOOK_TIMEOUT = 15_000

/** What a flag, or an answer, is for: its key in the file, and the question. */
const QUESTIONS = {
  checkout: {
    key: 'checkout.destination.type',
    text: `Where shoppers check out: ${CHECKOUTS}`
  },
  'shop-url': { key: 'checkout.destination.url', text: 'Address of your shop' },
  name: { key: 'name', text: 'Name that shoppers see' },
  feed: { key: 'catalogue.feed', text: 'Product feed' },
  currencies: { key: 'currencies', text: 'Currencies that it sells in, with commas between them' },
  locale: { key: 'locale', text: 'Language and country, which also decide how prices are written' },
  option: { key: 'transfer.option', text: `How bags arrive, with commas between several ways: ${OPTIONS}` },
  'public-url': {
    key: 'publicUrl',
    text: 'Address under which this server is reached, or only a path, to try it on this machine'
  },
  'continue-url': {
    key: 'checkout.continueShoppingUrl',
    text: 'Address that leads back to the app, or to your shop if you have no app'
  }
}

type Name = keyof typeof QUESTIONS

const NAMES = Object.keys(QUESTIONS) as Name[]

type Answers = Partial<Record<Name, string>>

const FLAGS = Object.fromEntries(NAMES.map(name => [name, TEXT_FLAG])) as Record<Name, typeof TEXT_FLAG>

export const addShop: Command<typeof FLAGS> = {
  usage: `npm run add-shop -- FILE.json [--checkout page|${LOOKED_AT.join('|')}] [--shop-url URL] [--name TEXT] [--feed FILE|URL]
                         [--currencies GBP,EUR] [--locale en-GB] [--option 1,meta] [--public-url URL] [--continue-url URL]

Writes a merchant file with what a shop needs, and tries it. Asks for what no flag gives; an empty answer, or none, takes
what is in brackets. On our page, there is a feed with two example products if you have none; a shop with a checkout of its
own is asked for its name, currency and language. No file is overwritten.

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
    const ask = async (question: string, proposal: string) => {
      await print(question)
      const { value, done } = await typed.next()
      // Nobody is there to answer, or to see what was taken.
      if (done) await print(`${proposal}\n`)
      return value
    }
    const answers: Answers = {}
    const mistakes: FileError[] = []
    const written: string[] = []
    let newFolder: string | undefined
    const remarks: string[] = []
    try {
      const filled = { answers, mistakes, remarks }
      const tried = await fillAnswers(filled, values, shown, startedIn, ask).finally(() => lines.close())
      const currencies = String(tried.currencies).toUpperCase().split(/[ ,]+/)
      const { feed } = tried
      const feedFile = feed === undefined || isFeedAddress(feed) ? undefined : resolve(startedIn, feed)
      newFolder = mkdirSync(dirname(file), { recursive: true })
      written.push(file)
      writeFileSync(file, merchantText(file, feedFile ? relative(dirname(file), feedFile) : feed, tried, currencies))
      if (feedFile && feed === feedBeside(shown) && !existsSync(feedFile)) {
        written.push(feedFile)
        writeFileSync(feedFile, exampleFeed(currencies))
      }
      remarks.push(...(await tryShop(file)))
      if (isAny(mistakes)) throw new MerchantFileError([], [])
    } catch (error) {
      for (const one of newFolder === undefined ? written : [newFolder]) rmSync(one, { recursive: true, force: true })
      const told = error instanceof MerchantFileError ? error.mistakes : []
      mistakes.push(...(isAny(mistakes) ? told.filter(mistake => isAnswered(mistake, answers)) : told))
      throw new OperatorError(failure(error as Error, mistakes, shown, answers))
    }
    const names = written.map(one => relative(startedIn, one)).join(', ')
    await print([`Written: ${names}`, ...remarks, '', `npm start -- ${shellWord(shown)}`, ''].join('\n'))
    return 0
  }
}

/** The mistakes, by their flags, and a command that repeats the other answers; it asks for the rest. */
function failure(error: Error, mistakes: FileError[], file: string, answers: Answers): string {
  const told = mistakes.map(mistake => {
    const flag = flagOf(mistake)
    return flag === undefined ? describeError(mistake) : `--${flag}: ${mistake.problem}`
  })
  const wrong = mistakes.map(flagOf)
  const right = Object.entries(answers).filter(([name]) => !wrong.includes(name as Name))
  const flags = right.map(([name, value]) => `--${name} ${shellWord(value)}`)
  const again = `npm run add-shop -- ${[shellWord(file), ...flags].join(' ')}`
  const how = wrong.some(Boolean) ? 'To try again, and be asked for what was wrong:' : 'To try again:'
  if (!(error instanceof MerchantFileError)) told.push(error.message)
  return [...told, '', `Nothing was written. ${how}`, again].join('\n')
}

/** Whether a mistake is one of an answer, not of a proposal that nobody has seen, or of a feed that nobody was asked for. */
function isAnswered(mistake: FileError, answers: Answers): boolean {
  const name = mistake.key?.[0] === 'catalogue' ? 'feed' : flagOf(mistake)
  return Object.keys(answers).includes(String(name))
}

function flagOf({ key = [] }: FileError): Name | undefined {
  const path = key.filter(part => typeof part === 'string').join('.')
  return NAMES.find(name => `${path}.`.startsWith(`${QUESTIONS[name].key}.`))
}

function shellWord(word: string): string {
  return /^[\w./:,-]+$/.test(word) ? word : quoteWord(word)
}

/** `remarks`: what the shop of the merchant says that its file does not hold. */
type Filled = { answers: Answers; mistakes: FileError[]; remarks: string[] }

/**
 * Answers one question after the other, as far as they concern the shop. If bags cannot be handed to it, nothing more is asked.
 * @param ask is passed what an empty answer stands for; resolves to undefined at the end of the input
 * @returns what is to be tried: the answers or, after such a mistake, our page with them and with proposals for the rest
 */
async function fillAnswers(
  { answers, mistakes, remarks }: Filled,
  flags: Answers,
  file: string,
  startedIn: string,
  ask: (question: string, proposal: string) => Promise<string | undefined>
): Promise<Answers> {
  const id = idOf(file)
  const feed = feedBeside(file)
  const proposals: Record<Name, string> = {
    checkout: 'page',
    'shop-url': '',
    name: id.replace(/^./, letter => letter.toUpperCase()),
    feed,
    currencies: 'GBP',
    locale: 'en-GB',
    option: String(transferOptions[0]?.name),
    'public-url': `/${id}`,
    'continue-url': `${id}://continue`
  }
  const remark = existsSync(resolve(startedIn, feed)) ? '' : ', with two example products'
  const tried: Answers = {}
  const refuse = (name: Name, problem: string) => {
    mistakes.push({ file, key: QUESTIONS[name].key.split('.'), problem })
    tried.checkout = proposals.checkout
  }
  let known: Answers = {}
  for (const name of NAMES) {
    const given = flags[name] ?? known[name]
    const isOwnShop = tried.checkout !== proposals.checkout
    if (given === undefined && ((name === 'shop-url' && !isOwnShop) || (name === 'feed' && isOwnShop))) continue
    const proposal = proposals[name]
    if (given === undefined && isAny(mistakes)) {
      if (name !== 'feed') tried[name] = proposal
      continue
    }
    const inBrackets = proposal && ` [${proposal}${name === 'feed' ? remark : ''}]`
    const answer = given ?? ((await ask(`${QUESTIONS[name].text}${inBrackets}: `, proposal))?.trim() || proposal)
    answers[name] = answer
    if (name !== 'shop-url') tried[name] = answer
    if (name === 'checkout' && !['page', ...LOOKED_AT].includes(answer)) {
      const others = 'for another shop, write checkout.destination as src/integrations/destination/README.md has it'
      refuse(name, `it is ${JSON.stringify(answer)}; give ${CHECKOUTS}; ${others}`)
    } else if (name === 'shop-url') {
      const facts = isAny(mistakes) ? shopUrlMistake(answer) : await readFacts(answers)
      if (typeof facts === 'string') refuse(name, facts)
      else if (facts) {
        tried[name] = answer
        known = { name: facts.name, currencies: facts.currency, ...(facts.language && { locale: facts.language }) }
        remarks.push(`Read from the shop: ${Object.values(known).join(', ')}`, ...facts.remarks)
      }
    }
  }
  return tried
}

/** @returns a text if bags cannot be handed to the shop: why not */
async function readFacts({ checkout, 'shop-url': url = '' }: Answers): Promise<ShopFacts | string> {
  const shop = destinations.find(({ name }) => name === checkout)
  if (!shop?.look) return 'only a shop with its own checkout has one; leave it out'
  const mistake = shopUrlMistake(url)
  if (mistake) return mistake
  try {
    return await shop.look(url, httpFetch, AbortSignal.timeout(LOOK_TIMEOUT))
  } catch (error) {
    return failureOf(error).message
  }
}

function shopUrlMistake(url: string): string | undefined {
  const problem = shopUrlProblem(url)
  return problem && `${problem}; give one such as "https://shop.example"`
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

function merchantText(file: string, feed: string | undefined, answers: Answers, currencies: string[]): string {
  const { checkout, name, locale, option = '' } = answers
  const isOwnShop = answers['shop-url'] !== undefined
  const settings = {
    $schema: relative(dirname(file), SCHEMA),
    id: idOf(file),
    name,
    publicUrl: answers['public-url'],
    locale,
    currencies,
    transfer: waysIn(option),
    ...(feed !== undefined && { catalogue: { feed } }),
    checkout: {
      ...(isOwnShop ? { destination: { type: checkout, url: answers['shop-url'] } } : { path: '/checkout' }),
      continueShoppingUrl: answers['continue-url']
    }
  }
  return `${JSON.stringify(settings, null, 2)}\n`
}

/** @returns what the shop will lack @throws MerchantFileError if it would not start */
async function tryShop(file: string): Promise<string[]> {
  // The copy of a feed by address is not kept: the server's user may be another one.
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-'))
  try {
    const settings = { options: transferOptions, destinations, providers: paymentProviders, findPageMistakes }
    const [shop] = await openMerchants([file], settings, pino({ level: 'silent' }), folder)
    const { merchant, catalogue } = shop as NonNullable<typeof shop>
    if (!merchant.catalogue) return []
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

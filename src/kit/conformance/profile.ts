// The profile of a merchant site: everything that the kit has to know about it. Its mistakes are reported before anything
// is sent. `npm run schema` writes the schema to config/conform.schema.json.
import { type Static, Type } from '@sinclair/typebox'
import { OperatorError, type Problem } from '../../errors.ts'
import { checkValue, wrongValue } from '../../merchant/check-value.ts'
import { describeError, type FileError, openJsonFile } from '../../merchant/json-file.ts'
import { NonEmpty, Section, Whole, WithDefault } from '../../merchant/setting-types.ts'
import { isCurrency } from '../../money.ts'
import { LinkKeys } from '../../transfer/link-cart.ts'
import { hasPathsBelow, type ReportError, type TransferOption } from '../../transfer/option.ts'
import type { LineSelectors, WebViews } from '../browser/web-view.ts'

/** Those of our own pages. */
export const DEFAULT_SELECTORS: LineSelectors = {
  line: '[data-sku],[data-quantity]',
  sku: '@data-sku',
  quantity: '@data-quantity'
}

export const INDEXED_NAMES = 'indexed'

const Seconds = (byDefault: number, minimum: number, maximum: number, description: string) =>
  WithDefault(Type.Number({ default: byDefault, minimum, maximum, description }))

/** One of two values; the first by default. */
const Choice = <First extends string, Second extends string>(values: [First, Second], description: string) =>
  WithDefault(Type.Union([Type.Literal(values[0]), Type.Literal(values[1])], { default: values[0], description }))

const Selector = (of: string, byDefault: string) => {
  const description = `where ${of} is, such as "@data-sku" (an attribute of the line) or ".sku" (the text of an element)`
  return WithDefault(NonEmpty(description, { default: byDefault }))
}

const PageSetting = Section(
  {
    line: WithDefault(
      NonEmpty('a CSS selector that matches one element per line', { default: DEFAULT_SELECTORS.line })
    ),
    sku: Selector('the SKU', DEFAULT_SELECTORS.sku),
    quantity: Selector('the quantity', DEFAULT_SELECTORS.quantity),
    price: Type.Optional(
      NonEmpty('where the price of a line is, within the line: a selector as for sku, such as ".price"')
    ),
    total: Type.Optional(
      NonEmpty('where the total is, on the page: a selector as for sku, such as ".total" or ".total@data-amount"')
    ),
    settleSeconds: Seconds(
      0,
      0,
      60,
      'how long scripts may take to write the lines: seconds from 0 (the lines are in the HTML) to 60'
    )
  },
  'an object with line, sku, quantity, price and total',
  { default: {} }
)

const Status = (of: string, byDefault: string) =>
  WithDefault(
    Type.String({
      pattern: '^[245](xx|\\d\\d)$',
      default: byDefault,
      description: `the expected status for ${of}: a class ("2xx", "4xx" or "5xx") or a status such as "422"`
    })
  )

/** Where the contract leaves the status open; the defaults are those of our own server. */
const Expect = Section(
  {
    malformed: Status('a request that breaks the contract', '4xx'),
    method: Status('another method', '4xx'),
    contentType: Status('another Content-Type', '4xx'),
    indexGap: Status('a bag with a missing index (2A, 2B)', '4xx'),
    currency: Status('a currency that the shop does not sell in', '4xx'),
    referenceTooLong: Status('a reference of 33 characters', '4xx'),
    otherCart: Status('another bag under the same reference', '2xx'),
    unknownSku: Status('an unknown SKU', '4xx'),
    outOfStock: Status('a SKU that is out of stock', '4xx'),
    describedMethod: Choice(
      ['POST', 'GET'],
      'the method that option 1 describes: "POST", or "GET" if that is intended'
    ),
    sameSku: Choice(
      ['apart', 'together'],
      'the same SKU on two lines: "apart", on two lines, or "together", on one with the units of both'
    )
  },
  'an object with the expected statuses, as listed in src/kit/README.md',
  { default: {} }
)

const skus = (description: string, more: object) => {
  const sku = NonEmpty('a SKU: a string of 1 to 128 characters', { maxLength: 128 })
  return Type.Array(sku, { description, ...more })
}

const Skus = Section(
  {
    exist: skus('a list of at least three SKUs that can be bought, without duplicates', {
      minItems: 3,
      uniqueItems: true
    }),
    unknown: skus('a list of at least one SKU that the site does not know', { minItems: 1 }),
    outOfStock: WithDefault(
      Type.Union([skus('', {}), Type.Literal('none')], {
        default: [],
        description: 'a list of SKUs that are out of stock, or "none" if the shop never has any'
      })
    )
  },
  'an object with exist, unknown and outOfStock'
)

const Codes = Section(
  {
    valid: Type.Optional(NonEmpty('a discount code that lowers the price of any bag')),
    invalid: Type.Optional(NonEmpty('a discount code that does not exist, or has expired'))
  },
  'an object with valid and invalid'
)

const CURRENCY = 'an ISO 4217 code such as "GBP"'

function codeProblem(code: string): string | undefined {
  return isCurrency(code) ? undefined : wrongValue(code, CURRENCY)
}

function originProblem(origin: string): string | undefined {
  return URL.parse(origin)?.origin === origin
    ? undefined
    : wrongValue(origin, 'an origin such as "https://cdn.example"')
}

export function profileSchema(options: TransferOption[]) {
  const names = options.map(({ name }) => JSON.stringify(name)).join(', ')
  return Section(
    {
      $schema: Type.Optional(Type.String({ description: 'the path of conform.schema.json, for editors' })),
      name: NonEmpty('a name for reports: 1 to 80 characters', { maxLength: 80 }),
      option: Type.Union(
        options.map(({ name }) => Type.Literal(name)),
        { description: `how a cart arrives: ${names}` }
      ),
      url: Type.String({ description: 'the address that carts are sent to, such as "https://shop.example/cart"' }),
      currency: Type.String({ pattern: '^[A-Z]{3}$', description: CURRENCY, problemOf: codeProblem }),
      skus: Skus,
      titles: Type.Optional(
        Type.Record(Type.String(), NonEmpty('what the page calls a SKU'), {
          description: 'what the page calls SKUs that cannot be bought, if not by the SKU: { "LAMP": "Brass lantern" }'
        })
      ),
      codes: Type.Optional(Codes),
      itemId: LinkKeys.properties.itemId,
      platform: Type.Optional(
        Type.String({
          pattern: '^https://[!-~]+$',
          description: 'the https address of the profile of the platform that the kit plays, with UCP'
        })
      ),
      names: WithDefault(
        Type.String({
          default: INDEXED_NAMES,
          description: 'how the platform is configured to name fields: "indexed", or "index-free" for 2A'
        })
      ),
      reference: Choice(
        ['plain', 'hyphenated'],
        'how a UUID is written: "plain" (32 characters) or "hyphenated" (36, over the limit of 32)'
      ),
      expect: WithDefault(Expect),
      page: WithDefault(PageSetting),
      origins: WithDefault(
        Type.Array(
          Type.String({ description: 'an origin such as "https://pictures.example"', problemOf: originProblem }),
          {
            default: [],
            description: 'a list of other origins that the page may load resources from, such as pictures'
          }
        )
      ),
      transfers: Type.Optional(
        Type.String({
          pattern: '^https?://[^?#\\s]+[^/?#\\s]$',
          description:
            'the address, before the slash and the reference, where the platform asks what became of a bag, such as "https://shop.example/transfers"'
        })
      ),
      completeTitle: Type.Optional(NonEmpty('a phrase that only the title of a completed order contains')),
      completeUrl: Type.Optional(NonEmpty('a string that only the URL of a completed order contains')),
      maxQuantity: Whole(9999, 5, 9999, 'the largest quantity of one SKU that the site sells in one bag'),
      bigBag: Whole(60, 4, 900, 'how many lines the big bag has'),
      timeoutSeconds: Seconds(
        30,
        0.1,
        600,
        'how long a response, or a call into its page, may take: seconds, at most 600'
      )
    },
    'an object with name, option, url, currency and skus',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      title: 'A profile for the conformance kit of cart-transfer'
    }
  )
}

export type Profile = Static<ReturnType<typeof profileSchema>>

/** The settings that change how a request is written. */
export const requestSettings = ({
  itemId,
  platform
}: {
  itemId?: string | undefined
  platform?: string | undefined
}) => ({
  itemId,
  ...(platform !== undefined && { platforms: [{ profile: platform }] })
})

export type ExpectKey = Exclude<keyof Profile['expect'], 'describedMethod' | 'sameSku'>

/** @throws OperatorError with every mistake, a line each */
export function readProfile(file: string, options: TransferOption[]): Profile {
  const mistakes: FileError[] = []
  const source = openJsonFile(file, 'a profile', mistakes)
  const profile = source && checkValue(profileSchema(options), source, 'src/kit/README.md')
  if (profile) checkProfile(profile, options, source.report)
  if (profile && mistakes.length === 0) return profile
  throw new OperatorError(mistakes.map(describeError).join('\n'))
}

export function listedSkus(list: string[] | 'none'): string[] {
  return list === 'none' ? [] : list
}

function checkProfile(
  { option: optionName, url, names, skus, codes, itemId, platform }: Profile,
  options: TransferOption[],
  report: ReportError
) {
  const reportValue = (key: (string | number)[], value: unknown, right: string) => report(key, wrongValue(value, right))
  const option = options.find(({ name }) => name === optionName)
  // If the option writes the URL itself, the address cannot have a query; Meta's may have the shop's own.
  const isLink = option?.answer === 'redirect'
  const mayHaveQuery = option?.encoding === 'query' ? isLink : option && !hasPathsBelow(option)
  const address = URL.parse(url)
  if (!address || !/^https?:$/.test(address.protocol) || (mayHaveQuery ? /[#\s]/ : /[?#\s]/).test(url)) {
    const kind = mayHaveQuery ? 'address' : 'address without query'
    reportValue(['url'], url, `an http or https ${kind}, such as "https://shop.example/cart"`)
  }
  const supportedNames = [INDEXED_NAMES, ...Object.keys(option?.variants ?? {})]
  if (!supportedNames.includes(names)) {
    reportValue(['names'], names, `one that option ${optionName} supports: ${supportedNames.join(', ')}`)
  }
  const ofOthers = { ...(!isLink && { codes, itemId }), ...(option?.answer !== 'protocol' && { platform }) }
  for (const [key, value] of Object.entries(ofOthers)) {
    if (value !== undefined) report([key], `option ${optionName} sends none; leave it out`)
  }
  const items = [...skus.exist, ...skus.unknown, ...listedSkus(skus.outOfStock)].map(sku => ({ sku, quantity: 1 }))
  try {
    option?.request({ reference: 'r', currency: 'GBP', items }, url, requestSettings({ itemId, platform }))
  } catch (error) {
    report(['skus'], (error as Problem).message)
  }
  for (const kind of ['unknown', 'outOfStock'] as const) {
    listedSkus(skus[kind]).forEach((sku, i) => {
      if (skus.exist.includes(sku)) reportValue(['skus', kind, i], sku, 'a SKU that is not also in skus.exist')
    })
  }
}

/** Stands in for the selectors that are not being checked. */
const VALID = { line: 'p', sku: '@id', quantity: '@id', price: '@id', total: 'p' }

/** @throws OperatorError with every invalid selector, a line each */
export async function checkSelectors({ page }: Profile, views: WebViews): Promise<void> {
  const problems: string[] = []
  for (const key of Object.keys(VALID) as (keyof typeof VALID)[]) {
    await views
      .read('<p></p>', { ...VALID, ...(page[key] !== undefined && { [key]: page[key] }) })
      .catch((error: Error) => {
        // A browser that does not start is not a mistake in the profile.
        if (!error.message.includes('is not a valid selector')) throw error
        const right = key === 'line' ? 'a CSS selector' : 'a CSS selector, @ and an attribute, or both'
        problems.push(`page.${key}: it is ${JSON.stringify(page[key])}, which the browser cannot parse; give ${right}`)
      })
  }
  if (problems.length > 0) throw new OperatorError(problems.join('\n'))
}

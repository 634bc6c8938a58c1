// Reads merchant files. What cannot work is found here, before the server starts, with the file, the line, the key,
// what is wrong and what would be right.
import { dirname, join, resolve } from 'node:path'
import { Value } from '@sinclair/typebox/value'
import { LOGO } from '../checkout/shop-front.ts'
import { openTitles } from '../checkout/titles.ts'
import { wordsFor } from '../messages/words.ts'
import { isCurrency } from '../money.ts'
import type { TransferOption } from '../transfer/option.ts'
import { openJson, type Report, reportTo, shapeMistakes, wrongValue } from './json-shape.ts'
import type { JsonSource } from './json-source.ts'
import type { Merchant } from './merchant.ts'
import { readCountries, readDelivery } from './merchant-delivery.ts'
import { readLook } from './merchant-look.ts'
import { type MerchantSettings, merchantSchema } from './merchant-schema.ts'
import { tryTemplates } from './merchant-views.ts'
import { readWebhook, type SecretOf } from './merchant-webhook.ts'
import { checkTexts, isLocale, readLocales, readMessages } from './merchant-words.ts'
import { isWithin, readPublicUrl } from './public-url.ts'

/** Every mistake in the merchant files, a line each. */
export class MerchantFileError extends Error {}

/** Paths of the server's own, which no merchant may take. */
const SERVER_PATHS = ['/healthz', '/simulator', '/favicon.ico']

/** The folder of pictures, below publicUrl and beside the feed. */
export const PICTURES = '/pictures'

/** The longest origin that a listening address may turn out to have: a host name of 253 characters and a port. */
const LONGEST_ORIGIN = `http://${'h'.repeat(253)}:65535`

/**
 * Reads merchant files and checks each of them, and all of them together.
 * @throws MerchantFileError with every mistake in every file
 */
export function readMerchantFiles(
  files: string[],
  options: TransferOption[],
  secretOf: SecretOf = () => undefined
): Merchant[] {
  const problems: string[] = []
  const loaded: { merchant: Merchant; report: Report }[] = []
  for (const file of files) {
    const source = openJson(file, 'a merchant file', problems)
    if (!source) continue
    const before = problems.length
    const report = reportTo(problems, file, source)
    const settings = checkShape(source, options, report)
    const merchant = settings && readMerchant(settings, resolve(file), options, secretOf, report)
    if (!merchant || problems.length > before) continue
    tryTemplates(merchant, report)
    if (problems.length === before) loaded.push({ merchant, report })
  }
  loaded.forEach(({ merchant, report }, i) => {
    for (const { merchant: earlier } of loaded.slice(0, i)) findConflict(merchant, earlier, report)
  })
  if (problems.length > 0) throw new MerchantFileError(problems.join('\n'))
  return loaded.map(({ merchant }) => merchant)
}

/** Checks keys and types against the schema, and fills in what has a default. */
function checkShape(source: JsonSource, options: TransferOption[], report: Report): MerchantSettings | undefined {
  for (const key of source.repeated) report(key, 'it stands twice; keep one')
  const sent = (source.value as { transfer?: { option?: unknown } } | null)?.transfer?.option
  const option = options.find(({ name }) => name === sent)
  // Each option has keys of its own: `transfer` is checked by those of the option it names.
  const schema = merchantSchema(option ? [option] : options)
  const settings = Value.Default(schema, source.value)
  const found = shapeMistakes(schema, settings)
  for (const { key, problem, right } of found) {
    const isUnknownOption = key.join() === 'transfer' && sent !== undefined
    if (isUnknownOption) report([...key, 'option'], wrongValue(sent, right))
    else report(key, problem)
  }
  return found.length > 0 ? undefined : (settings as MerchantSettings)
}

/** Checks what a schema cannot say, and makes every path and address ready. */
function readMerchant(
  settings: MerchantSettings,
  file: string,
  options: TransferOption[],
  secretOf: SecretOf,
  report: Report
): Merchant {
  const { id, name, publicUrl, locale, currencies, transfer, catalogue, checkout } = settings
  const option = options.find(({ name: optionName }) => optionName === transfer.option) as TransferOption
  const address = readPublicUrl(publicUrl)
  if (typeof address === 'string') report(['publicUrl'], `it is ${JSON.stringify(publicUrl)}; ${address}`)
  const { origin, path } = typeof address === 'string' ? { path: '', origin: undefined } : address

  if (!isLocale(locale)) report(['locale'], `it is "${locale}"; give a language tag such as "en-GB"`)
  currencies.forEach((code, i) => {
    if (!isCurrency(code)) report(['currencies', i], `it is "${code}"; give an ISO 4217 code such as "GBP"`)
  })
  if (isWithin(transfer.path, checkout.path)) {
    report(['transfer', 'path'], `it is "${transfer.path}"; give one that is not checkout.path or beneath it`)
  }
  if (SERVER_PATHS.some(taken => isWithin(path, taken))) {
    report(['publicUrl'], `"${path}" is the server's own path; give another`)
  }
  for (const part of ['transfer', 'checkout'] as const) {
    const full = path + settings[part].path
    const taken = [path + PICTURES, path + LOGO, ...SERVER_PATHS].find(own => isWithin(full, own))
    if (taken !== undefined) report([part, 'path'], `"${full}" lies in "${taken}", the server's own path; give another`)
  }
  const leaving = wrongWithLeaving(checkout.continueShoppingUrl)
  if (leaving) report(['checkout', 'continueShoppingUrl'], `it is "${checkout.continueShoppingUrl}"; ${leaving}`)
  const locales = readLocales(settings, report)
  const messages = readMessages(settings, report)
  checkTexts(settings, report)
  const titles = [locale, ...locales].filter(isLocale).flatMap(tag => openTitles(name, wordsFor(tag, messages)))
  const title = titles.find(open => open.toLowerCase().includes(checkout.completeTitle.toLowerCase()))
  if (title) {
    const problem = `it is "${checkout.completeTitle}"; give words that no other page's title contains, as "${title}" does`
    report(['checkout', 'completeTitle'], problem)
  }
  const checkoutUrl = (origin ?? LONGEST_ORIGIN) + path + checkout.path
  for (const { key, problem } of option.check?.(transfer, checkoutUrl) ?? []) report(['transfer', ...key], problem)

  return {
    id,
    name,
    locale,
    locales,
    messages,
    currencies,
    ...(origin !== undefined && { origin }),
    path,
    option,
    transfer,
    checkout,
    countries: readCountries(settings, report),
    delivery: readDelivery(settings, report),
    ...(settings.payment && { paymentText: settings.payment.text }),
    ...(settings.webhook && { webhook: readWebhook(settings.webhook, secretOf, report) }),
    feed: resolve(dirname(file), catalogue.feed),
    pictures: join(dirname(resolve(dirname(file), catalogue.feed)), PICTURES),
    look: readLook(settings, file, report)
  }
}

/** What is wrong with the address that takes a shopper back to the app, if anything is. */
function wrongWithLeaving(address: string): string | undefined {
  const url = URL.parse(address)
  if (!url || !/^[\w\-.~:/?#[\]@!$&'()*+,;=%]+$/.test(address))
    return 'give an absolute address such as "harbour://continue"'
  const runsScript = ['javascript:', 'data:', 'vbscript:', 'blob:', 'filesystem:'].includes(url.protocol)
  return runsScript
    ? `"${url.protocol}" could run script in the page; give an address such as "harbour://continue"`
    : undefined
}

/** Merchants share one process: neither may stand in the other's way. */
function findConflict(merchant: Merchant, earlier: Merchant, report: Report): void {
  if (merchant.id === earlier.id) report(['id'], `"${merchant.id}" is another merchant's id too; give each its own`)
  if (isWithin(merchant.path, earlier.path) || isWithin(earlier.path, merchant.path)) {
    const paths = `"${merchant.path || '/'}" and "${earlier.path || '/'}", the path of "${earlier.id}",`
    report(['publicUrl'], `${paths} lie one inside the other; give each merchant a path of its own`)
  }
}

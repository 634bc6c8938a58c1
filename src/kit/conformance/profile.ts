// Reads the profile of a merchant site. What cannot be used is refused before anything is sent, with file, line, key,
// what is wrong and what would be right.
import { Value } from '@sinclair/typebox/value'
import { OperatorError } from '../../errors.ts'
import { openJsonFile, type ReportMistake, reportTo, schemaMistakes, wrongValue } from '../../merchant/json-file.ts'
import { isCurrency } from '../../money.ts'
import type { TransferOption } from '../../transfer/option.ts'
import { type Profile, profileSchema } from './profile-schema.ts'

/** Every mistake in a profile, a line each. */
export class ProfileError extends OperatorError {}

/** How every option names fields where nothing else is said. */
export const INDEXED = 'indexed'

/** @throws ProfileError with every mistake */
export function readProfile(file: string, options: TransferOption[]): Profile {
  const problems: string[] = []
  const source = openJsonFile(file, 'a profile', problems)
  if (source) {
    const report = reportTo(problems, file, source)
    const schema = profileSchema(options)
    const profile = Value.Default(schema, source.value)
    const found = schemaMistakes(schema, profile, 'src/kit/README.md')
    for (const { key, problem } of found) report(key, problem)
    if (found.length === 0) checkProfile(profile as Profile, options, report)
    if (problems.length === 0) return { ...(profile as Profile), names: (profile as Profile).names ?? INDEXED }
  }
  throw new ProfileError(problems.join('\n'))
}

/** Checks what a schema cannot say. */
function checkProfile(
  { option, url, currency, names, skus, origins }: Profile,
  options: TransferOption[],
  report: ReportMistake
) {
  const refuse = (key: (string | number)[], value: unknown, right: string) => report(key, wrongValue(value, right))
  const address = URL.parse(url)
  const chosen = options.find(({ name }) => name === option)
  // One that writes the query itself has no room for another.
  const isKept = chosen?.request({ reference: '', currency: '', items: [] }, url).url === url
  if (!address || !/^https?:$/.test(address.protocol) || (isKept ? /[#\s]/ : /[?#\s]/).test(url)) {
    const kind = isKept ? 'address' : 'address without query'
    refuse(['url'], url, `an http or https ${kind}, such as "https://shop.example/cart"`)
  }
  if (!isCurrency(currency)) refuse(['currency'], currency, 'an ISO 4217 code such as "GBP"')
  const variants = Object.keys(chosen?.variants ?? {})
  if (names !== undefined && ![INDEXED, ...variants].includes(names)) {
    refuse(['names'], names, `one that option ${option} has: ${[INDEXED, ...variants].join(', ')}`)
  }
  origins.forEach((origin, i) => {
    if (URL.parse(origin)?.origin !== origin) refuse(['origins', i], origin, 'an origin such as "https://cdn.example"')
  })
  for (const kind of ['unknown', 'outOfStock'] as const) {
    skus[kind].forEach((sku, i) => {
      if (skus.exist.includes(sku)) refuse(['skus', kind, i], sku, 'a SKU that is not in skus.exist too')
    })
  }
}

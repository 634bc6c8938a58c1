// Reads the profile of a merchant site. Mistakes are found before anything is sent, and reported with file, line, key,
// what is wrong and what would be right.
import { OperatorError } from '../../errors.ts'
import {
  completeValue,
  openJsonFile,
  type ReportMistake,
  reportTo,
  schemaMistakes,
  wrongValue
} from '../../merchant/json-file.ts'
import { isCurrency } from '../../money.ts'
import type { TransferOption } from '../../transfer/option.ts'
import { type Profile, profileSchema } from './profile-schema.ts'

/** Every mistake in a profile, a line each. */
export class ProfileError extends OperatorError {}

/** The default for `names`, which every option supports. */
export const INDEXED_NAMES = 'indexed'

/** @throws ProfileError with every mistake */
export function readProfile(file: string, options: TransferOption[]): Profile {
  const problems: string[] = []
  const source = openJsonFile(file, 'a profile', problems)
  if (source) {
    const report = reportTo(problems, file, source)
    const schema = profileSchema(options)
    const mistakes = schemaMistakes(schema, source.value, 'src/kit/README.md')
    for (const { key, problem } of mistakes) report(key, problem)
    const profile = completeValue(schema, source.value, mistakes) as Profile | undefined
    if (profile) checkProfile(profile, options, report)
    if (profile && problems.length === 0) return { ...profile, names: profile.names ?? INDEXED_NAMES }
  }
  throw new ProfileError(problems.join('\n'))
}

/** The SKUs of a list that may be `"none"`. */
export function listedSkus(list: string[] | 'none'): string[] {
  return list === 'none' ? [] : list
}

/** Checks what the schema cannot express. */
function checkProfile(
  { option: optionName, url, currency, names, skus, origins }: Profile,
  options: TransferOption[],
  report: ReportMistake
) {
  const reportValue = (key: (string | number)[], value: unknown, right: string) => report(key, wrongValue(value, right))
  const option = options.find(({ name }) => name === optionName)
  // If the option writes the query of the URL itself, the address cannot have one.
  const mayHaveQuery = option?.encoding !== 'query'
  const address = URL.parse(url)
  if (!address || !/^https?:$/.test(address.protocol) || (mayHaveQuery ? /[#\s]/ : /[?#\s]/).test(url)) {
    const kind = mayHaveQuery ? 'address' : 'address without query'
    reportValue(['url'], url, `an http or https ${kind}, such as "https://shop.example/cart"`)
  }
  if (!isCurrency(currency)) reportValue(['currency'], currency, 'an ISO 4217 code such as "GBP"')
  const supportedNames = [INDEXED_NAMES, ...Object.keys(option?.variants ?? {})]
  if (names !== undefined && !supportedNames.includes(names)) {
    reportValue(['names'], names, `one that option ${optionName} supports: ${supportedNames.join(', ')}`)
  }
  origins.forEach((origin, i) => {
    if (URL.parse(origin)?.origin !== origin) {
      reportValue(['origins', i], origin, 'an origin such as "https://cdn.example"')
    }
  })
  for (const kind of ['unknown', 'outOfStock'] as const) {
    listedSkus(skus[kind]).forEach((sku, i) => {
      if (skus.exist.includes(sku)) reportValue(['skus', kind, i], sku, 'a SKU that is not also in skus.exist')
    })
  }
}

// Checks a merchant file against the schema of the option and the destination that it names.
import type { Destination } from '../destination/destination.ts'
import { isOnlyForOurPage, type TransferOption } from '../transfer/option.ts'
import { OWN_PAGE } from './destination-schema.ts'
import { completeValue, type ReportMistake, type Setting, schemaMistakes, settingsIn, wrongValue } from './json-file.ts'
import type { JsonSource } from './json-source.ts'
import { type MerchantSettings, merchantSchema } from './merchant-schema.ts'

type Named = {
  transfer?: { option?: unknown }
  checkout?: { destination?: { type?: unknown } }
  /** Where it does not belong. */
  destination?: { type?: unknown }
}

/** Checks keys and types, and fills in the defaults. @returns the settings, as a whole and each with its schema */
export function checkSchema(
  source: JsonSource,
  { options, destinations }: { options: TransferOption[]; destinations: Destination[] },
  report: ReportMistake
): { settings: MerchantSettings; each: Setting[] } | undefined {
  const { transfer, checkout, destination: misplaced } = (source.value ?? {}) as Named
  const sent = transfer?.option
  const named = checkout?.destination ?? misplaced
  // Whoever begins to name a destination does not mean our page, whose keys are then not missing.
  const type = named === undefined ? OWN_PAGE : named?.type
  // Each option and each destination has its own keys: those of the one that is named are checked.
  const option = options.find(({ name }) => name === sent)
  const leadsTo = type === OWN_PAGE ? type : destinations.find(({ name }) => name === type)
  const schema = merchantSchema(option ? [option] : options, destinations, leadsTo)
  const found = schemaMistakes(schema, source.value, 'config/README.md')
  for (const { key, problem } of found) {
    const place = key.join('.')
    if (place === 'transfer' && sent !== undefined) report([...key, 'option'], wrongName(sent, options))
    else if (place === 'checkout.destination' && !leadsTo && type !== undefined) {
      report([...key, 'type'], wrongName(type, [{ name: OWN_PAGE }, ...destinations]))
    } else report(key, problem)
  }
  if (typeof leadsTo === 'object') {
    for (const { key, schema: marked } of settingsIn(schema, source.value)) {
      if (!isOnlyForOurPage(marked)) continue
      report(key, `it is about our own page, and bags go to "${leadsTo.name}"; leave it out`)
    }
  }
  const settings = completeValue(schema, source.value, found) as MerchantSettings | undefined
  return settings && { settings, each: settingsIn(schema, settings) }
}

/** A name that is none of these, or is one without its quotation marks. */
function wrongName(sent: unknown, known: { name: string }[]): string {
  const names = known.map(({ name }) => JSON.stringify(name))
  const isUnquoted = names.includes(`"${sent}"`)
  return wrongValue(sent, isUnquoted ? `"${sent}", with its quotation marks` : `one of ${names.join(', ')}`)
}

// The schema of `transfer` in merchant files: how bags arrive.
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { AttributionSetting } from '../transfer/attribution.ts'
import type { AuthenticationSetting } from '../transfer/authentication.ts'
import type { TransferOption } from '../transfer/option.ts'
import type { PlatformsSetting } from '../ucp/platform-settings.ts'
import { Path, SectionOfKinds, Whole } from './setting-types.ts'

const TransferKeys = {
  path: Path('where the platform sends carts ({base_url} in the contract), below publicUrl'),
  maxItems: Whole(500, 1, 900, 'the maximum number of lines in a cart', '; more are answered 413'),
  maxQuantity: Whole(9999, 1, 9999, 'the maximum number of units in a line', '; more are refused with 422'),
  keepRecordsDays: Whole(90, 0, 3650, 'the days that the outcome of each transfer is kept (for npm run reconcile)'),
  attribution: Type.Optional(AttributionSetting)
}

/**
 * One way in, or a list of several.
 * @param sent `transfer` in a file, if the schema is for one; see `SectionOfKinds`
 */
export function transferSchema(options: TransferOption[], isForFile: boolean, sent: unknown): TSchema {
  const wayOf = (one: unknown) =>
    SectionOfKinds(
      {
        by: 'option',
        about: 'how a cart arrives',
        shared: TransferKeys,
        kinds: options.map(({ name, title, settings }) => ({ name, title, keys: settings.properties })),
        right: 'an object with option, path and what else config/README.md lists'
      },
      one
    )
  if (Array.isArray(sent) && sent.length > 0) return Type.Tuple(sent.map(wayOf))
  const way = wayOf(sent)
  const description = `${way.description}, or a list of several`
  if (isForFile) return { ...way, description }
  const list = Type.Array(way, { minItems: 1, description: 'a list of ways in' })
  return Type.Union([...[way.anyOf ?? way].flat(), list], { description })
}

/** Those of a way in, with the keys of its option. */
export type TransferSettings = Static<TObject<typeof TransferKeys>> & {
  option: string
  authentication?: AuthenticationSetting
  currency?: string
  platforms?: PlatformsSetting
}

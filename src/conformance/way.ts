// How the bags of an option travel, which decides the checks that it meets: an option that somebody adds meets those of
// its kind, and none has to be told its name.
import type { TransferOption } from '../transfer/option.ts'
import type { Check } from './check.ts'
import { isJson } from './edit-request.ts'

export type Way = Pick<TransferOption, 'name' | 'answer'> & {
  /** What the bag is written as; what the kit cannot change is other. */
  bag: 'json' | 'form' | 'query' | 'other'
}

export function wayOf({ name, answer, request }: Pick<TransferOption, 'name' | 'answer' | 'request'>): Way {
  const sent = request({ reference: '', currency: '', items: [] }, 'https://shop.example/cart')
  const isForm = sent.headers.some(({ value }) => value === 'application/x-www-form-urlencoded')
  const body = isJson(sent) ? 'json' : isForm ? 'form' : 'other'
  return { name, answer, bag: sent.body === undefined ? 'query' : body }
}

/** The checks that concern an option. */
export function concerning(checks: Check[], option: Parameters<typeof wayOf>[0]): Check[] {
  const way = wayOf(option)
  return checks.filter(({ concerns }) => concerns?.(way) ?? true)
}

export const isDescribed = ({ answer }: Way): boolean => answer === 'description'
export const isInBody = ({ bag }: Way): boolean => bag !== 'query'
export const isInJson = ({ bag }: Way): boolean => bag === 'json'
export const isInUrl = ({ bag }: Way): boolean => bag === 'query'
export const isInPairs = ({ bag }: Way): boolean => bag === 'form' || bag === 'query'
export const canBeEdited = ({ bag }: Way): boolean => bag !== 'other'

/** Contract 2.3 alone has prices and names with brackets. */
export const isOf23 = ({ name }: Way): boolean => name === '2A'

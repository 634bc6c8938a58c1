// A check: one sentence about a merchant site, the section of the contract that it comes from, and a function that finds
// out whether it is true.

import type { TransferOption } from '../../transfer/option.ts'
import type { Profile } from './profile.ts'
import type { Site } from './site.ts'

export type Group = 'description' | 'page' | 'requests' | 'limits' | 'repeats' | 'refusals'

export type Check = {
  /** A stable name in kebab-case, for programs. */
  id: string
  group: Group
  /** A sentence that is true of a site that passes. */
  title: string
  /** What happened at a site that fails: a sentence, or what it did not refuse. */
  failure: string | { notRefused: string }
  /** `contract 4.1 rule 4`, or `good practice (…)` with its basis. */
  section: string
  /** What goes wrong for shoppers or the shop if the check fails. */
  why: string
  /** What the merchant's engineers should do about it. */
  remedy: string
  /** Whether the check applies to an option and a site; by default it applies to all. */
  appliesTo?: (option: OptionTraits, profile: Profile) => boolean
  /**
   * The ids of checks that have to pass first; otherwise this one is not judged. A check of the contract depends only on
   * others of the contract: a miss of good practice leaves the verdict on the contract as it is.
   */
  dependsOn?: string[]
  /**
   * Returns if the sentence is true.
   * @throws CheckFailed or CheckNotJudged
   */
  run: (site: Site) => Promise<void>
}

export type OptionTraits = Pick<TransferOption, 'answer' | 'encoding' | 'sendsPrices'>

export const answersWithDescription = ({ answer }: OptionTraits): boolean => answer === 'description'
export const usesBody = ({ encoding }: OptionTraits): boolean => encoding !== 'query'
export const usesJson = ({ encoding }: OptionTraits): boolean => encoding === 'application/json'
export const usesForm = ({ encoding }: OptionTraits): boolean => encoding === 'application/x-www-form-urlencoded'
export const usesUrl = ({ encoding }: OptionTraits): boolean => encoding === 'query'
export const usesPairs = (traits: OptionTraits): boolean => usesForm(traits) || usesUrl(traits)
/** Whether the kit can edit its requests. */
export const isEditable = (traits: OptionTraits): boolean => usesPairs(traits) || usesJson(traits)
/** Contract 2.3: prices, and names with brackets. */
export const usesPricedForm = (traits: OptionTraits): boolean => usesForm(traits) && traits.sendsPrices

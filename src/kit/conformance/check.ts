// What a check is: one sentence about a merchant site, with the section of the contract that it comes from, and a
// function that finds out whether it is true.

import type { OptionTraits } from './option-traits.ts'
import type { Site } from './site.ts'

export type Group = 'description' | 'page' | 'requests' | 'limits' | 'repeats' | 'refusals'

export type Check = {
  /** A name for programs, in kebab-case. */
  id: string
  group: Group
  /** A sentence that is true of a site that passes. */
  title: string
  /** `contract 4.1 rule 4`, or `good practice (…)` and where that comes from. */
  section: string
  /** What happens to a shopper or a shop where it is not so. */
  why: string
  /** What a merchant's engineer does about it. */
  remedy: string
  /** Whether it is about options whose bags travel this way; about all of them when it says nothing. */
  concerns?: (option: OptionTraits) => boolean
  /** Checks that must have passed for this one to say anything, by id. */
  needs?: string[]
  /**
   * Comes to its end where the sentence is true.
   * @throws Failed or NotJudged
   */
  run: (site: Site) => Promise<void>
}

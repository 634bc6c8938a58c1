// A check: one sentence about a merchant site, the section of the contract that it comes from, and a function that finds
// out whether it is true. No check knows an option by name: a new one gets the checks of its kind.
import type { TransferOption } from '../../transfer/option.ts'
import { hasContractFields, hasIndexes } from './edit-request.ts'
import type { Profile } from './profile.ts'
import type { Site } from './site.ts'

export type Group = 'description' | 'page' | 'link' | 'cart' | 'requests' | 'limits' | 'repeats' | 'refusals'

export type Check = {
  /** A stable name in kebab-case, for programs. */
  id: string
  group: Group
  /** A sentence that is true of a site that passes. */
  title: string
  /** What happened at a site that fails: a sentence, or what it did not refuse. */
  failure: string | { notRefused: string }
  /** `contract 4.1 rule 4`, the document that a link follows, or `good practice (…)` with its basis. */
  section: string
  /** What goes wrong for shoppers or the shop if the check fails. */
  why: string
  /** What the merchant's engineers should do about it. */
  remedy: string
  /** Whether the check applies to an option and a site; by default it applies to all. */
  appliesTo?: (option: TransferOption, profile: Profile) => boolean
  /**
   * The ids of checks that have to pass first; otherwise this one is not judged. A check of the contract depends only on
   * others of the contract: a miss of good practice leaves the verdict on the contract as it is.
   */
  dependsOn?: string[]
  /** @throws CheckFailed or CheckNotJudged unless the sentence is true */
  run: (site: Site) => Promise<unknown>
}

export const EXACT_ITEMS = ['exact-items']

/** Checks with much in common. Unless they say otherwise, the page has to show exactly the items first. */
export function checkGroup(
  common: Pick<Check, 'group' | 'appliesTo' | 'dependsOn'>,
  checks: Omit<Check, 'group'>[]
): Check[] {
  return checks.map(check => ({ dependsOn: EXACT_ITEMS, ...common, ...check }))
}

const SAMPLE = { reference: 'r', currency: 'GBP', items: ['A', 'B'].map(sku => ({ sku, quantity: 1 })) }

const sampleRequest = ({ request }: TransferOption) => request(SAMPLE, 'https://shop.example/')

export const answersWithDescription = ({ answer }: TransferOption): boolean => answer === 'description'
/** Whether its requests are links that anybody may make: they have no currency, and a reference only if the shop wants one. */
export const isLink = ({ answer }: TransferOption): boolean => answer === 'redirect'
/** Whether a platform keeps its carts at the site: they have no reference, and what cannot be sold is answered in JSON. */
export const isProtocol = ({ answer }: TransferOption): boolean => answer === 'protocol'
/** Whether its requests have the currency and the reference of the contract. */
export const isTransfer = (option: TransferOption): boolean => !isLink(option) && !isProtocol(option)
export const usesBody = ({ encoding }: TransferOption): boolean => encoding.includes('/')
export const usesUrl = (option: TransferOption): boolean => !usesBody(option)
export const usesPairs = ({ encoding }: TransferOption): boolean =>
  encoding === 'query' || encoding === 'application/x-www-form-urlencoded'
export const sendsPrices = ({ sendsPrices }: TransferOption): boolean => sendsPrices
/** Whether its requests have the fields of the contract, so that the kit can edit them. */
export const isEditable = (option: TransferOption): boolean =>
  (usesPairs(option) || option.encoding === 'application/json') && hasContractFields(sampleRequest(option))
export const usesJson = (option: TransferOption): boolean => !usesPairs(option) && isEditable(option)
/** Contract 2.3 and 2.4: names with the position of the line. */
export const usesIndexes = (option: TransferOption): boolean => isEditable(option) && hasIndexes(sampleRequest(option))
/** Contract 2.3: names with brackets. */
export const usesBrackets = (option: TransferOption): boolean =>
  usesPairs(option) && /%5B/i.test(Object.values(sampleRequest(option)).join(' '))

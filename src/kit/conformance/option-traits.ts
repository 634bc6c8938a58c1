// The traits of an option that decide which checks apply to it. No check knows an option by name, so a new option gets
// the checks of its kind.
import type { TransferOption } from '../../transfer/option.ts'

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

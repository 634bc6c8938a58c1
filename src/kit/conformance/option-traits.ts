// What an option declares about itself decides which checks concern it: an option that somebody adds is met by the
// checks of its kind, and no check has to know its name.
import type { TransferOption } from '../../transfer/option.ts'

export type OptionTraits = Pick<TransferOption, 'answer' | 'encoding' | 'sendsPrices'>

export const isDescribed = ({ answer }: OptionTraits): boolean => answer === 'description'
export const isInBody = ({ encoding }: OptionTraits): boolean => encoding !== 'query'
export const isInJson = ({ encoding }: OptionTraits): boolean => encoding === 'json'
export const isInUrl = ({ encoding }: OptionTraits): boolean => encoding === 'query'
export const isInPairs = ({ encoding }: OptionTraits): boolean => encoding === 'form' || encoding === 'query'
/** Whether the kit can change its requests. */
export const canBeEdited = ({ encoding }: OptionTraits): boolean => encoding !== 'other'
/** Contract 2.3: prices, and names with brackets. */
export const isPricedForm = ({ encoding, sendsPrices }: OptionTraits): boolean => encoding === 'form' && sendsPrices

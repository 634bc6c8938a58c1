// The checks of settings that only the pages can make, for the reader of merchant files.
import type { Merchant } from '../merchant/merchant.ts'
import type { SettingMistake } from '../transfer/option.ts'
import { findTemplateMistakes, findViewMistakes } from './check-templates.ts'
import { findTitleMistakes } from './titles.ts'

export const pageSettingChecks = {
  findPageMistakes: (merchant: Merchant): SettingMistake[] => [
    ...findTitleMistakes(merchant),
    ...findViewMistakes(merchant)
  ],
  findTemplateMistakes
}

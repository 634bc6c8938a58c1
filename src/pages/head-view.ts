// The view model of what is above every page: its title, its style sheet, and the bar with the logo and the languages.
import type { Fragment } from './fragment.ts'
import type { LanguageLink } from './language-links.ts'

export type HeadView = {
  title: string
  direction: 'ltr' | 'rtl'
  css: string
  /** Absent for addresses that belong to no merchant, whose pages have no bar. */
  shopName: string | undefined
  logo: string | undefined
  darkLogo: string | undefined
  /** The language of the page, by its own name, if others can be chosen. */
  language: string | undefined
  languages: LanguageLink[]
  /** Whether the list of languages is open. */
  listsLanguages: boolean
  /** Whether the page has the form: then languages are chosen by buttons of it. */
  hasForm: boolean
  /** Present on a page with the form, where it is the same for every bag. */
  fragment?: Fragment
}

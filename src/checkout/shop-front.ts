// The front of a shop: what its pages are made with, whatever they show. It is put together once, at start.
import { Eta } from 'eta'
import type { Merchant } from '../config/merchant.ts'
import { chooseLocale } from '../messages/choose-locale.ts'
import { languages } from '../messages/messages.ts'
import { type Words, wordsFor } from '../messages/words.ts'
import { readStyleSheet } from './style-sheet.ts'
import { paletteOf, themeSheet, usualColours, usualRadius } from './theme.ts'
import { viewFile } from './views.ts'

/** Where a logo of the merchant's own is served, below publicUrl. */
export const LOGO = '/logo'

/** The name by which the app knows our own templates. */
export const USUAL_VIEW = 'view'

export type Template = 'checkout' | 'confirmation' | 'problem'

export type ShopFront = {
  /** Absent where an address is no merchant's. */
  merchant: Merchant | undefined
  /** The style sheet of each page. */
  css: Record<Template, string>
  /** The address of the logo, as the page asks for it. */
  logo: string | undefined
  /** The words for a shopper, by the header `Accept-Language`. */
  wordsFor: (accept: string | undefined) => Words
  /** What its templates are rendered by, and the name by which the app knows that: `app[view](template, data)`. */
  eta: Eta
  view: string
}

const USUAL_LOOK = {
  light: paletteOf(usualColours.light, 'light'),
  dark: paletteOf(usualColours.dark, 'dark'),
  radius: usualRadius,
  links: {}
}

export function openShopFront(merchant?: Merchant): ShopFront {
  const { light, dark, radius, logo, views }: Merchant['look'] = merchant?.look ?? USUAL_LOOK
  // At no merchant's address every language will do.
  const locales: [string, ...string[]] = merchant
    ? [merchant.locale, ...merchant.locales]
    : ['en', ...Object.keys(languages)]
  const words = new Map(locales.map(locale => [locale, wordsFor(locale, merchant?.messages, merchant?.locale)]))

  const eta = new Eta({ views: viewFile(''), cache: true })
  eta.resolvePath = template => viewFile(template.endsWith('.eta') ? template : `${template}.eta`, views)
  const theme = themeSheet(light, dark, radius)
  const sheet = (...names: string[]) =>
    readStyleSheet(theme, ...['page.css', ...names].map(name => viewFile(name, views)))
  return {
    merchant,
    css: { checkout: sheet(), confirmation: sheet('confirmation.css'), problem: sheet('problem.css') },
    logo: logo && ('url' in logo ? logo.url : `${merchant?.path}${LOGO}`),
    wordsFor: accept => words.get(chooseLocale(accept, locales)) as Words,
    eta,
    view: merchant ? `view-${merchant.id}` : USUAL_VIEW
  }
}

// Fonts of packages, in place of this machine's: shoppers' phones have others again.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Merchant } from '../../src/merchant/merchant.ts'

const ROOT = join(import.meta.dirname, '../..')

/** A package of Fontsource, its axes, the subsets that are taken, the width if that is an axis, and the weights, if not all. */
type Font = { name: string; axes: 'wght' | 'standard'; subsets: RegExp; stretch?: string; weights?: string[] }

const LATIN: Font = { name: 'archivo', axes: 'standard', subsets: /^latin$/ }
const ARABIC: Font = { name: 'noto-sans-arabic', axes: 'standard', subsets: /^arabic$/ }
/** In two weights, as on most phones. */
const JAPANESE: Font = { name: 'noto-sans-jp', axes: 'wght', subsets: /^\[/, weights: ['400', '700'] }

const FONTS = {
  narrow: [{ ...LATIN, stretch: '62%' }, { ...ARABIC, stretch: '62.5%' }, JAPANESE],
  wide: [{ ...LATIN, stretch: '125%' }, { name: 'readex-pro', axes: 'wght', subsets: /^arabic$/ }, JAPANESE],
  sans: [LATIN, ARABIC, JAPANESE],
  serif: [{ name: 'source-serif-4', axes: 'wght', subsets: /^latin$/ }, ARABIC, JAPANESE]
} satisfies Record<string, Font[]>

/** `own` are those of the machine. */
export type Fonts = keyof typeof FONTS | 'own'

/** Those in which pages are measured. */
export const MEASURED = ['narrow', 'wide', 'own'] as const

/** Those that resemble a phone's, for photographs. */
export const fontsOf = ({ theme }: Merchant): Fonts => (theme.font === 'serif' ? 'serif' : 'sans')

const JAPANESE_TEXTS = ['src/messages/ja.json', 'config/kissa.json', 'config/kissa/feed.tsv']

/**
 * Shows all that a page will open in these fonts, from the first paint on. They do not come from an address, so the pages'
 * Content-Security-Policy stays in force.
 */
export async function showIn(page: Page, fonts: Fonts, locale: string): Promise<void> {
  if (fonts === 'own') return
  // The font for Japanese is in 124 files. In other languages only the names of languages are in another script.
  const japanese = locale.startsWith('ja') ? JAPANESE_TEXTS.map(file => readFileSync(join(ROOT, file), 'utf8')) : []
  const characters = [...new Set(['Aالعربية日本語', ...japanese].join(''))]
  const faces = FONTS[fonts].flatMap(font => facesOf(font, characters))
  const families = FONTS[fonts].map(({ name }) => name)
  const spacing = fonts === 'narrow' ? ';font-feature-settings:"palt"' : ''
  await page.addInitScript(`
    for (const [family, data, descriptors] of ${JSON.stringify(faces)}) {
      document.fonts.add(new FontFace(family, Uint8Array.fromBase64(data), descriptors))
    }
    globalThis.fontSheet = new CSSStyleSheet()
    fontSheet.replaceSync(':root{font-family:${families},sans-serif!important${spacing}}')
    document.adoptedStyleSheets = [fontSheet]`)
}

/** What FontFace takes: family, data in base64, descriptors. */
type Face = [string, string, object]

/** @returns those of each file that has some of the characters */
function facesOf({ name, axes, subsets, stretch, weights = ['100 900'] }: Font, characters: string[]): Face[] {
  const folder = join(ROOT, 'node_modules/@fontsource-variable', name)
  const ranges: Record<string, string> = JSON.parse(readFileSync(join(folder, 'unicode.json'), 'utf8'))
  return Object.entries(ranges).flatMap(([subset, unicodeRange]) => {
    const has = new RegExp(`[${unicodeRange.replaceAll(/[0-9a-f]+/gi, '\\u{$&}').replaceAll(/U\+|,/g, '')}]`, 'u')
    if (!subsets.test(subset) || !characters.some(character => has.test(character))) return []
    const file = join(folder, 'files', `${name}-${subset.replaceAll(/[[\]]/g, '')}-${axes}-normal.woff2`)
    const data = readFileSync(file, 'base64')
    return weights.map((weight): Face => [name, data, { unicodeRange, weight, ...(stretch && { stretch }) }])
  })
}

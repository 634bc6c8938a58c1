// Reads `look` of a merchant file: font, headings, pictures, colours, corners, logo. Colours without enough contrast
// and files that do not exist are refused.
import { existsSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import type { ReportMistake } from './json-file.ts'
import type { Key } from './json-source.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import { weakPairs } from './nearest-colour.ts'
import { type ColourScheme, type Colours, defaultTheme, type Palette, paletteOf, type Theme } from './theme.ts'

/** The media types of a logo, by file extension in lower case. */
const LOGO_TYPES: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg'
}

/** The style sheet's colours as messages name them, in the words of the merchant file. */
const NAMES: Record<keyof Palette, string> = {
  ink: 'text',
  soft: 'small print (between text and surface)',
  line: 'lines',
  page: 'background',
  card: 'surface',
  accent: 'accent',
  on: 'button text',
  wash: 'the background of a missing picture (between accent and surface)',
  note: 'our colour of notes',
  bad: 'our colour of mistakes',
  tint: 'our background of mistakes'
}

/** @param folder of the merchant file */
export function readTheme({ look = {} }: MerchantSettings, folder: string, report: ReportMistake): Theme {
  const logo = look.logo === undefined ? undefined : readLogo(look.logo, ['look', 'logo'], folder, report)
  const { light = {}, dark = {}, logo: _, ...chosen } = look
  const { dark: __, ...ours } = defaultTheme()
  const theme: Theme = { ...ours, ...chosen, light: readPalette('light', light, report), ...(logo && { logo }) }
  if (dark === false) return theme
  theme.dark = readPalette('dark', dark, report)
  if (dark.logo === undefined) return theme
  if (look.logo === undefined) {
    report(['look', 'dark', 'logo'], 'there is none for light mode; give "logo" in "look" too')
  }
  const darkLogo = readLogo(dark.logo, ['look', 'dark', 'logo'], folder, report)
  return darkLogo ? { ...theme, darkLogo } : theme
}

function readPalette(scheme: ColourScheme, chosen: Partial<Colours>, report: ReportMistake): Palette {
  const palette = paletteOf(scheme, chosen)
  for (const { colours, ratio, required, setting, nearest } of weakPairs(scheme, chosen)) {
    const [text, ground] = colours.map(name => `${NAMES[name]} ${palette[name]}`)
    // Truncated, not rounded: 4.499 is not 4.5.
    const found = Math.floor(ratio * 100) / 100
    const problem = `${text} on ${ground} has a contrast of ${found}; give a pair with ${required} or more`
    const remedy = nearest === undefined ? '' : `; the nearest ${setting} that passes is ${nearest}`
    report(['look', scheme], problem + remedy)
  }
  return palette
}

function readLogo(logo: string, key: Key, folder: string, report: ReportMistake): Theme['logo'] {
  if (URL.parse(logo)?.protocol === 'https:') return { url: logo }
  const file = resolve(folder, logo)
  const type = LOGO_TYPES[extname(file).toLowerCase()]
  if (type === undefined || !existsSync(file)) {
    const right = `give an https address, or an existing file of type ${Object.keys(LOGO_TYPES).join(', ')}`
    report(key, `it is "${logo}"; ${right}`)
    return undefined
  }
  return { file, type }
}

// Reads `look` of a merchant file: font, headings, pictures, colours, corners, logo. Colours without enough contrast
// and files that do not exist are refused.
import { existsSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import type { ReportMistake } from './json-file.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import {
  type ColourScheme,
  type Colours,
  contrasts,
  defaultTheme,
  type Palette,
  paletteOf,
  type Theme
} from './theme.ts'

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
  const logo = look.logo === undefined ? undefined : readLogo(look.logo, folder, report)
  const { light, dark, logo: _, ...chosen } = look
  return {
    ...defaultTheme(),
    ...chosen,
    light: readPalette('light', light, report),
    dark: readPalette('dark', dark, report),
    ...(logo && { logo })
  }
}

function readPalette(scheme: ColourScheme, chosen: Partial<Colours> | undefined, report: ReportMistake): Palette {
  const palette = paletteOf(scheme, chosen)
  for (const { colours, ratio, required } of contrasts(palette)) {
    if (ratio >= required) continue
    const [text, ground] = colours.map(name => `${NAMES[name]} ${palette[name]}`)
    // Truncated, not rounded: 4.499 is not 4.5.
    const found = Math.floor(ratio * 100) / 100
    report(['look', scheme], `${text} on ${ground} has a contrast of ${found}; give a pair with ${required} or more`)
  }
  return palette
}

function readLogo(logo: string, folder: string, report: ReportMistake): Theme['logo'] {
  if (URL.parse(logo)?.protocol === 'https:') return { url: logo }
  const file = resolve(folder, logo)
  const type = LOGO_TYPES[extname(file).toLowerCase()]
  if (type === undefined || !existsSync(file)) {
    const right = `give an https address, or an existing file of type ${Object.keys(LOGO_TYPES).join(', ')}`
    report(['look', 'logo'], `it is "${logo}"; ${right}`)
    return undefined
  }
  return { file, type }
}

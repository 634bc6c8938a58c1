// The merchant's clothes: colours, corners, logo, links and templates, checked at start. What cannot be read well, or
// not be found, is refused.
import { existsSync } from 'node:fs'
import { dirname, extname, resolve } from 'node:path'
import {
  type Colours,
  contrasts,
  type Palette,
  paletteOf,
  type Scheme,
  usualColours,
  usualRadius
} from '../checkout/theme.ts'
import type { Report } from './json-shape.ts'
import type { MerchantSettings } from './merchant-schema.ts'
import { readViews } from './merchant-views.ts'

/** The kinds of picture that a logo may be, by the ending of the name in small letters. */
const LOGO_TYPES: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg'
}

/** What a merchant's pages wear. */
export type Look = {
  light: Palette
  dark: Palette
  /** Of corners, in pixels. */
  radius: number
  /** An https address, or a file and its media type. */
  logo?: { url: string } | { file: string; type: string }
  links: { contact?: string; terms?: string; privacy?: string }
  /** The folder whose templates win over those of the same name. */
  views?: string
}

/** What the style sheet calls them and what a merchant file does. */
const NAMES: Record<keyof Palette, string> = {
  ink: 'text',
  soft: 'small print (made of text and surface)',
  line: 'lines',
  page: 'background',
  card: 'surface',
  accent: 'accent',
  on: 'the words on a button',
  note: 'the colour of notes (#8a4b00, in the dark #f2b866)',
  bad: 'the colour of mistakes (#b3261e, in the dark #ffa198)',
  tint: 'the ground of mistakes (#fdeceb, in the dark #371f1e)'
}

export function readLook(settings: MerchantSettings, file: string, report: Report): Look {
  const { look = {}, links = {}, views } = settings
  const folder = dirname(file)
  const logo = look.logo === undefined ? undefined : readLogo(look.logo, folder, report)
  for (const [name, address] of Object.entries(links)) {
    const wrong = wrongWithLink(name, address)
    if (wrong) report(['links', name], `it is "${address}"; ${wrong}`)
  }
  return {
    light: readPalette('light', look.light, report),
    dark: readPalette('dark', look.dark, report),
    radius: look.radius ?? usualRadius,
    ...(logo && { logo }),
    links,
    ...(views !== undefined && { views: readViews(resolve(folder, views), report) })
  }
}

function readPalette(scheme: Scheme, colours: Partial<Colours> | undefined, report: Report): Palette {
  const palette = paletteOf({ ...usualColours[scheme], ...colours }, scheme)
  for (const { on, ratio, needed } of contrasts(palette)) {
    if (ratio >= needed) continue
    const [text, ground] = on.map(name => `${NAMES[name]} ${palette[name]}`)
    // Cut off, not rounded: 4.499 is not 4.5.
    const found = Math.floor(ratio * 100) / 100
    report(['look', scheme], `${text} on ${ground} has a contrast of ${found}; give a pair with ${needed} or more`)
  }
  return palette
}

function readLogo(logo: string, folder: string, report: Report): Look['logo'] {
  if (URL.parse(logo)?.protocol === 'https:') return { url: logo }
  const file = resolve(folder, logo)
  const type = LOGO_TYPES[extname(file).toLowerCase()]
  if (type === undefined || !existsSync(file)) {
    const right = `give an https address, or a file of ${Object.keys(LOGO_TYPES).join(', ')} that is there`
    report(['look', 'logo'], `it is "${logo}"; ${right}`)
    return undefined
  }
  return { file, type }
}

function wrongWithLink(name: string, address: string): string | undefined {
  const protocol = URL.parse(address)?.protocol ?? ''
  if (name === 'contact' && /^(https|mailto|tel):$/.test(protocol)) return undefined
  if (protocol === 'https:') return undefined
  return name === 'contact'
    ? 'give an address such as "mailto:help@shop.example", "tel:+441234567890" or one with https'
    : 'give an address such as "https://shop.example/terms"'
}

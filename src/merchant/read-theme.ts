// `look` of a merchant file: its schema, and how it is read. Colours without enough contrast and files that do not exist
// are refused.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, resolve } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import type { Oklch } from 'culori'
import type { Key, ReportMistake } from './json-file.ts'
import { Section } from './setting-types.ts'
import {
  type ColourPair,
  type ColourScheme,
  type Colours,
  contrasts,
  defaultTheme,
  fonts,
  headingStyles,
  type Palette,
  paletteOf,
  pictureShapes,
  type Theme
} from './theme.ts'

// As in theme.ts: `import` would load 151 modules.
const { clampChroma, formatHex, oklch }: typeof import('culori') = createRequire(import.meta.url)('culori')

/** One of these words; the first is the default. */
const Choice = <Word extends string>(what: string, words: Word[]) =>
  Type.Optional(
    Type.Union(
      words.map(word => Type.Literal(word)),
      { default: words[0], description: `${what}: ${words.map(word => `"${word}"`).join(', ')}` }
    )
  )

const Colour = (what: string) =>
  Type.Optional(
    Type.String({
      pattern: '^#[0-9a-f]{6}$',
      description: `the colour of ${what}: six digits in lower case, such as "#0b57d0"`
    })
  )

const COLOURS = {
  accent: Colour('buttons and selected items'),
  background: Colour('the page'),
  surface: Colour('the cards on it'),
  text: Colour('text')
}

const LogoSetting = (when: string) =>
  Type.Optional(
    Type.String({ minLength: 1, description: `a picture${when}: a path relative to this file, or an https address` })
  )

/** `look` in the merchant file. */
export const ThemeSchema = Section(
  {
    logo: LogoSetting(''),
    radius: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 24, description: 'the radius of corners: whole pixels from 0 to 24' })
    ),
    font: Choice('the font, from those of the device', fonts),
    headings: Choice('the style of headings', headingStyles),
    pictures: Choice('the shape of the space for pictures of products', pictureShapes),
    light: Type.Optional(Section(COLOURS, 'the colours in light mode: accent, background, surface, text')),
    dark: Type.Optional(
      Type.Union(
        [
          Section({ ...COLOURS, logo: LogoSetting(' for dark mode') }, 'the colours in dark mode, and its logo'),
          Type.Literal(false)
        ],
        { description: 'accent, background, surface, text and logo in dark mode, or false for none' }
      )
    )
  },
  'an object with logo, font, headings, pictures, radius, light and dark'
)

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
export function readTheme(look: Static<typeof ThemeSchema> = {}, folder: string, report: ReportMistake): Theme {
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

/** How many lightnesses there are to choose from. */
const STEPS = 500

/** The setting that each colour of a palette follows; the others are the same in every shop. */
const SETTINGS: Partial<Record<keyof Palette, keyof Colours>> = {
  ink: 'text',
  soft: 'text',
  accent: 'accent',
  on: 'accent',
  page: 'background',
  card: 'surface',
  // It follows the accent too, which is the other colour of its only pair.
  wash: 'surface'
}

/** A pair with too little contrast, and the setting to change, with the nearest colour that passes, if there is one. */
export type WeakPair = ColourPair & { setting: keyof Colours; nearest: string | undefined }

/** The pairs of a scheme that have too little contrast. */
export function weakPairs(scheme: ColourScheme, chosen: Partial<Colours>): WeakPair[] {
  const weak = contrasts(paletteOf(scheme, chosen)).filter(({ ratio, required }) => ratio < required)
  return weak.map(pair => {
    // That of the text, unless the merchant has chosen only the other one. Our own two would pass.
    const settings = pair.colours.flatMap(name => SETTINGS[name] ?? [])
    const setting = settings.find(name => name in chosen) as keyof Colours
    return { ...pair, setting, nearest: nearestColour(setting, scheme, chosen) }
  })
}

/** Of the same hue, as little lighter or darker as will do, so that every pair with this setting passes. */
function nearestColour(setting: keyof Colours, scheme: ColourScheme, chosen: Partial<Colours>): string | undefined {
  const { l, ...hue } = oklch(String(chosen[setting])) as Oklch
  const passes = (colour: string) =>
    contrasts(paletteOf(scheme, { ...chosen, [setting]: colour }))
      .filter(({ colours }) => colours.some(name => SETTINGS[name] === setting))
      .every(({ ratio, required }) => ratio >= required)
  return Array.from({ length: STEPS + 1 }, (_, i) => i / STEPS)
    .toSorted((a, b) => Math.abs(a - l) - Math.abs(b - l))
    .map(lightness => formatHex(clampChroma({ ...hue, l: lightness }, 'oklch')))
    .find(passes)
}

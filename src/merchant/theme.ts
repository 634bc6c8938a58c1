// The theme of a merchant's pages: `look` in its file, and the style sheet made from it. A file that does not exist is
// refused, and so are two colours with too little contrast between them (WCAG 2.2, 1.4.3 and 1.4.11).
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { extname, resolve } from 'node:path'
import { type Static, Type } from '@sinclair/typebox'
import type { Oklch } from 'culori'
import { shown } from './check-value.ts'
import { attempt, type Key, type ReportMistake } from './json-file.ts'
import { NonEmpty, Section } from './setting-types.ts'

// `import` would load its 151 modules one by one, which takes longer than starting Node; `require` loads one bundle.
const { clampChroma, formatHex, interpolate, oklch, wcagContrast }: typeof import('culori') = createRequire(
  import.meta.url
)('culori')

/** The colours that a merchant may choose, as `#rrggbb`. */
export type Colours = { accent: string; background: string; surface: string; text: string }

export type ColourScheme = 'light' | 'dark'

export type Palette = ReturnType<typeof paletteOf>

/** Fonts that devices have: nothing is loaded. */
const FONTS = {
  sans: 'system-ui,sans-serif',
  serif: 'ui-serif,Georgia,serif',
  rounded: 'ui-rounded,"Hiragino Maru Gothic ProN",system-ui,sans-serif',
  mono: 'ui-monospace,Menlo,monospace'
} as const

/** What a style adds to the headings of page.css; an alert's heading stays bold. */
const HEADING_STYLES = {
  bold: '',
  light: 'h1,h2{font-weight:300}',
  // No spaced letters from right to left: they would tear Arabic words.
  capitals:
    'body h1{font-size:1.375rem}body h2{font-size:1rem}h1,h2,.shop{text-transform:uppercase}' +
    ':root:not([dir]) :is(h1,h2,.shop){letter-spacing:.06em}'
} as const

/** The heights of pictures in the bag, all 72 pixels wide; whole pictures fit into them. */
const PICTURES = { square: 72, portrait: 96 } as const

export type Theme = {
  font: keyof typeof FONTS
  headings: keyof typeof HEADING_STYLES
  pictures: keyof typeof PICTURES
  light: Palette
  dark?: Palette
  /** Of corners, in pixels. */
  radius: number
  logo?: Logo
  darkLogo?: Logo
}

/** An https address, or a file and its media type. */
export type Logo = { url: string } | { file: string; type: string }

const DEFAULT_COLOURS: Record<ColourScheme, Colours> = {
  light: { accent: '#0b57d0', background: '#f4f5f7', surface: '#ffffff', text: '#1a1d21' },
  dark: { accent: '#8ab4f8', background: '#111418', surface: '#1b2026', text: '#eceff3' }
}

const WARNINGS = {
  light: { note: '#8a4b00', bad: '#b3261e', tint: '#fdeceb' },
  dark: { note: '#f2b866', bad: '#ffa198', tint: '#371f1e' }
}

const DARK_INK = '#10151c'

export function paletteOf(scheme: ColourScheme, chosen: Partial<Colours> = {}) {
  const { accent, background, surface, text } = { ...DEFAULT_COLOURS[scheme], ...chosen }
  const between = interpolate([text, surface])
  return {
    ink: text,
    soft: formatHex(between(0.3)),
    line: formatHex(between(0.88)),
    page: background,
    card: surface,
    accent,
    on: wcagContrast('#ffffff', accent) >= wcagContrast(DARK_INK, accent) ? '#ffffff' : DARK_INK,
    wash: formatHex(interpolate([accent, surface])(0.86)),
    ...WARNINGS[scheme]
  }
}

export function defaultTheme(): Theme {
  const [light, dark] = [paletteOf('light'), paletteOf('dark')]
  return { font: 'sans', headings: 'bold', pictures: 'square', radius: 12, light, dark }
}

/** A key of a table; the first is the default. */
const Choice = <Word extends string>(what: string, table: Record<Word, unknown>) => {
  const words = Object.keys(table) as Word[]
  const description = `${what}: ${words.map(word => `"${word}"`).join(', ')}`
  return Type.Optional(
    Type.Union(
      words.map(word => Type.Literal(word)),
      { default: words[0], description }
    )
  )
}

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
  Type.Optional(NonEmpty(`a picture${when}: a path relative to this file, or an https address`))

export const ThemeSchema = Section(
  {
    logo: LogoSetting(''),
    radius: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 24, description: 'the radius of corners: whole pixels from 0 to 24' })
    ),
    font: Choice('the font, from those of the device', FONTS),
    headings: Choice('the style of headings', HEADING_STYLES),
    pictures: Choice('the shape of the space for pictures of products', PICTURES),
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

const LOGO_TYPES: Record<string, string> = {
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg'
}

/** What messages call each colour of the style sheets, and the setting that it follows, if any. */
const NAMES: Record<keyof Palette, [name: string, setting?: keyof Colours]> = {
  ink: ['text', 'text'],
  soft: ['small print (between text and surface)', 'text'],
  line: ['lines'],
  page: ['background', 'background'],
  card: ['surface', 'surface'],
  accent: ['accent', 'accent'],
  on: ['button text', 'accent'],
  // It follows the accent too, which is the other colour of its only pair.
  wash: ['the background of a missing picture (between accent and surface)', 'surface'],
  note: ['our colour of notes'],
  bad: ['our colour of mistakes'],
  tint: ['our background of mistakes']
}

/** For text, and for large text and what identifies a control or its focus: borders and rings. */
const TEXT = 4.5
const SHAPE = 3

/** The pairs that the style sheets paint. One that is both text and border, as in a field, is listed once, as text. */
const PAINTED: [keyof Palette, keyof Palette, typeof TEXT | typeof SHAPE][] = [
  ['ink', 'page', TEXT],
  ['ink', 'card', TEXT],
  ['ink', 'tint', TEXT],
  ['soft', 'page', TEXT],
  ['soft', 'card', TEXT],
  ['accent', 'page', TEXT],
  ['accent', 'card', TEXT],
  // The focus ring of a link in an alert; the link itself is ink.
  ['accent', 'tint', SHAPE],
  ['on', 'accent', TEXT],
  // The letter of a product without a picture, 28 pixels high.
  ['accent', 'wash', SHAPE],
  ['note', 'card', TEXT],
  ['bad', 'card', TEXT],
  ['bad', 'tint', TEXT]
]

/** Foreground and background of each pair, its contrast ratio, and the one that WCAG requires. */
export function contrasts(palette: Palette) {
  return PAINTED.map(([foreground, background, required]) => ({
    colours: [foreground, background],
    ratio: wcagContrast(palette[foreground], palette[background]),
    required
  }))
}

export function readTheme(look: Static<typeof ThemeSchema> = {}, folder: string, report: ReportMistake): Theme {
  const readLight = attempt(() => readPalette('light', look.light ?? {}, report))
  const readDark = attempt(() => (look.dark === false ? undefined : readPalette('dark', look.dark ?? {}, report)))
  const readLightLogo = attempt(() => readLogo(look.logo, ['look', 'logo'], folder, report))
  const readDarkLogo = attempt(() => {
    const key = ['look', 'dark', 'logo']
    const logo = readLogo(look.dark ? look.dark.logo : undefined, key, folder, report)
    if (logo && !('logo' in look)) report(key, 'there is none for light mode; give "logo" in "look" too')
    return logo
  })
  const { font, headings, pictures, radius } = { ...defaultTheme(), ...look }
  const [light, dark, logo, darkLogo] = [readLight(), readDark(), readLightLogo(), readDarkLogo()]
  const needed = { font, headings, pictures, radius, light }
  return { ...needed, ...(dark && { dark }), ...(logo && { logo }), ...(darkLogo && { darkLogo }) }
}

function readPalette(scheme: ColourScheme, chosen: Partial<Colours>, report: ReportMistake): Palette {
  const palette = paletteOf(scheme, chosen)
  const failed = contrasts(palette).filter(({ ratio, required }) => ratio < required)
  // The text's setting is to blame, unless the merchant has chosen only the other one. Two colours of ours always pass.
  const toBlame = ({ colours }: (typeof failed)[number]) =>
    colours.map(name => NAMES[name][1]).find(name => name && name in chosen) as keyof Colours
  for (const [setting, pairs] of Map.groupBy(failed, toBlame)) {
    const told = pairs.map(({ colours, ratio, required }) => {
      const [text, ground] = colours.map(name => `${NAMES[name][0]} ${palette[name]}`)
      // Truncated, not rounded: 4.499 is not 4.5.
      return `${text} on ${ground}: ${Math.floor(ratio * 100) / 100} instead of ${required}`
    })
    const nearest = nearestColour(setting, scheme, chosen)
    const remedy = nearest === undefined ? 'give colours with more' : `the nearest ${setting} that passes is ${nearest}`
    report(['look', scheme], `too little contrast: ${told.join(', ')}; ${remedy}`)
  }
  return palette
}

function readLogo(logo: string | undefined, key: Key, folder: string, report: ReportMistake): Logo | undefined {
  if (logo === undefined) return undefined
  if (URL.parse(logo)?.protocol === 'https:') return { url: logo }
  const file = resolve(folder, logo)
  const type = LOGO_TYPES[extname(file).toLowerCase()] ?? ''
  if (type === '' || !existsSync(file)) {
    const right = `give an https address, or an existing file of type ${Object.keys(LOGO_TYPES).join(', ')}`
    report(key, `it is ${shown(logo)}; ${right}`)
  }
  return { file, type }
}

/** The least lighter or darker colour of the same hue with which every pair of this setting passes. */
function nearestColour(setting: keyof Colours, scheme: ColourScheme, chosen: Partial<Colours>): string | undefined {
  const { l, ...hue } = oklch(String(chosen[setting])) as Oklch
  const passes = (colour: string) =>
    contrasts(paletteOf(scheme, { ...chosen, [setting]: colour }))
      .filter(({ colours }) => colours.some(name => NAMES[name][1] === setting))
      .every(({ ratio, required }) => ratio >= required)
  return Array.from({ length: 501 }, (_, i) => i / 500)
    .toSorted((a, b) => Math.abs(a - l) - Math.abs(b - l))
    .map(lightness => formatHex(clampChroma({ ...hue, l: lightness }, 'oklch')))
    .find(passes)
}

/** What only a page with a mistake or an alert uses: most checkout pages have none, and every byte counts there. */
const OF_ALERTS = new Set(['bad', 'tint'])

export function themeSheet({ font, headings, pictures, light, dark, radius }: Theme, hasAlerts = true): string {
  const write = (palette: Palette) =>
    Object.entries(palette)
      .filter(([name]) => hasAlerts || !OF_ALERTS.has(name))
      .map(([name, colour]) => `--${name}:${colour.replace(/^#(.)\1(.)\2(.)\3$/, '#$1$2$3')}`)
      .join(';')
  const sizes = `--h:${PICTURES[pictures]}px;--r:${radius}px`
  // "only" keeps browsers from darkening the page by themselves.
  const scheme = dark ? 'light dark' : 'only light'
  const root = `:root{color-scheme:${scheme};${write(light)};font-family:${FONTS[font]};${sizes}}`
  const darkRoot = dark ? `@media screen and (prefers-color-scheme:dark){:root{${write(dark)}}}\n` : ''
  return `${root}\n${darkRoot}${HEADING_STYLES[headings]}\n`
}

// The theme of a merchant's pages: `theme` in its file, and the style sheet made from it. A file that does not exist is
// refused, and so are two colours with too little contrast between them (WCAG 2.2, 1.4.3 and 1.4.11).
import { createRequire } from 'node:module'
import { type Static, Type } from '@sinclair/typebox'
import type { Oklch } from 'culori'
import { OnlyForOurPage, type ReportError } from '../transfer/option.ts'
import { NonEmpty, Section } from './setting-types.ts'
import { type FontFile, fontFace, type Picture, PictureSetting, readFontFile, readPicture } from './theme-files.ts'

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
    'body h1{font-size:1.375rem}body h2{font-size:1rem}h1,h2,.shop b{text-transform:uppercase}' +
    ':root:not([dir]) :is(h1,h2,.shop b){letter-spacing:.06em}'
} as const

/** The heights of pictures in the bag, all 72 pixels wide; whole pictures fit into them. */
const PICTURES = { square: 72, portrait: 96 } as const

export type Theme = {
  font: keyof typeof FONTS
  headings: keyof typeof HEADING_STYLES
  pictures: keyof typeof PICTURES
  light: Palette
  dark?: Palette | undefined
  /** Of corners, in pixels. */
  radius: number
  /** Of headings, amounts and buttons. */
  weight?: number | undefined
  fontFile?: FontFile | undefined
  logo?: Picture | undefined
  darkLogo?: Picture | undefined
  /** Above the checkout page; the other on phones. */
  hero?: Picture | undefined
  phoneHero?: Picture | undefined
}

const DEFAULT_COLOURS: Record<ColourScheme, Colours> = {
  light: { accent: '#0b57d0', background: '#f4f5f7', surface: '#ffffff', text: '#1a1d21' },
  dark: { accent: '#8ab4f8', background: '#111418', surface: '#1b2026', text: '#eceff3' }
}

const WARNINGS = {
  light: { sale: '#1c6b3a', note: '#8a4b00', bad: '#b3261e', tint: '#fdeceb' },
  dark: { sale: '#7fd49d', note: '#f2b866', bad: '#ffa198', tint: '#371f1e' }
}

/** Between text and surface, the lightest first. */
const EDGES = Array.from({ length: 50 }, (_, i) => 0.7 - i / 100)

const DARK_INK = '#10151c'

export function paletteOf(scheme: ColourScheme, chosen: Partial<Colours> = {}) {
  const { accent, background, surface, text } = { ...DEFAULT_COLOURS[scheme], ...chosen }
  const between = interpolate([text, surface])
  return {
    ink: text,
    soft: formatHex(between(0.3)),
    line: formatHex(between(0.88)),
    edge: EDGES.map(part => formatHex(between(part))).find(edge => wcagContrast(edge, surface) >= SHAPE) ?? text,
    page: background,
    card: surface,
    accent,
    on: wcagContrast('#ffffff', accent) >= wcagContrast(DARK_INK, accent) ? '#ffffff' : DARK_INK,
    wash: formatHex(interpolate([accent, surface])(0.9)),
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

const WEIGHT = 'the weight of headings, amounts and buttons: a multiple of 100 from 300 to 900; 700 by default'

export const ThemeSchema = Section(
  {
    logo: PictureSetting(' in place of the name, up to 180 × 36 pixels'),
    hero: OnlyForOurPage(
      PictureSetting(' above the checkout, as wide as the screen and cut to 192 pixels or a quarter of its height')
    ),
    phoneHero: OnlyForOurPage(PictureSetting(' in place of the hero where the page is up to 576 pixels wide')),
    radius: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 24,
        description: 'the radius of corners: whole pixels from 0 to 24; 12 by default'
      })
    ),
    font: Choice('the font, one of the device ("rounded" of Apple only)', FONTS),
    fontFile: Type.Optional(
      NonEmpty('a font of your own, used once it has loaded: a .woff2 file of up to 200 kB, relative to this file')
    ),
    weight: Type.Optional(Type.Integer({ minimum: 300, maximum: 900, multipleOf: 100, description: WEIGHT })),
    headings: Choice('the style of headings ("weight" overrides "light")', HEADING_STYLES),
    pictures: Choice('the space for pictures of products, 72 × 72 or 72 × 96 pixels', PICTURES),
    light: Type.Optional(Section(COLOURS, 'the colours in light mode: accent, background, surface, text')),
    dark: Type.Optional(
      Type.Union(
        [
          Section(
            { ...COLOURS, logo: PictureSetting(' in place of the logo in dark mode') },
            'the colours in dark mode, and its logo'
          ),
          Type.Literal(false)
        ],
        { description: 'accent, background, surface, text and logo in dark mode, or false for none' }
      )
    )
  },
  'an object with logo, hero, phoneHero, font, fontFile, weight, headings, pictures, radius, light and dark'
)

/** What messages call each colour of the style sheets, and the setting that it follows, if any. */
const NAMES: Record<keyof Palette, [name: string, setting?: keyof Colours]> = {
  ink: ['text', 'text'],
  soft: ['small print (between text and surface)', 'text'],
  line: ['lines'],
  edge: ['borders of fields', 'text'],
  page: ['background', 'background'],
  card: ['surface', 'surface'],
  accent: ['accent', 'accent'],
  on: ['button text', 'accent'],
  // It follows the accent too, which is the other colour of its only pair.
  wash: ['the background of a missing picture (between accent and surface)', 'surface'],
  sale: ['our colour of sales'],
  note: ['our colour of warnings'],
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
  // A delivery method that is chosen, and its border.
  ['ink', 'wash', TEXT],
  ['edge', 'card', SHAPE],
  ['sale', 'card', TEXT],
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

export function readTheme(settings: Static<typeof ThemeSchema> = {}, folder: string, report: ReportError): Theme {
  const { font, headings, pictures, radius, weight } = { ...defaultTheme(), ...settings }
  const darkLogo = readPicture(
    settings.dark ? settings.dark.logo : undefined,
    ['theme', 'dark', 'logo'],
    folder,
    report
  )
  if (darkLogo && settings.logo === undefined) {
    report(['theme', 'dark', 'logo'], 'there is none for light mode; give "logo" in "theme" too')
  }
  if (settings.phoneHero !== undefined && settings.hero === undefined) {
    report(['theme', 'phoneHero'], 'there is none for wider pages; give "hero" too')
  }
  return {
    ...{ font, headings, pictures, radius, weight, darkLogo },
    light: readPalette('light', settings.light ?? {}, report),
    dark: settings.dark === false ? undefined : readPalette('dark', settings.dark ?? {}, report),
    fontFile: readFontFile(settings.fontFile, ['theme', 'fontFile'], folder, report),
    logo: readPicture(settings.logo, ['theme', 'logo'], folder, report),
    hero: readPicture(settings.hero, ['theme', 'hero'], folder, report),
    phoneHero: readPicture(settings.phoneHero, ['theme', 'phoneHero'], folder, report)
  }
}

function readPalette(scheme: ColourScheme, chosen: Partial<Colours>, report: ReportError): Palette {
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
    report(['theme', scheme], `too little contrast: ${told.join(', ')}; ${remedy}`)
  }
  return palette
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

/** Under a third of the first screen, wherever that is. */
const HERO = '.hero{display:block;width:100%;height:min(12rem,25vh);object-fit:cover}'

/**
 * @param rules those of the page, whose colours are defined, or nothing for all: every byte counts there
 * @param fontAddress where the merchant's own font is served, if it has one
 */
export function themeSheet(theme: Theme, rules?: string, fontAddress = ''): string {
  const { font, fontFile, headings, hero, pictures, light, dark, radius, weight } = theme
  const write = (palette: Palette) =>
    Object.entries(palette)
      .filter(([name]) => rules === undefined || rules.includes(`var(--${name})`))
      .map(([name, colour]) => `--${name}:${colour.replace(/^#(.)\1(.)\2(.)\3$/, '#$1$2$3')}`)
      .join(';')
  const sizes = `--h:${PICTURES[pictures]}px;--r:${radius}px`
  // "only" keeps browsers from darkening the page by themselves.
  const scheme = dark ? 'light dark' : 'only light'
  const fonts = `${fontFile ? 'own,' : ''}${FONTS[font]}`
  const root = `:root{color-scheme:${scheme};${write(light)};font-family:${fonts};${sizes}}`
  const darkRoot = dark ? `@media screen and (prefers-color-scheme:dark){:root{${write(dark)}}}\n` : ''
  const face = fontFile ? fontFace(fontFile, fontAddress) : ''
  const weights = weight ? `body :is(h1,h2,.total,b,.go,.main a){font-weight:${weight}}` : ''
  return `${face}${root}\n${darkRoot}${HEADING_STYLES[headings]}${weights}${hero ? HERO : ''}\n`
}

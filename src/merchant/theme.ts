// The theme of a merchant's pages: its font, headings and colours, light and dark, and the style sheet made from them.
import { createRequire } from 'node:module'

// `import` would load its 151 modules one by one, which takes longer than starting Node; `require` loads one bundle.
const { formatHex, interpolate, wcagContrast }: typeof import('culori') = createRequire(import.meta.url)('culori')

/** The colours that a merchant may choose, as `#rrggbb`. */
export type Colours = { accent: string; background: string; surface: string; text: string }

export type ColourScheme = 'light' | 'dark'

/** Every colour of the style sheets, by its name there. */
export type Palette = ReturnType<typeof paletteOf>

/** Fonts that devices have: nothing is loaded. */
export const FONTS = {
  sans: 'system-ui,sans-serif',
  serif: 'ui-serif,Georgia,serif',
  rounded: 'ui-rounded,"Hiragino Maru Gothic ProN",system-ui,sans-serif',
  mono: 'ui-monospace,Menlo,monospace'
} as const

/** What a style adds to the headings of page.css; an alert's heading stays bold. */
export const HEADING_STYLES = {
  bold: '',
  light: 'h1,h2{font-weight:300}',
  // No spaced letters from right to left: they would tear Arabic words.
  capitals:
    'body h1{font-size:1.375rem}body h2{font-size:1rem}h1,h2,.shop{text-transform:uppercase}' +
    ':root:not([dir]) :is(h1,h2,.shop){letter-spacing:.06em}'
} as const

/** The heights of pictures in the bag, all 72 pixels wide; whole pictures fit into them. */
export const PICTURES = { square: 72, portrait: 96 } as const

export type Theme = {
  font: keyof typeof FONTS
  headings: keyof typeof HEADING_STYLES
  pictures: keyof typeof PICTURES
  light: Palette
  /** Absent if there is no dark mode. */
  dark?: Palette
  /** Of corners, in pixels. */
  radius: number
  logo?: Logo
  /** In its place in dark mode. */
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

const DARK = '@media screen and (prefers-color-scheme:dark)'

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
  const darkRoot = dark ? `${DARK}{:root{${write(dark)}}}\n` : ''
  return `${root}\n${darkRoot}${HEADING_STYLES[headings]}\n`
}

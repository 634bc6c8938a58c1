// The colours of the pages, light and dark: a few that a merchant may choose, and what follows from them. Every pair
// that is painted is checked for contrast (WCAG 2.2, 1.4.3 and 1.4.11).
import { formatHex, interpolate, wcagContrast } from 'culori'

/** What a merchant may choose, as `#rrggbb`. */
export type Colours = { accent: string; background: string; surface: string; text: string }

export type Scheme = 'light' | 'dark'

/** The colours of one scheme by the names of the style sheet. */
export type Palette = Record<
  'ink' | 'soft' | 'line' | 'page' | 'card' | 'accent' | 'on' | 'note' | 'bad' | 'tint',
  string
>

export const usualColours: Record<Scheme, Colours> = {
  light: { accent: '#0b57d0', background: '#f4f5f7', surface: '#ffffff', text: '#1a1d21' },
  dark: { accent: '#8ab4f8', background: '#111418', surface: '#1b2026', text: '#eceff3' }
}

/** Of corners, in pixels. */
export const usualRadius = 12

/** Warnings look the same in every shop. */
const WARNINGS = {
  light: { note: '#8a4b00', bad: '#b3261e', tint: '#fdeceb' },
  dark: { note: '#f2b866', bad: '#ffa198', tint: '#371f1e' }
} as const

/** How far small print and lines are on the way from the text to the surface. */
const SOFT = 0.3
const LINE = 0.88

const DARK_INK = '#10151c'

export function paletteOf({ accent, background, surface, text }: Colours, scheme: Scheme): Palette {
  const between = interpolate([text, surface])
  return {
    ink: text,
    soft: formatHex(between(SOFT)),
    line: formatHex(between(LINE)),
    page: background,
    card: surface,
    accent,
    on: wcagContrast('#ffffff', accent) >= wcagContrast(DARK_INK, accent) ? '#ffffff' : DARK_INK,
    ...WARNINGS[scheme]
  }
}

/** A pair that is painted: what on what, how strong its contrast is, and how strong it has to be. */
export type Pair = { on: [keyof Palette, keyof Palette]; ratio: number; needed: number }

/** Of text, and of what shows a control or which one has the focus: borders and rings. */
const TEXT = 4.5
const SHAPE = 3

/** What the style sheets paint; a pair that is text and border, such as a field's, stands once, as text. */
const PAINTED: [keyof Palette, keyof Palette, typeof TEXT | typeof SHAPE][] = [
  ['ink', 'page', TEXT],
  ['ink', 'card', TEXT],
  ['ink', 'tint', TEXT],
  ['soft', 'page', TEXT],
  ['soft', 'card', TEXT],
  ['accent', 'page', TEXT],
  ['accent', 'card', TEXT],
  // The ring around a link in an alert; the link itself is ink.
  ['accent', 'tint', SHAPE],
  ['on', 'accent', TEXT],
  ['note', 'card', TEXT],
  ['bad', 'card', TEXT],
  ['bad', 'tint', TEXT]
]

/** Every pair that is painted, with its contrast. */
export function contrasts(palette: Palette): Pair[] {
  return PAINTED.map(([colour, ground, needed]) => ({
    on: [colour, ground],
    ratio: wcagContrast(palette[colour], palette[ground]),
    needed
  }))
}

/** The part of the style sheet that dresses a shop. @param radius of corners, in pixels */
export function themeSheet(light: Palette, dark: Palette, radius: number): string {
  const write = (palette: Palette) =>
    Object.entries(palette)
      .map(([name, colour]) => `--${name}:${colour.replace(/^#(.)\1(.)\2(.)\3$/, '#$1$2$3')}`)
      .join(';')
  const root = `:root{color-scheme:light dark;${write(light)};--r:${radius}px}`
  return `${root}\n@media screen and (prefers-color-scheme:dark){:root{${write(dark)}}}\n`
}

// The colour nearest to one that has too little contrast: of the same hue, as little lighter or darker as will do.
import { createRequire } from 'node:module'
import type { Oklch } from 'culori'
import { type ColourPair, type ColourScheme, type Colours, contrasts, type Palette, paletteOf } from './theme.ts'

// As in theme.ts: `import` would load 151 modules.
const { clampChroma, formatHex, oklch }: typeof import('culori') = createRequire(import.meta.url)('culori')

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
  const toBlame = weak.map(pair => ({ ...pair, setting: settingOf(pair, chosen) }))
  const settings = new Set(toBlame.map(({ setting }) => setting))
  const nearest = new Map(Array.from(settings, setting => [setting, nearestColour(setting, scheme, chosen, toBlame)]))
  return toBlame.map(pair => ({ ...pair, nearest: nearest.get(pair.setting) }))
}

/** Of the two colours that of the text, unless the merchant has chosen only the other one. Our own two would pass. */
function settingOf({ colours }: ColourPair, chosen: Partial<Colours>): keyof Colours {
  const settings = colours.flatMap(colour => SETTINGS[colour] ?? [])
  return settings.find(setting => setting in chosen) as keyof Colours
}

/** With it, every pair passes that another setting is not to blame for. */
function nearestColour(
  setting: keyof Colours,
  scheme: ColourScheme,
  chosen: Partial<Colours>,
  weak: { colours: ColourPair['colours']; setting: keyof Colours }[]
): string | undefined {
  const others = new Set(weak.filter(pair => pair.setting !== setting).map(({ colours }) => colours.join()))
  const passes = (colour: string) =>
    contrasts(paletteOf(scheme, { ...chosen, [setting]: colour })).every(
      ({ colours, ratio, required }) => ratio >= required || others.has(colours.join())
    )
  const { l, ...hue } = oklch(colourOf(setting, scheme, chosen)) as Oklch
  return Array.from({ length: STEPS + 1 }, (_, i) => i / STEPS)
    .toSorted((a, b) => Math.abs(a - l) - Math.abs(b - l))
    .map(lightness => formatHex(clampChroma({ ...hue, l: lightness }, 'oklch')))
    .find(passes)
}

function colourOf(setting: keyof Colours, scheme: ColourScheme, chosen: Partial<Colours>): string {
  const { ink, accent, page, card } = paletteOf(scheme, chosen)
  return { text: ink, accent, background: page, surface: card }[setting]
}

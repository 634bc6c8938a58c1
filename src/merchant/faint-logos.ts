// Finds logos that hardly stand out from the header behind them, such as a dark one in dark mode.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Theme } from './theme.ts'
import type { Picture } from './theme-files.ts'

// As in theme.ts.
const { parse, wcagContrast }: typeof import('culori') = createRequire(import.meta.url)('culori')

/** WCAG asks no contrast of logos. With less than this, which orange (#f90) on white still has, little of one is seen. */
const LEAST = 2

/** Each with its contrast at best, truncated, and a remedy. Of several colours, one that stands out is enough. */
export function faintLogos({ logo, darkLogo = logo, light, dark }: Theme) {
  const shown = [
    { mode: 'light', logo, surface: light.card, remedy: 'give a darker theme.logo, or another theme.light.surface' },
    { mode: 'dark', logo: darkLogo, surface: dark?.card, remedy: 'give a lighter theme.dark.logo' }
  ]
  return shown.flatMap(({ mode, logo, surface, remedy }) => {
    const colours = logo && surface ? coloursOf(logo) : []
    const contrast = Math.max(...colours.map(colour => wcagContrast(colour, String(surface))))
    return colours.length > 0 && contrast < LEAST ? { mode, contrast: Math.floor(contrast * 100) / 100, remedy } : []
  })
}

/** `none`, `url(#…)` and the like. */
const CLEAR = { alpha: 0 }

const NOT_PAINTED = /<!--.*?-->|<(clipPath|mask)\b.*?<\/\1>/gs
const COLOUR = /\b(?:fill|stroke|stop-color)\s*[:=]\s*["']?\s*([^"';}]+)/g
const INHERITED = /<(svg|g)\b[^>]*\b(fill|class|style)\b|<style/
const UNCOLOURED = /<(path|rect|circle|ellipse|polygon|text|use)\b(?![^>]*\b(fill|class|style)\b)/

/** Those that an SVG names, and black if something in it names none. Nothing is known of other pictures, or of one in it. */
function coloursOf(logo: Picture): string[] {
  if (!('file' in logo) || logo.type !== 'image/svg+xml') return []
  const svg = readFileSync(logo.file, 'utf8').replace(NOT_PAINTED, '')
  if (svg.includes('<image')) return []
  const named = Array.from(svg.matchAll(COLOUR), ([, colour = '']) => colour.trim().replace(/^currentcolor$/i, 'black'))
  const isBlack = !INHERITED.test(svg) && UNCOLOURED.test(svg)
  return [...named, ...(isBlack ? ['black'] : [])].filter(colour => (parse(colour) ?? CLEAR).alpha !== 0)
}

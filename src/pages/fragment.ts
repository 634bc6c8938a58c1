// A part of a page that is the same whenever it is shown, and is rendered once.
import type { Eta } from 'eta'
import type { Translator } from '../messages/translator.ts'

/** `html` is absent until it has been rendered by our own templates, as they print it: as bytes. */
export type Fragment = { html?: string }

/** What templates call in place of `include` for such parts. */
export const FRAGMENT_FUNCTION =
  'const fragment = (name, view) => view.fragment ? this.renderFragment(name, view, it) : include(name, view)'

/** What templates of a merchant's own call instead: they include such parts as they include everything. */
export const NO_FRAGMENTS = 'const fragment = (name, view) => include(name, view)'

/**
 * Renders a fragment once. It sees the language of the page and its own view and nothing else, so that nothing of one bag
 * can get into another.
 */
export function renderFragment(
  eta: Eta,
  name: string,
  view: { fragment: Fragment },
  { say, lang, otherLang }: Pick<Translator, 'say' | 'lang' | 'otherLang'>
): string {
  view.fragment.html ??= inOnePiece(eta.render(name, { say, lang, otherLang, ...view }))
  return view.fragment.html
}

/** A string that was put together refers to its parts: each page with it would collect them all again. */
function inOnePiece(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('latin1')
}

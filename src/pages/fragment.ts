// A part of a page that is the same whenever it is shown, and is rendered once.

/** `html` is absent until it has been rendered by our own templates. */
export type Fragment = { html?: string }

/**
 * What templates call in place of `include` for such parts. A fragment sees the language of the page and its own view and
 * nothing else, so that nothing of one bag can get into another; a merchant's own templates include it as they include
 * everything.
 */
export function fragmentHeader(isOwn: boolean): string {
  return `const fragment = (name, view) => {
  if (${isOwn} || !view.fragment) return include(name, view)
  const { say, lang, otherLang } = it
  return view.fragment.html ??= this.render(name, { say, lang, otherLang, ...view }, options)
}`
}

// A merchant's own templates and style sheets, tried at start: one that fails would cost shoppers the page it is for.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Eta } from 'eta'
import { sampleCheckout, samplePages } from '../checkout/sample-pages.ts'
import { type Printed, pageData } from '../checkout/send-page.ts'
import { openShopFront } from '../checkout/shop-front.ts'
import { readStyleSheet } from '../checkout/style-sheet.ts'
import { VIEWS } from '../checkout/views.ts'
import type { Report } from './json-shape.ts'
import type { Merchant } from './merchant.ts'

/** Checks that each file of a folder stands for one of ours, and can be read as what it is. */
export function readViews(folder: string, report: Report): string {
  const known = readdirSync(VIEWS).filter(name => /\.(eta|css)$/.test(name))
  let own: string[] = []
  try {
    own = readdirSync(folder).filter(name => !name.startsWith('.'))
  } catch (error) {
    report(['views'], `${(error as Error).message}; give a folder with templates`)
  }
  for (const name of own) {
    const wrong = known.includes(name) && wrongWithView(join(folder, name))
    if (!known.includes(name)) {
      report(['views'], `there is no view "${name}" to replace; name it one of ${known.join(', ')}`)
    } else if (wrong) report(['views'], `${name}: ${wrong}`)
  }
  return folder
}

function wrongWithView(file: string): string | undefined {
  const isSheet = file.endsWith('.css')
  try {
    if (!isSheet) new Eta().compile(readFileSync(file, 'utf8'))
    // It stands in the page within an element that ends at these characters.
    else if (/<\/style/i.test(readStyleSheet('', file))) return 'it holds "</style", which would end it; leave that out'
    return undefined
  } catch (error) {
    return `${reasonOf(error)}; give a ${isSheet ? 'style sheet' : 'template of Eta 4'}`
  }
}

/**
 * Renders every page of a merchant that has templates of its own, and reports those of them that throw: all pages in
 * the language of the shop, and its largest in every other.
 */
export function tryTemplates(merchant: Merchant, report: Report): void {
  const { locale, locales, look } = merchant
  if (look.views === undefined) return
  const front = openShopFront(merchant)
  let thrower: string | undefined
  catchThrowers(front.eta, file => {
    // Templates include each other: the first that lets an error through is the one that threw it.
    if (dirname(file) === look.views) thrower ??= basename(file)
  })
  const words = front.wordsFor(locale)
  const pages = samplePages(merchant, words).map(page => ({ page, words }))
  for (const other of locales) {
    const words = front.wordsFor(other)
    pages.push({ page: sampleCheckout(merchant, words), words })
  }
  const failures = new Map<string, string>()
  const fail = (what: string, text: string) => failures.has(what) || failures.set(what, text)
  for (const { page, words } of pages) {
    thrower = undefined
    try {
      const wrong = wrongWithPage(page, front.eta.render(page.template, pageData(front, words, page)))
      if (wrong) fail(wrong, `the ${page.template} page ${wrong}, on a sample in ${words.lang}; mend the templates`)
    } catch (error) {
      const where = `on a sample of the ${page.template} page in ${words.lang}`
      fail(String(thrower), `${thrower}: ${reasonOf(error)}, ${where}; mend it, or leave the file out`)
    }
  }
  for (const failure of failures.values()) report(['views'], failure)
}

/** What programs would miss on a page, or a shopper would wonder at. */
function wrongWithPage({ template, view }: Printed, html: string): string | undefined {
  if (html.includes('[object ')) return 'prints an object where its text should stand'
  if (template === 'problem') return undefined
  const { lines, totals } = view as { lines: unknown[]; totals?: object }
  const count = (pattern: RegExp) => html.match(pattern)?.length ?? 0
  if (count(/\sdata-sku=/g) !== lines.length) return 'has not one element with data-sku for each line'
  if (count(/\sdata-quantity=/g) !== lines.length) return 'has not one element with data-quantity for each line'
  if (totals && count(/\sdata-total=/g) !== 1) return 'has not one element with data-total'
  if (totals && count(/\sdata-subtotal=/g) !== 1) return 'has not one element with data-subtotal'
  return template === 'confirmation' && count(/\sid=["']?order\b/g) !== 1 ? 'has not one element #order' : undefined
}

/** Has every template tell its file when it throws. */
function catchThrowers(eta: Eta, onThrow: (file: string) => void): void {
  const { compile } = eta
  eta.compile = (text, options) => {
    const template = compile.call(eta, text, options)
    return (data, more) => {
      try {
        return template.call(eta, data, more)
      } catch (error) {
        onThrow(String(options?.filepath))
        throw error
      }
    }
  }
}

/** A template may throw anything. */
function reasonOf(error: unknown): string {
  return String(error instanceof Error ? error.message : error).replace(/\n.*/s, '')
}

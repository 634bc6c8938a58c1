// Checks a merchant's own templates and style sheets at start: one that fails would break the page it is for.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { Eta } from 'eta'
import type { Merchant } from '../merchant/merchant.ts'
import type { SettingMistake } from '../transfer/option.ts'
import { sampleCheckout, samplePages } from './sample-pages.ts'
import { type Page, pageData } from './send-page.ts'
import { openStorefront } from './storefront.ts'
import { readStyleSheet } from './style-sheet.ts'
import { VIEWS_FOLDER } from './view-files.ts'

/** Finds files that override none of our views, or that do not compile. */
export function findViewMistakes({ views }: Pick<Merchant, 'views'>): SettingMistake[] {
  if (views === undefined) return []
  const known = readdirSync(VIEWS_FOLDER).filter(name => /\.(eta|css)$/.test(name))
  let own: string[]
  try {
    own = readdirSync(views).filter(name => !name.startsWith('.'))
  } catch (error) {
    return [mistake(`${(error as Error).message}; give a folder with templates`)]
  }
  return own.flatMap(name => {
    if (!known.includes(name))
      return mistake(`there is no view "${name}" to replace; name it one of ${known.join(', ')}`)
    const problem = fileProblem(join(views, name))
    return problem === undefined ? [] : mistake(`${name}: ${problem}`)
  })
}

function mistake(problem: string): SettingMistake {
  return { key: ['views'], problem }
}

function fileProblem(file: string): string | undefined {
  const isSheet = file.endsWith('.css')
  try {
    if (!isSheet) new Eta().compile(readFileSync(file, 'utf8'))
    // The page embeds it in a <style> element, which would end there.
    else if (/<\/style/i.test(readStyleSheet('', file))) return 'it holds "</style", which would end it; leave that out'
    return undefined
  } catch (error) {
    return `${reasonOf(error)}; give a ${isSheet ? 'style sheet' : 'template of Eta 4'}`
  }
}

/**
 * Renders sample pages of a merchant that has its own templates, and reports templates that throw or pages that lack
 * something: every page in the default language, and the checkout page in each of the others.
 */
export function findTemplateMistakes(merchant: Merchant): SettingMistake[] {
  const { locale, locales, views } = merchant
  if (views === undefined) return []
  const storefront = openStorefront(merchant)
  let thrower: string | undefined
  const { eta } = storefront.engine
  reportThrowers(eta, file => {
    // Templates include each other: the first to let an error through is the one that threw it.
    if (dirname(file) === views) thrower ??= basename(file)
  })
  const translatorIn = (tag: string) => storefront.languageFor({ headers: { 'accept-language': tag } }).translator
  const translator = translatorIn(locale)
  const pages = samplePages(merchant, translator).map(page => ({ page, translator }))
  for (const other of locales) {
    const translator = translatorIn(other)
    pages.push({ page: sampleCheckout(merchant, translator), translator })
  }
  const failures = new Map<string, string>()
  const fail = (what: string, text: string) => failures.has(what) || failures.set(what, text)
  for (const { page, translator } of pages) {
    const { lang } = translator
    thrower = undefined
    try {
      const data = pageData(storefront, translator, page)
      const html = eta.render(page.template, data)
      const terms = eta.config.escapeFunction(data.terms ?? '')
      const problem = pageProblem(page, html) ?? ('form' in data ? formProblem(html, terms) : undefined)
      if (problem) fail(problem, `the ${page.template} page ${problem}, on a sample in ${lang}; fix the templates`)
    } catch (error) {
      const where = `on a sample of the ${page.template} page in ${lang}`
      fail(String(thrower), `${thrower}: ${reasonOf(error)}, ${where}; fix it, or leave the file out`)
    }
  }
  return [...failures.values()].map(mistake)
}

/** What the page lacks for programs, or what would confuse a shopper. */
function pageProblem({ template, view }: Page, html: string): string | undefined {
  if (html.includes('[object ')) return 'prints an object instead of its text'
  if (template === 'problem') return undefined
  const { lines, totals } = view as { lines: unknown[]; totals?: object }
  const count = (pattern: RegExp) => html.match(pattern)?.length ?? 0
  if (count(/\sdata-sku=/g) !== lines.length) return 'does not have one element with data-sku for each line'
  if (count(/\sdata-quantity=/g) !== lines.length) return 'does not have one element with data-quantity for each line'
  if (totals && count(/\sdata-total=/g) !== 1) return 'does not have one element with data-total'
  if (totals && count(/\sdata-subtotal=/g) !== 1) return 'does not have one element with data-subtotal'
  return template === 'confirmation' && count(/\sid=["']?order\b/g) !== 1
    ? 'does not have one element #order'
    : undefined
}

/** What the page of a form lacks for nothing but its own button to order, and for the shopper to see what that accepts. */
function formProblem(html: string, terms: string): string | undefined {
  const [first = ''] = /<button[^>]*>/.exec(html) ?? []
  if (first !== '' && !/\sdisabled\b/.test(first)) {
    return 'has a first button that is not disabled, which Enter in a field would press'
  }
  const links = Array.from(html.matchAll(/\shref=(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/g), ([, ...text]) => text.join(''))
  return terms === '' || links.includes(terms) ? undefined : 'does not link to links.terms, which ordering accepts'
}

/** Makes every template report its file when it throws. */
function reportThrowers(eta: Eta, onThrow: (file: string) => void): void {
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

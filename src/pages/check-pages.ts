// Checks of a merchant file that only the pages can make: titles that apps would mistake for that of a completed order, and
// the merchant's own templates and style sheets.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import { mistakes, problems } from '../errors.ts'
import type { Merchant } from '../merchant/merchant.ts'
import { nearestName } from '../merchant/nearest-name.ts'
import { createTranslator } from '../messages/translator.ts'
import type { ReportError } from '../transfer/option.ts'
import { checkoutTitle, pageTitle } from './send-page.ts'
import { minifyStyles, VIEWS_FOLDER, viewFile } from './storefront.ts'

export function findPageMistakes(merchant: Merchant, report: ReportError): void {
  checkTitles(merchant, report)
  const inViews =
    merchant.views === undefined ? [] : findViewMistakes(merchant.views, Object.keys(merchant.templateTexts))
  for (const problem of inViews) report(['views'], problem)
}

/** Apps recognise a completed order by its title (REAL-APP.md 8), so no other page may have it. */
function checkTitles({ name, locale, locales, messages, checkout }: Merchant, report: ReportError): void {
  const { completeTitle } = checkout
  const refusals = [...Object.values(problems), ...Object.values(mistakes)]
  const titles = [locale, ...locales].flatMap(tag => {
    const translator = createTranslator(tag, messages)
    const headings = ['your-order', ...refusals.map(({ shopper }) => shopper), 'one-unsold'] as const
    const refused = headings.map(name => translator.translate(name))
    const others = [checkoutTitle(translator), checkoutTitle(translator, true), ...refused]
    return others.map(title => pageTitle(title, name))
  })
  const title = titles.find(other => other.toLowerCase().includes(completeTitle.toLowerCase()))
  if (title === undefined) return
  const problem = `it is "${completeTitle}"; give words that no other page's title contains, as "${title}" does`
  report(['checkout', 'completeTitle'], problem)
}

/** What the templates of a page must contain, taken together: what programs read, and what ordering needs. */
const READ_BY_PROGRAMS = ['data-sku', 'data-quantity', 'data-subtotal', 'data-total']
const NEEDED = {
  checkout: [...READ_BY_PROGRAMS, '<button disabled', 'it.terms'],
  confirmation: [...READ_BY_PROGRAMS, 'id=order']
}

/** @param texts the names of the merchant's own for its templates */
function findViewMistakes(views: string, texts: string[]): string[] {
  const known = readdirSync(VIEWS_FOLDER).filter(name => /\.(eta|css)$/.test(name))
  let own: string[]
  try {
    own = readdirSync(views).filter(name => !name.startsWith('.'))
  } catch (error) {
    return [`${(error as Error).message}; give a folder with templates`]
  }
  const found = own.flatMap(name => {
    if (!known.includes(name)) {
      const meant = nearestName(name, known)
      const right = meant === undefined ? `name it one of ${known.join(', ')}` : `did you mean "${meant}"?`
      return `there is no view "${name}" to replace; ${right}`
    }
    const problem = viewProblem(join(views, name), known, texts)
    return problem === undefined ? [] : `${name}: ${problem}`
  })
  if (found.length > 0) return found
  return Object.entries(NEEDED).flatMap(([page, needed]) => {
    const text = wholeText(`${page}.eta`, views).replaceAll('"', '')
    const lacking = needed.filter(part => !text.includes(part))
    return lacking.map(part => `no template of the ${page} page has ${part}, as ours do; put it back`)
  })
}

/** What a style sheet could not load, and what to do instead. */
const NOT_LOADED: [RegExp, remedy: string][] = [
  [/@import/i, 'copy its rules'],
  [/@font-face/i, 'name the font file in "theme.fontFile"'],
  [/url\((?!\s*["']?(\/(?!\/)|#))[^)]*\)?/i, 'name a picture in "theme.logo" or "theme.hero", or use gradients']
]

function viewProblem(file: string, known: string[], texts: string[]): string | undefined {
  const isSheet = file.endsWith('.css')
  try {
    if (isSheet) {
      const css = minifyStyles(readFileSync(file, 'utf8'))
      // The page embeds it in a <style> element, which would end there.
      if (/<\/style/i.test(css)) return 'it holds "</style", which would end it; leave that out'
      const blocked = NOT_LOADED.find(([pattern]) => pattern.test(css))
      return blocked && `it holds ${blocked[0].exec(css)?.[0]}, which would load nothing; ${blocked[1]}`
    }
    const text = readFileSync(file, 'utf8')
    new Eta().compile(text)
    const nowhere = includedBy(text).find(name => !known.includes(name))
    if (nowhere !== undefined) return `it includes ${nowhere}, which does not exist; leave that out`
    return textProblem(text, texts)
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    return `${reason?.replace(/:$/, '')}; give a ${isSheet ? 'style sheet' : 'template of Eta 4'}`
  }
}

/** A text that the file does not have would be undefined in the template, and one that is not said prints as an object. */
function textProblem(template: string, texts: string[]): string | undefined {
  const printed = Array.from(template.matchAll(/\bit\.texts\.([\p{ID_Continue}$]+)/gu), ([, name = '']) => name)
  const missing = printed.find(name => !texts.includes(name))
  if (missing !== undefined) {
    const meant = nearestName(missing, texts)
    return `there is no "${missing}" in "texts"; ${meant === undefined ? 'add it there' : `did you mean "${meant}"?`}`
  }
  const [, unsaid] = /<%=\s*(it\.texts\.[\p{ID_Continue}$]+)\s*%>/u.exec(template) ?? []
  return unsaid && `it prints an object, ${unsaid}; print <%~ fragment('said', ${unsaid}) %>`
}

function includedBy(text: string): string[] {
  return Array.from(text.matchAll(/\b(?:include|fragment|layout)\(\s*['"]([^'"]*)['"]/g), ([, name]) => `${name}.eta`)
}

function wholeText(name: string, views: string, found = new Set<string>()): string {
  if (found.has(name)) return ''
  found.add(name)
  const text = readFileSync(viewFile(name, views), 'utf8')
  return [text, ...includedBy(text).map(other => wholeText(other, views, found))].join('\n')
}

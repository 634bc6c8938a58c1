// A merchant's own templates and style sheets: what would fail for a shopper is refused before the server starts.
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { changed, mistakesIn, readContents } from '../merchant/settings.ts'

/** What a merchant file is refused for, next to a folder `views` with these files. */
function mistakesOf(t: Test, views: Record<string, string | Record<string, never>>): string[] {
  t.testdir({ views })
  return mistakesIn(t, [changed({ views: 'views' })])
}

t.test('views must be a folder of known templates that compile', async t => {
  const folder = t.testdir({ views: { 'leave.eta': '<p>x</p>', 'page.css': 'a{}', '.hidden': '' } })
  t.match(readContents(t, [changed({ views: 'views' })]), [{ views: join(folder, 'views') }])
  t.match(mistakesIn(t, [changed({ views: 'nowhere' })]), [
    /^a\.json:\d+: views: ENOENT.*; give a folder with templates$/
  ])
  t.match(mistakesOf(t, { 'chekout.eta': '' }), [
    /views: there is no view "chekout.eta" to replace; did you mean "checkout.eta"\?$/
  ])
  t.match(mistakesOf(t, { 'README.md': '' }), [
    /views: there is no view "README.md" to replace; name it one of brand\.css, checkout\.eta, /
  ])
  t.match(mistakesOf(t, { 'leave.eta': '<% if (' }), [
    /views: leave\.eta: unclosed tag at line 1 col 1; give a template of Eta 4$/
  ])
})

t.test('a style sheet that would close its <style> element is refused', async t => {
  for (const css of ['a{}</style>', '/* in a name */ a{content:"</STYLE"}', 'a{}</st/* cut out on the way */yle x>']) {
    t.match(
      mistakesOf(t, { 'page.css': css }),
      [/^a\.json:\d+: views: page\.css: it holds "<\/style", which would end it; leave that out$/],
      css
    )
  }
  t.strictSame(mistakesOf(t, { 'page.css': '/* not </style> */ a{content:"<style"}' }), [], 'comments are not sent')
  t.match(mistakesOf(t, { 'page.css': {} }), [/views: page\.css: EISDIR.*; give a style sheet$/])
})

t.test('a style sheet that would load nothing is refused, with what to do instead', async t => {
  const blocked = 'which would load nothing; '
  const cases: [css: string, mistake?: string][] = [
    [
      '@font-face{font-family:a;src:url(https://a.example/b.woff2)}',
      `@font-face, ${blocked}name the font file in "theme.fontFile"`
    ],
    ['@IMPORT "b.css";', `@IMPORT, ${blocked}copy its rules`],
    [
      'a{background:url( "https://a.example/b.png")}',
      `url( "https://a.example/b.png"), ${blocked}name a picture in "theme.logo" or "theme.hero", or use gradients`
    ],
    ['a{background:url(//a.example/b.png)}', `url(//a.example/b.png), ${blocked}name a picture`],
    ['a{background:url(data:image/png;base64,AA==)}', `url(data:image/png;base64,AA==), ${blocked}name a picture`],
    // Relative to the page: those of a shop are at two depths.
    ['a{background:url(leaf.png)}', `url(leaf.png), ${blocked}name a picture`],
    ['/* @import */a{background:url(/shop/pictures/b.png) url( "/b.png" ) url(#c)}']
  ]
  for (const name of ['brand.css', 'problem.css']) {
    for (const [css, mistake] of cases) {
      const mistakes = mistakesOf(t, { [name]: css })
      t.match(mistakes, mistake === undefined ? { length: 0 } : [`views: ${name}: it holds ${mistake}`], css)
    }
  }
})

/** What our line and totals have for programs. */
const LINE = '<li data-sku="<%= it.sku %>" data-quantity="<%= it.quantity %>">'
const TOTALS = '<i data-subtotal="1" data-total="1"></i>'

t.test('templates that lack what programs read, or what ordering needs, are refused', async t => {
  const own = `<% layout('layout') %>${LINE}${TOTALS}<%~ include("order-form") %>`
  const cases: [what: string, views: Record<string, string>, part: string, ...pages: string[]][] = [
    ['no SKU', { 'line.eta': '<li data-quantity="1">' }, 'data-sku', 'checkout', 'confirmation'],
    ['no quantity', { 'line.eta': '<li data-sku="1">' }, 'data-quantity', 'checkout', 'confirmation'],
    ['no total', { 'totals.eta': '<i data-subtotal="1">' }, 'data-total', 'checkout', 'confirmation'],
    ['no summary of the order', { 'confirmation.eta': LINE + TOTALS }, 'id=order', 'confirmation'],
    ['no first button that Enter presses in vain', { 'languages.eta': '' }, '<button disabled', 'checkout'],
    ['no terms, and lines of its own', { 'checkout.eta': own }, 'it.terms', 'checkout'],
    ['all of it in other files', { 'line.eta': '', 'totals.eta': LINE + TOTALS }, ''],
    ['all of it in quotes', { 'confirmation.eta': `${LINE}${TOTALS}<script id="order">` }, '']
  ]
  for (const [what, views, part, ...pages] of cases) {
    const mistakes = mistakesOf(t, views).map(mistake => mistake.replace(/^.*: views: /, ''))
    const lacks = (page: string) => `no template of the ${page} page has ${part}, as ours do; put it back`
    t.strictSame(mistakes, pages.map(lacks), what)
  }
})

t.test('a template that includes what does not exist is refused', async t => {
  t.match(mistakesOf(t, { 'leave.eta': "<%~ include( 'nowhere', {}) %>" }), [
    /: views: leave\.eta: it includes nowhere\.eta, which does not exist; leave that out$/
  ])
})

t.test('a template that prints a text which the file does not have, or prints it as an object, is refused', async t => {
  t.testdir({ views: { 'help.eta': '<%= it.texts.größe %>' } })
  const size = { größe: { en: 'Large' } }
  t.match(mistakesIn(t, [changed({ views: 'views', texts: size })]), [
    /: views: help\.eta: it prints an object, it\.texts\.größe; print <%~ fragment\('said', it\.texts\.größe\) %>$/
  ])
  t.testdir({ views: { 'leave.eta': "<%~ fragment('said', it.texts.promis) %>" } })
  const mistakes = (texts?: object) => mistakesIn(t, [changed({ views: 'views', texts })])
  t.match(mistakes(), [/: views: leave\.eta: there is no "promis" in "texts"; add it there$/])
  t.match(mistakes({ promise: 'By hand' }), [
    /: views: leave\.eta: there is no "promis" in "texts"; did you mean "promise"\?$/
  ])
  t.strictSame(mistakes({ promis: 'By hand' }), [])
})

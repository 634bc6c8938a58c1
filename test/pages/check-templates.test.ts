// A merchant's own templates and style sheets: what would fail for a shopper is refused before the server starts.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { destinations } from '../../src/destination/index.ts'
import { MerchantFileError, readMerchantFiles } from '../../src/merchant/merchant-file.ts'
import { pageSettingChecks } from '../../src/pages/check-pages.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { type MerchantChanges, merchantFile } from '../build.ts'

/** Writes a merchant file next to a folder `views` with these files; `read` reads it. */
function read(t: Test, views: Record<string, string>, changes: MerchantChanges & { views?: string } = {}) {
  const folder = t.testdir({ views })
  const file = join(folder, 'a.json')
  writeFileSync(file, JSON.stringify({ ...merchantFile('1', changes), views: 'views', ...changes }, null, 2))
  return {
    folder,
    read: () => readMerchantFiles([file], { options: transferOptions, destinations, ...pageSettingChecks })
  }
}

/** The mistakes found in such a merchant file, one per line, without the folder in the path. */
function mistakesOf(t: Test, ...merchant: [Record<string, string>, (MerchantChanges & { views?: string })?]): string[] {
  const { folder, read: readIt } = read(t, ...merchant)
  try {
    readIt()
    return []
  } catch (error) {
    if (!(error instanceof MerchantFileError)) throw error
    return error.message.replaceAll(`${folder}/`, '').split('\n')
  }
}

t.test('views must be a folder of known templates that compile', async t => {
  const valid = { 'leave.eta': '<p>x</p>', 'page.css': 'a{}', '.hidden': '' }
  const { folder, read: readIt } = read(t, valid)
  t.match(readIt(), [{ views: join(folder, 'views') }])
  t.match(mistakesOf(t, {}, { views: 'nowhere' }), [/^a\.json:\d+: views: ENOENT.*; give a folder with templates$/])
  t.match(mistakesOf(t, { 'chekout.eta': '' }), [
    /views: there is no view "chekout.eta" to replace; name it one of checkout\.eta, /
  ])
  t.match(mistakesOf(t, { 'leave.eta': '<% if (' }), [/views: leave\.eta: .*; give a template of Eta 4$/])
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
  const { folder, read: readIt } = read(t, {})
  mkdirSync(join(folder, 'views/page.css'))
  t.throws(readIt, { message: /views: page\.css: EISDIR.*; give a style sheet$/ })
})

/** The least that a line and the totals need for programs to read. */
const LINE = '<li data-sku="<%= it.sku %>" data-quantity="<%= it.quantity %>">'
const TOTALS = '<i data-subtotal="1" data-total="1"></i>'

t.test('a page that prints an object, or lacks the attributes that programs read, is refused', async t => {
  const cases: [what: string, file: string, template: string, reason: string][] = [
    ['an object', 'totals.eta', `${TOTALS}<%= it.totals %>`, 'checkout page prints an object instead of its text'],
    ['no SKU', 'line.eta', '<li data-quantity="1">', 'checkout page does not have one element with data-sku for each'],
    ['no quantity', 'line.eta', '<li data-sku="1">', 'checkout page does not have one element with data-quantity for'],
    ['a line twice', 'line.eta', LINE + LINE, 'checkout page does not have one element with data-sku for each line'],
    ['no total', 'totals.eta', '<i data-subtotal="1">', 'checkout page does not have one element with data-total'],
    ['no subtotal', 'totals.eta', '<i data-total="1">', 'checkout page does not have one element with data-subtotal'],
    [
      'no summary of the order',
      'confirmation.eta',
      `<i data-sku="" data-quantity="">${TOTALS}`,
      'confirmation page does not have one element #order'
    ]
  ]
  for (const [what, file, template, reason] of cases) {
    const [found = ''] = mistakesOf(t, { [file]: template })
    t.match(found, `: views: the ${reason}`, what)
    t.match(found, /, on a sample in en-GB; fix the templates$/, what)
  }
})

t.test('a page with a form orders by its own button only, and links to the terms that ordering accepts', async t => {
  const enter =
    /: views: the checkout page has a first button that is not disabled, which Enter in a field would press, on/
  const unlinked =
    /: views: the checkout page does not link to links\.terms, which ordering accepts, on a sample in en-GB/
  const links = { terms: 'https://shop.example/terms?a=1&b=2' }
  const cases: [what: string, file: string, template: string, reason?: RegExp][] = [
    ['no hidden buttons', 'languages.eta', '', enter],
    ['a layout without them', 'layout.eta', '<%~ it.body %>', enter],
    ['no buttons at all', 'layout.eta', "<%~ it.body.replace(/<button.*?<.button>/gs, '') %>"],
    [
      'no terms',
      'checkout.eta',
      `<% for (const line of it.lines) { %>${LINE.replaceAll('it.', 'line.')}<% } %>${TOTALS}`,
      unlinked
    ],
    ['other quotes', 'order-form.eta', "<a class=x href='<%= it.terms %>'>"],
    ['no quotes', 'order-form.eta', '<a href=<%= it.terms %>>']
  ]
  for (const [what, file, template, reason] of cases) {
    const found = mistakesOf(t, { [file]: template }, { links })
    t.match(found, reason ? [reason] : [], what)
    t.equal(found.length, reason ? 1 : 0, what)
  }
})

t.test('a template that throws on a sample page is reported once, with its error', async t => {
  const missing = { 'leave.eta': '<%= it.secret.thing %>' }
  t.match(mistakesOf(t, missing), [
    /^a\.json:\d+: views: leave\.eta: Cannot read properties of undefined \(reading 'thing'\), on a sample of the checkout page in en-GB; fix it, or leave the file out$/
  ])
  const cases: [what: string, file: string, template: string, reason: RegExp][] = [
    ['an unknown message', 'totals.eta', "<%= it.say('totl') %>", /^there is no message "totl"/],
    [
      'an error only in a form with mistakes',
      'order-form.eta',
      '<% it.mistakes[0]?.nobody.knows %>',
      /reading 'knows'/
    ],
    ['a line without a picture', 'line.eta', `${LINE}<%= it.image.length %>`, /reading 'length'/],
    ['an unsold line', 'line.eta', `${LINE}<% if (it.problem) throw 'text\\nand more' %>`, /^text, on/],
    ['a confirmation', 'totals.eta', `${TOTALS}<% if (it.number) it.email.length %>`, /reading 'length'/],
    ['an internal error', 'problem.eta', '<% if (it.requestId) it.lines[0].label %>', /reading 'label'/],
    ['the layout', 'layout.eta', '<%= it.nothing.at.all %>', /reading 'at'/],
    [
      'a default template without the data it needs',
      'checkout.eta',
      "<%~ include('totals', { totals: null }) %>",
      /'subtotal'/
    ],
    [
      'a template that does not exist',
      'checkout.eta',
      "<%~ include('nowhere') %>",
      /^Could not find template: .*nowhere/
    ]
  ]
  for (const [what, file, template, reason] of cases) {
    const found = mistakesOf(t, { [file]: template })
    t.equal(found.length, 1, what)
    const [, named, error = ''] =
      /: views: ([a-z-]+\.eta): (.*); fix it, or leave the file out$/.exec(String(found[0])) ?? []
    t.equal(named, file, what)
    t.match(error, reason, what)
  }
})

t.test('every template that throws is reported, not the one that includes it', async t => {
  const both = { 'checkout.eta': "<%~ include('line') %>", 'line.eta': '<% nobody %>', 'leave.eta': '<% nor.me %>' }
  t.match(mistakesOf(t, both).sort(), [/views: leave\.eta: nor is not def/, /views: line\.eta: nobody is not defined/])
})

t.test('templates are checked in each language of the shop', async t => {
  const view = { 'layout.eta': '<% if (it.direction === "rtl") it.not.there %><%~ include("languages") + it.body %>' }
  t.strictSame(mistakesOf(t, view), [])
  t.match(mistakesOf(t, view, { locales: ['de', 'ar'] }), [
    /layout\.eta: .* on a sample of the checkout page in ar; fix/
  ])
})

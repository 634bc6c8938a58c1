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

/** What our line and totals have for programs. */
const LINE = '<li data-sku="<%= it.sku %>" data-quantity="<%= it.quantity %>">'
const TOTALS = '<i data-subtotal="1" data-total="1"></i>'

t.test('templates that lack what programs read, or what ordering needs, are refused', async t => {
  const cases: [what: string, views: Record<string, string>, lacking: [page: string, part: string][]][] = [
    [
      'no SKU',
      { 'line.eta': '<li data-quantity="1">' },
      [
        ['checkout', 'data-sku'],
        ['confirmation', 'data-sku']
      ]
    ],
    [
      'no quantity',
      { 'line.eta': '<li data-sku="1">' },
      [
        ['checkout', 'data-quantity'],
        ['confirmation', 'data-quantity']
      ]
    ],
    [
      'no total',
      { 'totals.eta': '<i data-subtotal="1">' },
      [
        ['checkout', 'data-total'],
        ['confirmation', 'data-total']
      ]
    ],
    ['no summary of the order', { 'confirmation.eta': LINE + TOTALS }, [['confirmation', 'id=order']]],
    ['no first button that Enter presses in vain', { 'languages.eta': '' }, [['checkout', '<button disabled']]],
    [
      'no terms, and lines of its own',
      { 'checkout.eta': `<% layout('layout') %>${LINE}${TOTALS}<%~ include("order-form") %>` },
      [['checkout', 'it.terms']]
    ],
    ['all of it in other files', { 'line.eta': '', 'totals.eta': LINE + TOTALS }, []],
    ['all of it in quotes', { 'confirmation.eta': `${LINE}${TOTALS}<script id="order">` }, []]
  ]
  for (const [what, views, lacking] of cases) {
    t.match(
      mistakesOf(t, views),
      lacking.map(([page, part]) => `: views: no template of the ${page} page has ${part}, as ours do; put it back`),
      what
    )
    t.equal(mistakesOf(t, views).length, lacking.length, what)
  }
})

t.test('a template that includes what does not exist is refused', async t => {
  t.match(mistakesOf(t, { 'leave.eta': "<%~ include( 'nowhere', {}) %>" }), [
    /: views: leave\.eta: it includes nowhere\.eta, which does not exist; leave that out$/
  ])
})

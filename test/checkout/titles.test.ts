// The titles of pages, by which apps tell a finished order from every other page (real-app.md 8).
import t from 'tap'
import { CHECKOUT_TITLE, openTitles, pageTitle } from '../../src/checkout/titles.ts'
import { mistakes, problems } from '../../src/errors.ts'

t.test('a title says what the page is, then whose', t => {
  t.equal(pageTitle('Checkout', 'Harbour Goods'), 'Checkout – Harbour Goods')
  t.end()
})

t.test('the titles of every page but the confirmation are known beforehand', t => {
  const headings = [
    CHECKOUT_TITLE,
    ...[...Object.values(problems), ...Object.values(mistakes)].map(({ shopper }) => shopper)
  ]
  t.strictSame(new Set(openTitles('The Shop')), new Set(headings.map(heading => `${heading} – The Shop`)))
  t.end()
})

t.test('no title of an open page reads like a finished order', t => {
  const finished = openTitles('The Shop').filter(title => title.toLowerCase().includes('order complete'))
  t.strictSame(finished, [])
  t.end()
})

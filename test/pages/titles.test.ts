// Page titles: apps use them to tell a finished order from every other page (REAL-APP.md 8).
import t from 'tap'
import { mistakes, problems } from '../../src/errors.ts'
import { createTranslator } from '../../src/messages/translator.ts'
import { checkoutTitle, otherTitles, pageTitle } from '../../src/pages/titles.ts'

const EN = createTranslator('en-GB')

t.test('a title names the page, then the shop', t => {
  t.equal(pageTitle('Checkout', 'Harbour Goods'), 'Checkout – Harbour Goods')
  t.end()
})

t.test('the title of a refused form begins with "Error", in any language', t => {
  t.strictSame([checkoutTitle(EN), checkoutTitle(EN, true)], ['Checkout', 'Error: Checkout'])
  t.equal(checkoutTitle(createTranslator('de'), true), 'Fehler: Kasse')
  t.end()
})

t.test('otherTitles lists the title of every page except the confirmation', t => {
  const headings = [
    'Checkout',
    'Error: Checkout',
    ...[...Object.values(problems), ...Object.values(mistakes)].map(({ shopper }) => EN.say(shopper))
  ]
  t.strictSame(new Set(otherTitles('The Shop', EN)), new Set(headings.map(heading => `${heading} – The Shop`)))
  t.end()
})

t.test('no other title looks like a finished order', t => {
  const finished = otherTitles('The Shop', EN).filter(title => title.toLowerCase().includes('order complete'))
  t.strictSame(finished, [])
  t.end()
})

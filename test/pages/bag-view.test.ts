// How long a delivery method takes. For the rest of the bag, see checkout-view.test.ts and confirmation-view.test.ts.
import t from 'tap'
import { createTranslator } from '../../src/messages/translator.ts'
import { daysText, totalsView } from '../../src/pages/bag-view.ts'

t.test('how long a method takes is said in the language of the page', async t => {
  const durations: [number, number][] = [
    [0, 0],
    [1, 1],
    [2, 2],
    [1, 2],
    [3, 5]
  ]
  const cases: Record<string, string[]> = {
    en: ['Same day', '1 working day', '2 working days', '1 to 2 working days', '3 to 5 working days'],
    de: ['Am selben Tag', '1 Werktag', '2 Werktage', '1 bis 2 Werktage', '3 bis 5 Werktage'],
    ar: ['في اليوم نفسه', 'يوم عمل واحد', 'يومي عمل', 'من 1 إلى يومي عمل', 'من 3 إلى 5 أيام عمل']
  }
  for (const [locale, texts] of Object.entries(cases)) {
    const found = durations.map(days => daysText(days, createTranslator(locale)).replace(/[\u2068\u2069]/g, ''))
    t.strictSame(found, texts, locale)
  }
  const post = { id: 'post', label: 'Post', price: 450, days: [3, 5] as [number, number] }
  t.match(totalsView(2500, [post], 'post', 'GBP', createTranslator('en')).choices, [
    { key: undefined, days: '3 to 5 working days' }
  ])
})

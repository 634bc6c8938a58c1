// The colour that is suggested in place of one with too little contrast.
import t from 'tap'
import { weakPairs } from '../../src/merchant/read-theme.ts'
import { type ColourScheme, type Colours, contrasts, paletteOf } from '../../src/merchant/theme.ts'

t.test('good colours have no weak pair', async t => {
  t.strictSame([weakPairs('light', {}), weakPairs('dark', { accent: '#7fd1e0' })], [[], []])
})

t.test('the nearest colour is of the same hue, and with it every pair passes', async t => {
  const cases: [ColourScheme, Partial<Colours>, keyof Colours, string][] = [
    ['light', { accent: '#767676' }, 'accent', '#707070'],
    ['light', { accent: '#ffcc00' }, 'accent', '#8a6d00'],
    ['light', { text: '#ffffff' }, 'text', '#333333'],
    ['light', { background: '#888888' }, 'background', '#dcdcdc'],
    ['dark', { accent: '#0b57d0' }, 'accent', '#3a82fe']
  ]
  for (const [scheme, chosen, setting, nearest] of cases) {
    const weak = weakPairs(scheme, chosen)
    t.ok(weak.length > 0)
    for (const pair of weak) t.match(pair, { setting, nearest }, JSON.stringify(chosen))
    t.strictSame(weakPairs(scheme, { ...chosen, [setting]: nearest }), [], `${nearest} passes`)
  }
})

t.test('the setting to blame is the one that was chosen', async t => {
  const both = { background: '#888888', text: '#777777' }
  const settings = (chosen: Partial<Colours>) =>
    weakPairs('light', chosen).map(({ colours, setting }) => `${colours.join(' on ')}: ${setting}`)
  t.match(settings(both), ['ink on page: text'])
  t.match(settings({ background: '#888888' }), ['soft on page: background', 'accent on page: background'])
  t.ok(settings({ surface: '#777777' }).includes('note on card: surface'), 'our own colours are not to blame')
  t.ok(settings({ surface: '#777777' }).includes('accent on wash: surface'), 'one in between follows it')
  t.strictSame(weakPairs('light', { surface: weakPairs('light', { surface: '#777777' })[0]?.nearest ?? '' }), [])
})

t.test('no colour is named if none passes with the others', async t => {
  const night = { background: '#111418', surface: '#1b2026', text: '#eceff3', accent: '#8ab4f8' }
  const found = weakPairs('light', night).map(({ setting, nearest }) => [setting, nearest])
  t.strictSame(found, [
    ['text', undefined],
    ['accent', '#638bcc'],
    ['surface', undefined],
    ['surface', undefined]
  ])
  const fixed = contrasts(paletteOf('light', { ...night, accent: '#638bcc' })).filter(
    ({ ratio, required }) => ratio < required
  )
  t.notOk(fixed.some(({ colours }) => colours.includes('accent')))
})

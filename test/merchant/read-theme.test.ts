// The colour that is suggested in place of one with too little contrast.
import t from 'tap'
import { contrasts, readTheme } from '../../src/merchant/read-theme.ts'
import { type ColourScheme, type Colours, paletteOf } from '../../src/merchant/theme.ts'

/** What is wrong with the colours of a scheme. */
function mistakesOf(scheme: ColourScheme, chosen: Partial<Colours>): string[] {
  const found: string[] = []
  readTheme({ [scheme]: chosen }, '/', (key, problem) => found.push(`${key.join('.')}: ${problem}`))
  return found
}

/** The settings to change and the nearest colours that pass; undefined if none does. */
function remediesFor(scheme: ColourScheme, chosen: Partial<Colours>): [setting?: string, colour?: string][] {
  return mistakesOf(scheme, chosen).map(mistake => {
    const [, setting, colour] = /; the nearest (\w+) that passes is (#[0-9a-f]{6})$/.exec(mistake) ?? []
    return setting && colour ? [setting, colour] : []
  })
}

t.test('good colours have no weak pair', async t => {
  t.strictSame([mistakesOf('light', {}), mistakesOf('dark', { accent: '#7fd1e0' })], [[], []])
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
    const remedies = remediesFor(scheme, chosen)
    t.ok(remedies.length > 0)
    for (const remedy of remedies) t.strictSame(remedy, [setting, nearest], JSON.stringify(chosen))
    t.strictSame(mistakesOf(scheme, { ...chosen, [setting]: nearest }), [], `${nearest} passes`)
  }
})

t.test('the setting to blame is the one that was chosen; our own colours and those between follow it', async t => {
  const settings = (chosen: Partial<Colours>) => new Set(remediesFor('light', chosen).map(([setting]) => setting))
  t.match(mistakesOf('light', { background: '#888888', text: '#777777' }), [/^look\.light: text #777777 on background/])
  t.strictSame(settings({ background: '#888888' }), new Set(['background']))
  t.strictSame(settings({ surface: '#777777' }), new Set(['surface']))
  const mistakes = mistakesOf('light', { surface: '#777777' }).join('\n')
  t.match(mistakes, 'our colour of notes #8a4b00 on surface')
  t.match(mistakes, 'on the background of a missing picture (between accent and surface)')
})

t.test('no colour is named if none passes with the others', async t => {
  const night = { background: '#111418', surface: '#1b2026', text: '#eceff3', accent: '#8ab4f8' }
  t.strictSame(remediesFor('light', night), [[], ['accent', '#638bcc'], [], []])
  const pairs = contrasts(paletteOf('light', { ...night, accent: '#638bcc' }))
  const weak = pairs.filter(({ ratio, required }) => ratio < required)
  t.notOk(weak.some(({ colours }) => colours.includes('accent')))
})

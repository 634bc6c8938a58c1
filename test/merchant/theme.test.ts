// The colours of a page: all are derived from a few, and have enough contrast; one with too little is refused, and another
// suggested in its place.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { destinations } from '../../src/integrations/destination/index.ts'
import { paymentProviders } from '../../src/integrations/payment/index.ts'
import {
  type ColourScheme,
  type Colours,
  contrasts,
  defaultTheme,
  type Palette,
  paletteOf,
  readTheme,
  type Theme,
  themeSheet
} from '../../src/merchant/theme.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { readMerchantFiles } from '../read-merchants.ts'

const VIEWS = join(import.meta.dirname, '../../views')
const CONFIG = join(import.meta.dirname, '../../config')
const SCHEMES: ColourScheme[] = ['light', 'dark']

t.test('the default colours and those of the demo merchants have enough contrast, light and dark', async t => {
  const merchants = readMerchantFiles(
    ['harbour', 'werft', 'kissa'].map(id => join(CONFIG, `${id}.json`)),
    {
      ...{ options: transferOptions, destinations, providers: paymentProviders },
      variables: { WERFT_STRIPE_KEY: 'sk_test_0123456789', WERFT_STRIPE_WEBHOOK_SECRET: 'whsec_0123456789abcdef' }
    }
  )
  for (const theme of [defaultTheme(), ...merchants.map(({ theme }) => theme)]) {
    for (const scheme of SCHEMES) {
      for (const { colours, ratio, required } of contrasts(theme[scheme] as Palette)) {
        t.ok(ratio >= required, `${scheme} ${colours}: ${ratio}`)
      }
    }
  }
})

t.test('text needs a contrast of 4.5, the focus ring of a link in an alert 3', async t => {
  const night = { background: '#111418', surface: '#1b2026', text: '#eceff3', accent: '#8ab4f8' }
  const pairs = contrasts(paletteOf('light', night))
  const required = (...colours: string[]) => pairs.find(pair => pair.colours.join() === colours.join())?.required
  t.strictSame([required('ink', 'tint'), required('accent', 'card'), required('accent', 'tint')], [4.5, 4.5, 3])
  const weak = pairs.filter(pair => pair.ratio < pair.required).map(({ colours }) => colours.join(' on '))
  t.strictSame(
    weak,
    ['ink on tint', 'accent on tint', 'sale on card', 'note on card', 'bad on card'],
    'dark colours as the light scheme'
  )
})

t.test('the sheet has the chosen font, headings and shape of pictures, and no other', async t => {
  const sheet = (chosen: Partial<Theme>) => themeSheet({ ...defaultTheme(), ...chosen })
  t.match(sheet({ font: 'serif' }), ';font-family:ui-serif,Georgia,serif;')
  t.match(sheet({ font: 'rounded' }), /;font-family:ui-rounded,[^;]*,sans-serif;/)
  t.match(sheet({ font: 'mono' }), /;font-family:ui-monospace,[^;]*,monospace;/)
  t.match(sheet({ pictures: 'portrait' }), '--h:96px;')
  t.match(sheet({ headings: 'light' }), 'h1,h2{font-weight:300}')
  t.match(sheet({ headings: 'capitals' }), 'h1,h2,.shop b{text-transform:uppercase}')
  t.match(sheet({ headings: 'capitals' }), ':root:not([dir]) :is(h1,h2,.shop b){letter-spacing', 'not in Arabic')
  t.match(sheet({ headings: 'light', weight: 600 }), /body :is\(h1,h2,\.total,b,\.go,\.main a\)\{font-weight:600\}/)
  t.match(sheet({ hero: { url: 'https://cdn.example/quay.jpg' } }), '.hero{')
  t.notMatch(sheet({}), /h1|serif,Georgia|96px|hero/)
})

t.test('without dark mode there is one set of colours, which browsers are not to darken', async t => {
  const { dark, ...light } = defaultTheme()
  const sheet = themeSheet(light)
  t.match(sheet, /^:root\{color-scheme:only light;--ink:#1a1d21;/)
  t.notMatch(sheet, 'prefers-color-scheme')
  t.match(themeSheet({ ...light, dark: paletteOf('dark') }), 'prefers-color-scheme:dark')
})

t.test('the text on a button is light or dark, whichever has more contrast', async t => {
  const on = (accent: string) => paletteOf('light', { accent }).on
  t.equal(on('#0b57d0'), '#ffffff')
  t.equal(on('#ffcc00'), '#10151c')
})

t.test('borders of fields are the lightest between text and surface that can be seen', async t => {
  const cases: [ColourScheme, Partial<Colours>, string][] = [
    ['light', {}, '#939597'],
    ['dark', {}, '#666b70'],
    ['light', { surface: '#777777', text: '#222222' }, '#222222']
  ]
  for (const [scheme, chosen, edge] of cases) t.equal(paletteOf(scheme, chosen).edge, edge)
  const hasRatio = ({ colours, ratio }: ReturnType<typeof contrasts>[number]) =>
    colours.join() !== 'edge,card' || ratio >= 3
  t.ok(contrasts(paletteOf('dark', { surface: '#303030' })).every(hasRatio))
})

t.test('the theme defines every colour that the style sheets use, light and dark', async t => {
  const theme = defaultTheme()
  const sheet = themeSheet({ ...theme, radius: 7 })
  t.match(sheet, /^:root\{color-scheme:light dark;--ink:#1a1d21;/)
  t.match(sheet, ';font-family:system-ui,sans-serif;--h:72px;--r:7px}')
  t.match(sheet, '--card:#fff;', 'shortened')
  const css = readdirSync(VIEWS)
    .filter(name => name.endsWith('.css'))
    .map(name => readFileSync(join(VIEWS, name), 'utf8'))
    .join('')
  const used = new Set([...css.matchAll(/var\((--[a-z]+)\)/g)].map(([, name = '']) => name))
  t.strictSame(used, new Set([...Object.keys(theme.light).map(name => `--${name}`), '--h', '--r']))
  t.notMatch(
    css.replace(/:root\{[^}]*\}|#000[01]\b/g, ''),
    /#[0-9a-f]{3,6}\b/,
    'the style sheets have no colours of their own, but a shadow'
  )
})

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
  t.match(mistakesOf('light', { background: '#888888', text: '#777777' }), [
    /^theme\.light: too little contrast: text #777777 on background/
  ])
  t.strictSame(settings({ background: '#888888' }), new Set(['background']))
  t.strictSame(settings({ surface: '#777777' }), new Set(['surface']))
  const mistakes = mistakesOf('light', { surface: '#777777' }).join('\n')
  t.match(mistakes, 'our colour of warnings #8a4b00 on surface')
  t.match(mistakes, 'on the background of a missing picture (between accent and surface)')
})

t.test('no colour is named if none passes with the others', async t => {
  const night = { background: '#111418', surface: '#1b2026', text: '#eceff3', accent: '#8ab4f8' }
  t.strictSame(remediesFor('light', night), [[], ['accent', '#638bcc'], []])
  const pairs = contrasts(paletteOf('light', { ...night, accent: '#638bcc' }))
  const weak = pairs.filter(({ ratio, required }) => ratio < required)
  t.notOk(weak.some(({ colours }) => colours.includes('accent')))
})

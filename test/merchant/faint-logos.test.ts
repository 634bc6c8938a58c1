// Logos that hardly stand out from the header behind them.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { faintLogos } from '../../src/merchant/faint-logos.ts'
import { defaultTheme } from '../../src/merchant/theme.ts'
import type { Picture } from '../../src/merchant/theme-files.ts'
import { ROOT } from '../node-process.ts'

const svg = (drawn: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">${drawn}</svg>`

function picture(t: Test, content: string, type = 'image/svg+xml'): Picture {
  return { file: join(t.testdir({ logo: content }), 'logo'), type }
}

t.test('a logo is told if none of its colours stands out, light or dark', async t => {
  const cases: [what: string, drawn: string, ...modes: string[]][] = [
    ['no colour, which is black', '<path d=""/>', 'dark'],
    ['the colour of text, which is black in a picture', '<path fill="currentColor" d=""/>', 'dark'],
    ['dark blue', '<rect fill="#1a237e"/>', 'dark'],
    ['dark in a style', '<path style="stroke: rgb(0, 0, 40); fill: none" d=""/>', 'dark'],
    ['dark in a sheet', '<style>.a{fill:#111}</style><path class="a" d=""/>', 'dark'],
    [
      'a dark gradient',
      '<linearGradient id="g"><stop stop-color="#222"/></linearGradient><path fill="url(#g)" d=""/>',
      'dark'
    ],
    ['white', '<g fill="white"><path d=""/></g>', 'light'],
    ['pale yellow', '<path fill="#ffe" d=""/>', 'light'],
    ['white, cut to a black form', '<clipPath id="c"><path d=""/></clipPath><path fill="#fff" d=""/>', 'light'],
    ['white, and what nobody sees', '<path fill="#fff" d=""/><path fill="#0000" d=""/><!-- fill="red" -->', 'light'],
    ['white and black', '<path fill="#fff" d=""/><path d=""/>'],
    ['orange', '<path fill="#ff9900" d=""/>'],
    ['another colour in dark mode', '<style>path{fill:#123}@media(prefers-color-scheme:dark){path{fill:#def}}</style>'],
    ['a picture of its own', '<image href="data:image/png;base64,AA=="/>'],
    ['nothing', '']
  ]
  for (const [what, drawn, ...modes] of cases) {
    const found = faintLogos({ ...defaultTheme(), logo: picture(t, svg(drawn)) })
    t.strictSame(
      found.map(({ mode }) => mode),
      modes,
      what
    )
  }
})

t.test('it is told with its contrast and a remedy', async t => {
  const dark = picture(t, svg('<path fill="#1a237e" d=""/>'))
  t.strictSame(faintLogos({ ...defaultTheme(), logo: dark }), [
    { mode: 'dark', contrast: 1.23, remedy: 'give a lighter theme.dark.logo' }
  ])
})

t.test('in dark mode, its own logo counts, if there is one and there is that mode; only SVGs are read', async t => {
  const theme = { ...defaultTheme(), logo: picture(t, svg('<path d=""/>')) }
  const pages: [what: string, Partial<typeof theme>][] = [
    ['an address', { darkLogo: { url: 'https://cdn.example/logo.svg' } }],
    ['a bitmap', { darkLogo: { ...theme.logo, type: 'image/png' } }],
    ['no dark mode', { dark: undefined }]
  ]
  t.equal(faintLogos(theme).length, 1)
  for (const [what, more] of pages) t.strictSame(faintLogos({ ...theme, ...more }), [], what)
})

t.test('those of the demo shops stand out', async t => {
  const logos = readdirSync(join(ROOT, 'config'), { recursive: true, encoding: 'utf8' }).filter(name =>
    /logo\.svg$/.test(name)
  )
  t.equal(logos.length, 3)
  for (const logo of logos) {
    t.strictSame(
      faintLogos({ ...defaultTheme(), logo: { file: join(ROOT, 'config', logo), type: 'image/svg+xml' } }),
      [],
      logo
    )
  }
})

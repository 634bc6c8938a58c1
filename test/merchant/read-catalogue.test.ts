// A merchant's feeds: where they are, in which language, and what a list of them is refused for.
import { join } from 'node:path'
import t from 'tap'
import { accepts, changed, mistakesIn, readContents } from './settings.ts'

const address = 'https://cdn.example/feed.xml'

t.test('several feeds are in the order of the list; a language that is not the own one is kept', async t => {
  const feed = [
    'eur/feed.tsv',
    { feed: address, language: 'de' },
    { feed: '../chf.tsv' },
    { feed: 'x', language: 'en' }
  ]
  const settings = { locales: ['de-AT'], catalogue: { feed, credentialsVariable: 'LOGIN' } }
  const [merchant] = readContents(t, [changed(settings)], { LOGIN: 'ada:s3cret' })
  const at = (name: string) => join(t.testdirName, name)
  t.match(merchant?.catalogue?.feeds, [
    { address: at('eur/feed.tsv'), key: ['catalogue', 'feed', 0], language: undefined },
    { address, key: ['catalogue', 'feed', 1], language: 'de' },
    { address: at('../chf.tsv'), key: ['catalogue', 'feed', 2], language: undefined },
    { address: at('x'), key: ['catalogue', 'feed', 3], language: undefined }
  ])
  t.equal(merchant?.catalogue?.credentials, 'ada:s3cret')
  t.equal(merchant?.pictures, at('eur/pictures'), 'next to the first')
  const [other] = readContents(t, [changed({ 'catalogue.feed': [address, 'eur/feed.tsv'] })])
  t.equal(other?.pictures, at('pictures'))
})

t.test('a language is one of the pages, or that of the locale', async t => {
  accepts(t, 'catalogue.feed', [[{ feed: 'x', language: 'it' }], [{ feed: 'x', language: 'en' }]], {
    settings: { locale: 'it-IT' }
  })
  const mistakes = (language: unknown, locale = 'en-GB') => {
    const feed = ['a.tsv', { feed: 'b.tsv', language }]
    const content = changed({ 'catalogue.feed': feed, locale, locales: ['de-DE'] })
    return mistakesIn(t, [content]).map(line => line.replace(/^a\.json:\d+: /, ''))
  }
  const right = 'give one of en, de, or add it to "locales"'
  t.strictSame(mistakes('fr'), [`catalogue.feed[1].language: it is "fr"; ${right}`])
  t.strictSame(mistakes('de-DE'), [`catalogue.feed[1].language: it is "de-DE"; ${right}`])
  t.strictSame(mistakes(5), [
    'catalogue.feed[1].language: it is 5; give the language of its titles, such as "de"; by default that of locale'
  ])
  const noLocale = 'locale: it is "english"; give a language tag such as "en-GB"'
  t.strictSame(mistakes('fr', 'english'), [noLocale], 'which languages there are is not known')
})

t.test('what is wrong in a list is named with the entry', async t => {
  const path = 'the path of the product feed, relative to this file, or its address such as "https://…"'
  const noLogin =
    'a login must not be in the file; put user and password into the variable of catalogue.credentialsVariable'
  const cases: [feed: unknown[], mistake: string][] = [
    [[], `catalogue.feed: it is []; give ${path}, or a list of several`],
    [['a', 5], 'catalogue.feed[1]: it is 5; give a path, an address, or { "feed": …, "language": "de" }'],
    [['a', ''], 'catalogue.feed[1]: it is ""; give a path, an address, or { "feed": …, "language": "de" }'],
    [['a', {}], `catalogue.feed[1].feed: missing; give ${path}`],
    [['a', { feed: '' }], `catalogue.feed[1].feed: it is ""; give ${path}`],
    [[{ feed: 'a', languge: 'en' }], 'catalogue.feed[0].languge: unknown key; did you mean "language"?'],
    [['a', { feed: 'b', Lang: 'en' }], 'catalogue.feed[1].Lang: unknown key; did you mean "language"?'],
    [['a', 'b', './a'], 'catalogue.feed[2]: it is catalogue.feed[0] once more; list each feed once'],
    [
      [address, { feed: address, language: 'en' }],
      'catalogue.feed[1]: it is catalogue.feed[0] once more; list each feed once'
    ],
    [['a', { feed: 'https://ada:s3cret@cdn.example/' }], `catalogue.feed[1]: ${noLogin}`],
    [['a', 'ftp://cdn.example/'], 'catalogue.feed[1]: give the path of a file, or an address such as "https://…"']
  ]
  for (const [feed, mistake] of cases) {
    const [found = '', ...more] = mistakesIn(t, [changed({ 'catalogue.feed': feed })])
    t.equal(found.replace(/^a\.json:\d+: /, ''), mistake)
    t.strictSame(more, [])
  }
  const many = mistakesIn(t, [
    changed({ 'catalogue.feed': ['http://cdn.example/1', { feed: 'x', language: 'fr' }, 'x'] })
  ])
  t.match(many, [/feed\[0\]: use https/, /feed\[1\]\.language: it is "fr"/, /feed\[2\]: it is catalogue\.feed\[1\]/])
})

t.test('a login is for addresses: a list of files needs none', async t => {
  const settings = { 'catalogue.credentialsVariable': 'LOGIN' }
  const mistakes = (feed: string[]) =>
    mistakesIn(t, [changed({ ...settings, 'catalogue.feed': feed })], { LOGIN: 'a:b' })
  t.match(mistakes(['a', 'b']), [/catalogue\.credentialsVariable: a file needs no login; leave it out$/])
  t.strictSame(mistakes(['a', address]), [])
})

// What is written about metrics, compared with a real scrape: the table of src/start/metrics/README.md, and the dashboard and the
// alert rules of config/deploy/.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { problems } from '../../../src/errors.ts'
import { merchantFile } from '../../build.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../../integrations/destination/own-shop.ts'
import { ROOT } from '../../node-process.ts'
import { begin } from '../../store/payments-suite.ts'
import { openMetered } from './metered-shop.ts'

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } }
type Panel = { title: string; targets?: { expr: string }[] }

const alerts: { groups: { rules: Rule[] }[] } = parse(read('config/deploy/alerts.yml'))
const rules = alerts.groups.flatMap(group => group.rules)
const dashboard: { panels: Panel[]; templating: { list: { name: string; definition?: string }[] } } = JSON.parse(
  read('config/deploy/grafana-dashboard.json')
)

/** Every expression, with where it is. */
const expressions: [where: string, expression: string][] = [
  ...rules.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...dashboard.panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }): [string, string] => [title, expr])),
  ...dashboard.templating.list.flatMap(({ name, definition = '' }): [string, string][] => [[name, definition]])
]

/** What Prometheus adds to every sample. */
const OF_THE_SCRAPE = ['job', 'instance']

/** The metrics of ours, as their table has them. */
const rows = read('src/start/metrics/README.md').matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) ?\| /gm)
const listed = Array.from(rows, ([, name = '', type, labels = '']) => ({
  name,
  type,
  labels: Array.from(labels.matchAll(/`(\w+)`/g), ([, label = '']) => label).sort()
}))
const labelsOf = new Map(listed.map(({ name, labels }) => [name, labels]))

t.test('the table has every metric of ours, with its type and its labels', async t => {
  const { url } = await openOwnShop(t)
  const ownShop = shopFile('1', url, { id: 'own', publicUrl: 'http://127.0.0.1:3000/own' })
  const { app, store, observer, scrape } = await openMetered(t, {
    merchants: [{ ...merchantFile('2B'), webhook: { url, secretVariable: 'SHOP_SECRET' } }, ownShop],
    variables: { SHOP_SECRET }
  })
  await app.inject('/shop/cart')
  const refused = { outcome: 'refused', problem: 'cart-not-sellable', mistakes: ['sku-unknown'] } as const
  observer.transferred({ merchant: 'shop', option: '2B', ...refused, mistakes: [...refused.mistakes], duration: 1 })
  await begin(store, 1)
  observer.paymentSettled('shop', 'paid')
  observer.providerFailed('shop', 'open')
  observer.providerCircuit('shop', false)
  const { families } = await scrape()
  const ours = families.filter(({ name }) => !/^(nodejs|process)_/.test(name))
  const scraped = ours.map(({ name, type, samples }) => {
    const labels = new Set(samples.flatMap(sample => Object.keys(sample.labels)))
    labels.delete('le')
    return { name, type, labels: [...labels].sort() }
  })
  const byName = (list: { name: string }[]) => list.toSorted((a, b) => a.name.localeCompare(b.name))
  t.strictSame(byName(scraped), byName(listed))
  for (const { name, type, help } of ours) {
    t.equal(name.endsWith('_total'), type === 'counter', name)
    t.match(help, /\.$/, name)
  }
})

t.test('every metric that they name is in a scrape, and every label is one of its', async t => {
  const { scrape } = await openMetered(t, {})
  const { families } = await scrape()
  const scraped = new Map(families.map(({ name, type }) => [name, type]))
  const named = new Set<string>()
  for (const [where, expression] of expressions) {
    const found = expression.matchAll(/\b((?:cart_transfer|http|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)
    for (const [, metric = '', matchers = ''] of found) {
      const name = scraped.has(metric) ? metric : metric.replace(/_(bucket|sum|count)$/, '')
      const isPart = name !== metric
      if (!scraped.has(name) || isPart !== (scraped.get(name) === 'histogram')) t.fail(`${where}: ${metric}`)
      named.add(name)
      for (const [, label = '', values = ''] of matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g)) {
        for (const code of label === 'code' ? values.split('|') : []) {
          if (!(code in problems)) t.fail(`${where}: ${metric}{code="${code}"}`)
        }
        if (![...(labelsOf.get(name) ?? []), ...OF_THE_SCRAPE].includes(label)) t.fail(`${where}: ${metric}{${label}}`)
      }
    }
    const [, grouped = ''] = /\bby \(([^)]*)\)/.exec(expression) ?? []
    const known = [...[...named].flatMap(name => labelsOf.get(name) ?? []), ...OF_THE_SCRAPE, 'le', 'kind', '']
    for (const label of grouped.split(/, ?/)) if (!known.includes(label)) t.fail(`${where}: by (${label})`)
  }
  t.ok(expressions.length > 50)
  const shown = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)).join(' ')
  const missing = listed.filter(({ name }) => !shown.includes(name))
  t.strictSame(missing, [], 'the dashboard shows all of ours')
})

t.test('every alert has a severity and a sentence, and config/deploy/README.md says what to do', async t => {
  t.ok(rules.length > 10)
  const readme = read('config/deploy/README.md')
  const explained = Array.from(readme.matchAll(/^\| `(CartTransfer\w+)`/gm), ([, alert]) => alert)
  const named = rules.map(({ alert }) => alert)
  t.strictSame(explained, named, 'in the same order')
  for (const { alert, labels, annotations } of rules) {
    t.match([labels.severity, annotations.summary], [/^(critical|warning)$/, /\{\{ /], alert)
  }
})

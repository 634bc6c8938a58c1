// The dashboard and the alert rules of config/deploy/: each metric and label that they name is there, and each alert is
// explained.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { parse } from 'yaml'
import { problems } from '../../src/errors.ts'
import { ROOT } from '../node-process.ts'
import { openMetered } from './metered-shop.ts'

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

type Rule = { alert: string; expr: string; labels: { severity: string }; annotations: { summary: string } }
type Panel = {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}

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

/** The labels of each metric of ours, as its table has them; a test compares that with a scrape. */
const labelsOf = new Map(
  Array.from(
    read('src/metrics/README.md').matchAll(/^\| `(\w+)` \| \w+ \| (.*?) ?\| /gm),
    ([, name = '', labels = '']) => [name, Array.from(labels.matchAll(/`(\w+)`/g), ([, label = '']) => label)]
  )
)

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
  t.strictSame(
    [...labelsOf.keys()].filter(name => !shown.includes(name)),
    [],
    'the dashboard shows all of ours'
  )
})

t.test('every alert has a severity and a sentence, and config/deploy/README.md says what to do', async t => {
  t.ok(rules.length > 10)
  const readme = read('config/deploy/README.md')
  const explained = Array.from(readme.matchAll(/^\| `(CartTransfer\w+)`/gm), ([, alert]) => alert)
  t.strictSame(
    explained,
    rules.map(({ alert }) => alert),
    'in the same order'
  )
  for (const { alert, labels, annotations } of rules) {
    t.match([labels.severity, annotations.summary], [/^(critical|warning)$/, /\{\{ /], alert)
  }
})

t.test('the panels of the dashboard stand beside and below each other', async t => {
  const { panels } = dashboard
  t.equal(new Set(panels.map(({ id }) => id)).size, panels.length, 'each has its id')
  const taken = new Set<string>()
  for (const { title, gridPos } of panels) {
    const { x, y, w, h } = gridPos
    if (x + w > 24) t.fail(`${title} is wider than the dashboard`)
    for (let column = x; column < x + w; column++) {
      for (let line = y; line < y + h; line++) {
        if (taken.has(`${column} ${line}`)) t.fail(`${title} covers another`)
        taken.add(`${column} ${line}`)
      }
    }
  }
  const rows = panels.filter(({ type }) => type === 'row')
  t.ok(rows.length > 5)
  for (const { title } of rows) t.match(title, /\?$/, 'a row is a question')
})

// The table of metrics in src/metrics/README.md, compared with a real scrape.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { merchantFile } from '../build.ts'
import { openOwnShop, SHOP_SECRET, shopFile } from '../destination/own-shop.ts'
import { openMetered } from './metered-shop.ts'

const README = readFileSync(join(import.meta.dirname, '../../src/metrics/README.md'), 'utf8')

t.test('the table has every metric of ours, with its type and its labels', async t => {
  const { url } = await openOwnShop(t)
  const webhook = { url, secretVariable: 'SHOP_SECRET' }
  const { app, observer, scrape } = await openMetered(t, {
    merchants: [
      { ...merchantFile('2B'), webhook },
      shopFile('1', url, { id: 'own', publicUrl: 'http://127.0.0.1:3000/own' })
    ],
    variables: { SHOP_SECRET }
  })
  await app.inject('/shop/cart?item_0_sku=NO-SUCH&item_0_quantity=1&currency=GBP&reference=r-1')
  observer.transferred({
    merchant: 'shop',
    option: '2B',
    outcome: 'refused',
    problem: 'cart-not-sellable',
    mistakes: ['sku-unknown'],
    duration: 1
  })
  const { families } = await scrape()
  const ours = families.filter(({ name }) => !/^(nodejs|process)_/.test(name))
  const scraped = ours.map(({ name, type, samples }) => {
    const labels = new Set(samples.flatMap(sample => Object.keys(sample.labels)))
    labels.delete('le')
    return { name, type, labels: [...labels].sort() }
  })
  const rows = README.matchAll(/^\| `(\w+)` \| (\w+) \| (.*?) ?\| /gm)
  const listed = Array.from(rows, ([, name, type, labels = '']) => ({
    name,
    type,
    labels: Array.from(labels.matchAll(/`(\w+)`/g), ([, label]) => label).sort()
  }))
  const byName = (list: { name?: string | undefined }[]) =>
    list.toSorted((a, b) => String(a.name).localeCompare(String(b.name)))
  t.strictSame(byName(scraped), byName(listed))
  for (const { name, type, help } of ours) {
    t.equal(name.endsWith('_total'), type === 'counter', name)
    t.match(help, /\.$/, name)
  }
})

t.test('the metrics of the library that it names are there', async t => {
  const { scrape } = await openMetered(t, {})
  const { families } = await scrape()
  for (const pattern of [
    /^process_cpu_seconds_total$/,
    /^nodejs_eventloop_lag_p99_seconds$/,
    /^nodejs_eventloop_utilization_/
  ]) {
    t.ok(
      families.some(({ name }) => pattern.test(name)),
      `${pattern}`
    )
  }
})

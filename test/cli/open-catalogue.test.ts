// What an operator reads about a feed: in the log, and if the server cannot start with it.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pino } from 'pino'
import t, { type Test } from 'tap'
import { openCatalogue } from '../../src/cli/open-catalogue.ts'
import { OperatorError } from '../../src/errors.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { readMerchantFiles } from '../../src/merchant/merchant-file.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { type MerchantChanges, merchantFile } from '../build.ts'

/** A merchant as its file says, next to a feed. */
function merchantWith(t: Test, feed: string, changes: MerchantChanges): Merchant {
  const folder = t.testdir({ 'feed.tsv': feed })
  const file = join(folder, 'shop.json')
  writeFileSync(file, JSON.stringify(merchantFile('1', changes), null, 2))
  const [merchant] = readMerchantFiles([file], { options: transferOptions })
  return merchant as Merchant
}

function newLog() {
  const lines: Record<string, unknown>[] = []
  return { lines, logger: pino({ base: null, timestamp: false }, { write: line => void lines.push(JSON.parse(line)) }) }
}

t.test('the log says what is not served, what is served without a part, and which currency has no price', async t => {
  const feed = [
    'id\ttitle\tprice\tavailability\timage_link',
    'A\tT\t1 GBP\tin_stock\thttp://images.example/a.jpg',
    'B\tT\tfree\tin_stock\t'
  ]
  const changes = { publicUrl: 'https://shop.example', currencies: ['GBP', 'EUR'] }
  const merchant = merchantWith(t, feed.join('\n'), changes)
  const { lines, logger } = newLog()
  const catalogue = await openCatalogue(merchant, logger)
  await catalogue.close()
  const common = { merchant: 'shop', feed: merchant.feed }
  t.match(lines, [
    {
      level: 40,
      ...common,
      line: 2,
      reason: /^image_link "http:/,
      msg: 'feed line served without its picture or variant'
    },
    { level: 40, ...common, line: 3, reason: /^price "free"/, msg: 'feed line not served' },
    { level: 40, ...common, currency: 'EUR', msg: 'no product has a price in this currency' },
    { level: 30, ...common, products: 1, problems: 2, msg: 'feed loaded' }
  ])
  t.equal(lines.length, 4)
})

t.test('a feed that cannot be opened is refused with the file and line that name it', async t => {
  const merchant = merchantWith(t, 'no feed', { publicUrl: '/shop' })
  const { lines, logger } = newLog()
  const place = /^\/.*\/shop\.json:\d+: catalogue\.feed: \/.*/.source
  const refused = (message: string) => ({ constructor: OperatorError, message: new RegExp(`${place}${message}`) })
  await t.rejects(
    openCatalogue(merchant, logger),
    refused('feed\\.tsv: the first line names no id, .*; give a product feed')
  )
  const nowhere = { ...merchant, feed: '/nowhere/feed.tsv' }
  await t.rejects(openCatalogue(nowhere, logger), refused('nowhere/feed\\.tsv: ENOENT'))
  t.strictSame(lines, [])
})

// Shopify's client for UCP (@shopify/ucp-cli), which agents shop with, against our server: by MCP, in each version.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import t from 'tap'
import { ucpVersions } from '../src/ucp/versions.ts'
import { startUcpShop } from './judges/ucp-shop.ts'
import { runNode } from './node-process.ts'
import { linesIn } from './transfer/answers.ts'

const UCP = join(createRequire(import.meta.url).resolve('@shopify/ucp-cli'), '../bin.js')

t.test('ucp-cli discovers the shop, creates a cart, is refused one, and reads, replaces and cancels it', async t => {
  // No proxy, and no profile of whoever runs the tests.
  const { PATH } = process.env
  const env = { PATH, UCP_HOME: t.testdir(), UCP_TEST_ALLOW_INSECURE_LOCALHOST: 'true', UCP_STRICT_SCHEMA: '1' }
  const ucp = async (...args: string[]) => {
    const { stdout, stderr } = await runNode([UCP, ...args, '--format', 'json'], { env })
    t.equal(stderr, '')
    return JSON.parse(stdout)
  }
  const versions = Object.keys(ucpVersions)
  const profiles: Record<string, string> = {}
  for (const version of versions) {
    const { profile_url: address, path } = await ucp('profile', 'init', '--name', version, '--version', version)
    profiles[address] = readFileSync(join(path, 'profile.json'), 'utf8')
  }
  const { origin } = await startUcpShop(t, profiles)

  for (const version of versions) {
    const shop = (...args: string[]) => ucp(...args, '--business', origin, '--profile', version)
    const cart = (...lines: [id: string, quantity: number][]) => [
      '--input',
      JSON.stringify({ line_items: lines.map(([id, quantity]) => ({ item: { id }, quantity })) })
    ]
    const linesOf = ({ result }: { result: { line_items: { item: { id: string }; quantity: number }[] } }) =>
      result.line_items.map(({ item, quantity }) => [item.id, quantity])

    const negotiated = { 'dev.ucp.shopping': { version, transport: 'mcp', endpoint: `${origin}/shop/ucp/mcp` } }
    t.match(await shop('discover'), { result: { protocol: { version }, negotiated } })
    const created = await shop('cart', 'create', ...cart(['MUG', 2]))
    t.match(created, { ucp: { version }, result: { totals: [{ amount: 2500 }, { amount: 2500 }] } })
    t.strictSame(linesOf(created), [['MUG', 2]])
    const refused = await shop('cart', 'create', ...cart(['MUG', 1], ['LAMP', 1]))
    const message = { code: 'out_of_stock', path: '$.line_items[1]' }
    t.match(refused, { ucp: { version, status: 'error' }, result: { messages: [message] } })
    const { id, continue_url: page } = created.result
    t.strictSame((await shop('cart', 'get', id)).result, created.result)
    const changed = await shop('cart', 'update', id, ...cart(['ROPE', 1], ['MUG', 3]))
    t.strictSame(linesOf(changed), [
      ['ROPE', 1],
      ['MUG', 3]
    ])
    t.strictSame(linesIn(await (await fetch(page)).text()), [
      { sku: 'ROPE', quantity: 1 },
      { sku: 'MUG', quantity: 3 }
    ])
    t.strictSame((await shop('cart', 'cancel', id)).result, changed.result)
    t.match(await shop('cart', 'get', id), { ucp: { status: 'error' }, result: { messages: [{ code: 'not_found' }] } })
  }
})

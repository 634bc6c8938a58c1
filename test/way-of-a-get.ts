// Lists the files of src/ that a GET of option 2B, which opens a checkout on a warm server, runs through: those of which a
// function is called, by V8's coverage.
import { Session } from 'node:inspector/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build, merchantFile } from './build.ts'
import { ROOT } from './node-process.ts'

const SRC = pathToFileURL(join(ROOT, 'src/')).href

const teardowns: (() => unknown)[] = []
const { app } = await build(
  { teardown: callback => void teardowns.push(callback) },
  { merchants: [merchantFile('2B')], rateLimit: { requestsPerMinute: 1000, trustedProxies: [] } }
)
const origin = await app.listen({ port: 0 })

async function sendBag(reference: string): Promise<void> {
  const query = { item_0_sku: 'MUG', item_0_quantity: '1', currency: 'GBP', reference }
  const { status } = await fetch(`${origin}/shop/cart?${new URLSearchParams(query)}`)
  if (status !== 200) throw new Error(`a bag was answered with ${status}`)
}

for (let i = 0; i < 20; i++) await sendBag(`warm-${i}`)
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await sendBag('counted')
const { result } = await session.post('Profiler.takePreciseCoverage')
const files = result
  .filter(({ url, functions }) => url.startsWith(SRC) && functions.some(({ ranges }) => ranges.some(r => r.count > 0)))
  .map(({ url }) => url.slice(SRC.length))
  .sort()
console.log([...files, `${files.length} files`].join('\n'))
for (const teardown of teardowns.reverse()) await teardown()

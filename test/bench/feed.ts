// npm run bench:feed: measures the time and memory that a large feed takes to load: node --expose-gc test/bench/feed.ts [products]
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadGenerated } from '../catalogue/generated-feed.ts'

const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-bench-'))
try {
  const loading = loadGenerated(Number(process.argv[2] ?? 100_000), folder)
  const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`
  console.log(`products      ${loading.products}`)
  console.log(`milliseconds  ${Math.round(loading.milliseconds)}, the longest wait ${Math.round(loading.longestWait)}`)
  console.log(`heap growth   ${megabytes(loading.heapGrowth)}`)
  console.log(`RSS growth    ${megabytes(loading.rssGrowth)}`)
} finally {
  rmSync(folder, { recursive: true })
}

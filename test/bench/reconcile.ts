// Measures the time and memory that reconciling takes: `node test/bench/reconcile.ts [rows]`, by default a million.
// Then the same with the orders in a list of the merchant's. `idle` is the first on a list of one row and a store of one
// order.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Run, referenceOf, runReconcile, writeList, writeMerchantList, writeOrders } from './many-orders.ts'

const count = Number(process.argv[2] ?? 1_000_000)
const folder = mkdtempSync(join(tmpdir(), 'reconcile-'))
const megabytes = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MB`
try {
  const at = (name: string) => join(folder, name)
  console.log(`writing ${count.toLocaleString('en-GB')} orders and their list …`)
  writeOrders(at('large.sqlite'), count)
  await writeList(at('large.csv'), count)
  await writeMerchantList(at('orders.csv'), count)
  writeOrders(at('small.sqlite'), 1)
  writeFileSync(at('small.csv'), `reference\n${referenceOf(0)}\n`)
  const idle = await runReconcile(folder, at('small.sqlite'), [at('small.csv')])
  const report = (run: Run) => {
    console.log(run.stdout.split('\n\n')[0])
    console.log(`exit code ${run.code}, ${run.seconds.toFixed(1)} s, CPU time ${run.cpuSeconds.toFixed(1)} s`)
    console.log(
      `peak ${megabytes(run.peak)}, idle ${megabytes(idle.peak)}, over idle ${megabytes(run.peak - idle.peak)}\n`
    )
  }
  report(await runReconcile(folder, at('large.sqlite'), [at('large.csv')]))
  report(await runReconcile(folder, at('large.sqlite'), [at('large.csv'), '--orders', at('orders.csv')]))
} finally {
  rmSync(folder, { recursive: true })
}

// Opens new databases from two threads at the same moment, many times over: a race between two servers that start
// together shows in some of the rounds.
import { Worker } from 'node:worker_threads'

export const ROUNDS = 60
const THREADS = 2

/** What each thread does: waits for the others, then opens the database of the round, `1.sqlite` and so on. */
const CODE = `
const { workerData: { folder, gate, module, rounds, threads }, parentPort } = require('node:worker_threads')
import(module).then(async ({ openSqlite }) => {
  const ready = new Int32Array(gate)
  for (let round = 1; round <= rounds; round++) {
    Atomics.add(ready, 0, 1)
    while (Atomics.load(ready, 0) < round * threads);
    try {
      const store = openSqlite(folder + '/' + round + '.sqlite')
      await store.checkReady()
      await store.close()
      parentPort.postMessage('opened')
    } catch (error) {
      parentPort.postMessage(error.message)
    }
  }
})`

/** @returns `opened` or the error message, for every attempt */
export async function atOnce(folder: string, module: URL): Promise<string[]> {
  const results: string[] = []
  const gate = new SharedArrayBuffer(4)
  const workerData = { folder, gate, module: module.href, rounds: ROUNDS, threads: THREADS }
  const workers = Array.from({ length: THREADS }, () => new Worker(CODE, { eval: true, workerData }))
  await Promise.all(
    workers.map(worker => {
      worker.on('message', result => results.push(result))
      return new Promise((resolve, reject) => worker.once('exit', resolve).once('error', reject))
    })
  )
  return results
}

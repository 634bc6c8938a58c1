// The load generator as a process: runs each job that its parent sends, and sends back the result or the error.
import { type Job, runLoad } from './load.ts'

process.on('message', async (job: Job) => {
  try {
    process.send?.({ result: await runLoad(job) })
  } catch (error) {
    process.send?.({ error: (error as Error).message })
  }
})
process.on('disconnect', () => process.exit())

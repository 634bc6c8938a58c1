// The load generator in a process of its own, on the core that the servers do not use.
import { once } from 'node:events'
import { startNode, stopNode } from './children.ts'
import { type Job, type LoadResult, runLoad } from './load.ts'

export type LoadClient = {
  /** @throws if an answer was wrong or a connection broke */
  run: (job: Job) => Promise<LoadResult>
  stop: () => Promise<void>
}

export function startLoad(): LoadClient {
  const child = startNode('load', [import.meta.filename], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced'
  })
  return {
    run: async job => {
      child.send(job)
      const [{ result, error }] = await once(child, 'message')
      if (error !== undefined) throw new Error(error)
      return result
    },
    stop: () => stopNode(child)
  }
}

if (import.meta.main) {
  process.on('message', async (job: Job) => {
    try {
      process.send?.({ result: await runLoad(job) })
    } catch (error) {
      process.send?.({ error: (error as Error).message })
    }
  })
  process.on('disconnect', () => process.exit())
}

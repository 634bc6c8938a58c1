// The load generator in a process of its own, on the core that the servers do not use.
import { once } from 'node:events'
import { join } from 'node:path'
import { startNode, stopNode } from './children.ts'
import type { Job, LoadResult } from './load.ts'

export type LoadClient = {
  /** @throws if an answer was wrong or a connection broke */
  run: (job: Job) => Promise<LoadResult>
  stop: () => Promise<void>
}

export function startLoad(): LoadClient {
  const script = join(import.meta.dirname, 'load-process.ts')
  const child = startNode('load', [script], {
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

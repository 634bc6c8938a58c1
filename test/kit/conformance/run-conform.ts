// Runs `npm run conform` as a process.
import { type NodeProcess, type NodeRun, preloadFlags, runNode } from '../../node-process.ts'

export type Run = {
  folder: string
  args: string[]
  env?: Record<string, string>
  preload?: string
  coverage?: boolean
  onStart?: (child: NodeProcess) => void
}

export function runConform({ folder, args, env = {}, preload, coverage = false, onStart }: Run): Promise<NodeRun> {
  const flags = preload ? preloadFlags(preload) : []
  const options = { env: { ...process.env, INIT_CWD: folder, ...env }, coverage }
  return runNode([...flags, 'src/cli/conform.ts', ...args], options, onStart)
}

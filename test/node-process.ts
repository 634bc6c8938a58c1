// Starts Node as a process of its own, without what tap adds to every process that a test starts: with its hooks and
// coverage a start of the server takes four times the CPU (2.7 s instead of 0.6 s).
import { type ChildProcessByStdio, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

export const ROOT = join(import.meta.dirname, '..')

const WITHOUT_TAP = ['-u', 'NODE_OPTIONS', '-u', 'NODE_DISABLE_COMPILE_CACHE']
const COMPILE_CACHE = join(ROOT, 'node_modules/.cache/node')

export type NodeOptions = Pick<SpawnOptions, 'cwd' | 'env' | 'stdio'> & {
  /** Counts what the process runs as covered; only for tests that alone reach a line. */
  coverage?: boolean
}

/** The words of a command that runs `node …args` without tap's hooks. */
export function nodeCommand(args: string[], compileCache = COMPILE_CACHE): string[] {
  return ['env', ...WITHOUT_TAP, `NODE_COMPILE_CACHE=${compileCache}`, process.execPath, ...args]
}

/** Keeps tap from reading every file of every package once more: a covered start takes 1.8 s of CPU instead of 2.7 s. */
const ONLY_OUR_FILES = { _TAPJS_PROCESSINFO_EXCLUDE_: '/[\\\\/]node_modules[\\\\/]/' }

/** Starts `node …args` in the project's folder; its streams are pipes unless `stdio` says otherwise. */
export function spawnNode(
  args: string[],
  { coverage = false, env = process.env, ...options }: NodeOptions = {}
): NodeProcess {
  const [command = '', ...words] = coverage ? [process.execPath, ...args] : nodeCommand(args, env.NODE_COMPILE_CACHE)
  return spawn(command, words, {
    cwd: ROOT,
    env: { ...env, ...(coverage && ONLY_OUR_FILES) },
    ...options
  }) as NodeProcess
}

export type NodeProcess = ChildProcessByStdio<Writable, Readable, Readable>

/** The flags that run this JavaScript before the program. */
export function preloadFlags(script: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(script)}`]
}

export type NodeRun = { code: number | null; stdout: string; stderr: string }

/** Runs `node …args` to its end. */
export async function runNode(
  args: string[],
  options: Omit<NodeOptions, 'stdio'> = {},
  onStart?: (child: NodeProcess) => void
): Promise<NodeRun> {
  const child = spawnNode(args, options)
  onStart?.(child)
  child.stdin.end()
  const [stdout, stderr, [code]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

async function textOf(stream: Readable): Promise<string> {
  return (await stream.setEncoding('utf8').toArray()).join('')
}

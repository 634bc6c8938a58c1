// Runs `node src/server.ts` as a separate process, as an operator does, and never leaves one behind.
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Test } from 'tap'
import { preloadFlags, ROOT, spawnNode } from './node-process.ts'
import { until } from './until.ts'

const STOP_TIMEOUT = 10_000

/** A test, or whatever else knows when it is over. */
export type Cleanup = Pick<Test, 'teardown'>

export type Command = {
  /** Relative paths start here, and the database is here. */
  folder: string
  args?: string[]
  env?: Record<string, string | undefined>
  /** The working directory; by default the project's, as under npm. */
  cwd?: string
  /** JavaScript that runs in the process before the server starts. */
  preload?: string
  /** Counts what the server runs as covered; only for tests that alone reach a line. */
  coverage?: boolean
  /** How large its heap may become, in MiB. */
  heap?: number
}

export type Exit = { code: number | null; signal: NodeJS.Signals | null }

/** What the server prints for a merchant. */
export type Printed = { name: string; option: string; address: string; curl: string }

export type ServerProcess = {
  child: ChildProcess
  exited: Promise<Exit>
  /** Standard output and error so far. */
  output: () => { out: string; err: string }
  logs: () => Record<string, unknown>[]
}

export type RunningServer = ServerProcess & {
  /** Scheme, host and port on which it listens. */
  origin: string
  printed: Printed[]
  stop: (signal?: NodeJS.Signals) => Promise<Exit>
}

/** A `preload` with which `DRAIN_SECONDS` last until the server gets SIGWINCH: nothing depends on how fast a test is. */
export const HELD_DRAIN = `
  import { syncBuiltinESMExports } from 'node:module'
  import timers from 'node:timers/promises'
  const { setTimeout } = timers
  timers.setTimeout = (time, ...rest) =>
    time === process.env.DRAIN_SECONDS * 1000
      ? new Promise(resolve => process.once('SIGWINCH', resolve))
      : setTimeout(time, ...rest)
  syncBuiltinESMExports()`

/** Processes to kill if a test file exits before its teardowns have run. */
const running = new Set<ChildProcess>()

function killAll(): void {
  for (const child of running) child.kill('SIGKILL')
}

/** Starts the process; it is stopped when the test ends. */
export function spawnServer(
  t: Cleanup,
  { folder, args = [], env = {}, cwd, preload, coverage = false, heap }: Command
): ServerProcess {
  const flags = [
    ...(preload ? preloadFlags(preload) : []),
    ...(heap === undefined ? [] : [`--max-old-space-size=${heap}`])
  ]
  const child = spawnNode([...flags, join(ROOT, 'src/server.ts'), ...args], {
    coverage,
    ...(cwd !== undefined && { cwd }),
    env: {
      ...process.env,
      HOST: undefined,
      LOG_LEVEL: undefined,
      SIMULATOR: undefined,
      SIMULATOR_KEY: undefined,
      DRAIN_SECONDS: '0',
      INIT_CWD: folder,
      PORT: '0',
      DATABASE_URL: `sqlite:${join(folder, 'shop.sqlite')}`,
      ...env
    }
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    err += text
  })
  const exited = new Promise<Exit>(resolve => child.on('close', (code, signal) => resolve({ code, signal })))
  const killNow = () => child.kill('SIGKILL')
  if (running.size === 0) process.once('exit', killAll)
  running.add(child)
  t.teardown(async () => {
    const timer = setTimeout(killNow, STOP_TIMEOUT)
    child.kill('SIGTERM')
    await exited
    clearTimeout(timer)
    running.delete(child)
    if (running.size === 0) process.off('exit', killAll)
  })
  // Without the last part, which is a line still being written, or empty.
  const logs = () =>
    out
      .split('\n')
      .slice(0, -1)
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line))
  return { child, exited, output: () => ({ out, err }), logs }
}

/** Starts the server and waits until it has printed its merchants: one per file, or those of the four demos, one of which has three ways in. */
export async function startServer(t: Cleanup, command: Command): Promise<RunningServer> {
  const server = spawnServer(t, command)
  const { child, exited, output } = server
  const count = command.args?.length || 6
  let printed: Printed[] = []
  await until('the server to start', () => {
    if (child.exitCode !== null) throw new Error(`the server exited: ${output().err}`)
    printed = [
      ...output().err.matchAll(/^(.+): option (.+)\n {2}(http.+)\n(?: {2}(?:MCP|Profile): .+\n)*? {2}(curl .+)\n/gm)
    ].map(([, name = '', option = '', address = '', curl = '']) => ({ name, option, address, curl }))
    return printed.length >= count
  })
  const [, origin = ''] = /'(http:\/\/[^/']+)[^']*'$/.exec(printed[0]?.curl ?? '') ?? []
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal)
    return exited
  }
  return { ...server, origin, printed, stop }
}

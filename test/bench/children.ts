// The processes of a benchmark: on a core each, without the environment of a test runner, never left behind; and their CPU
// time and memory, from Linux's /proc.
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'

const running = new Set<ChildProcess>()
const folders = new Set<string>()

/** Whether servers and load can have a core each. */
export const isPinned = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0
const SERVER_CORE = '0'
const LOAD_CORE = '1'

/** The environment without what a test runner adds: coverage makes a process many times slower. */
export function cleanEnvironment(): NodeJS.ProcessEnv {
  const { NODE_OPTIONS: _options, NODE_V8_COVERAGE: _coverage, ...rest } = process.env
  return Object.fromEntries(
    Object.entries(rest).filter(([name]) => !/^(_?TAP|npm_|LOG_LEVEL|HOST|SIMULATOR)/.test(name))
  )
}

/** Starts Node with these arguments; a process that is `free` may use every core. If it fails, its errors are printed. */
export function startNode(role: 'server' | 'load' | 'free', args: string[], options: SpawnOptions = {}): ChildProcess {
  const command = [process.execPath, ...args]
  const pinned =
    isPinned && role !== 'free' ? ['taskset', '-c', role === 'server' ? SERVER_CORE : LOAD_CORE, ...command] : command
  const child = spawn(String(pinned[0]), pinned.slice(1), {
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: join(import.meta.dirname, '../..'),
    ...options,
    env: { ...cleanEnvironment(), NODE_ENV: 'production', ...options.env }
  })
  running.add(child)
  let said = ''
  child.stderr?.setEncoding('utf8').on('data', text => {
    said += text
  })
  child.once('close', code => {
    running.delete(child)
    // A server that is stopped has said its addresses only.
    if (code) process.stderr.write(said)
  })
  return child
}

/** Stops a process at once: nothing of it is needed any more. */
export function stopNode(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve()
    child.once('exit', () => resolve())
    child.kill('SIGKILL')
  })
}

/** A folder that is gone when this process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-bench-'))
  folders.add(folder)
  return folder
}

/** Ends every process and deletes every folder. */
export function cleanUp(): void {
  for (const child of running) child.kill('SIGKILL')
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  folders.clear()
}

/** Moves this process to the core of the load, if it is the load itself. What it starts as `free` then stays there too. */
export function moveAside(): void {
  if (isPinned) spawnSync('taskset', ['-p', '-c', LOAD_CORE, String(process.pid)])
}

/** Cleans up however this process ends. */
export function cleanUpAtExit(): void {
  process.once('exit', cleanUp)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
}

export type ProcessUsage = {
  /** What its threads have run so far, in milliseconds. */
  cpuMs: number
  /** Resident memory now, and at its highest, in bytes. */
  rss: number
  peak: number
}

const NOTHING: ProcessUsage = { cpuMs: Number.NaN, rss: Number.NaN, peak: Number.NaN }

export function readProcess(pid: number | undefined): ProcessUsage {
  if (pid === undefined || process.platform !== 'linux') return NOTHING
  const threads = readdirSync(`/proc/${pid}/task`)
  // In nanoseconds, where `stat` has steps of 10 ms: half of what a short round takes of a quick server.
  const times = threads.map(thread =>
    Number.parseInt(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1'), 10)
  )
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
  return { cpuMs: times.reduce((sum, time) => sum + time, 0) / 1e6, rss: kilobytes('VmRSS'), peak: kilobytes('VmHWM') }
}

// The programs that a run starts: each in a process group of its own, and none left behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../until.ts'

export type Program = {
  /** Ends it at once, with everything that it has started. */
  kill: () => Promise<void>
}

export type Start = {
  command: string
  args: string[]
  cwd: string
  env?: Record<string, string | undefined>
  /** The file that its output is appended to. */
  log: string
}

/** In milliseconds. */
const INSTALL_TIMEOUT = 10 * 60_000

const running = new Set<ChildProcess>()
const folders = new Set<string>()

function start({ command, args, cwd, env = {}, log }: Start): ChildProcess {
  const out = openSync(log, 'a')
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', out, out],
    detached: true
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid === undefined || exitCode !== null || signalCode !== null) return
  process.kill(-pid, 'SIGKILL')
}

/** Runs a program to its end. @returns its exit code @throws if it takes longer, in milliseconds */
export async function runProgram(start_: Start, timeout: number): Promise<number> {
  const child = start(start_)
  const timer = setTimeout(() => killGroup(child), timeout)
  const [code] = (await once(child, 'exit')) as [number | null]
  clearTimeout(timer)
  if (code === null) throw new Error(`${start_.args[0]} was stopped after ${timeout / 1000} s:\n${tail(start_.log)}`)
  return code
}

/** Whether anything but a 5xx comes from this address. */
async function answers(url: string): Promise<boolean> {
  const status = (await fetch(url).catch(() => undefined))?.status ?? 0
  return status > 0 && status < 500
}

/** Starts a program, and waits until it is ready: until it answers, if that is an address. */
export async function startProgram(
  start_: Start,
  ready: string | (() => Promise<boolean>),
  timeout: number
): Promise<Program> {
  const child = start(start_)
  const isReady = typeof ready === 'string' ? () => answers(ready) : ready
  await until(
    `${start_.command} ${start_.args[0]} to be ready`,
    () => {
      if (child.exitCode !== null) throw new Error(`${start_.args[0]} has exited:\n${tail(start_.log)}`)
      return isReady()
    },
    timeout
  )
  const exited = once(child, 'exit')
  return {
    kill: async () => {
      killGroup(child)
      await exited
    }
  }
}

/** The end of what a program has printed. */
function tail(log: string): string {
  return readFileSync(log, 'utf8').slice(-2000)
}

/** Makes a folder with what npm installs. @param packages of its package.json */
export async function npmInstall(
  folder: string,
  packages: { dependencies: Record<string, string>; overrides?: Record<string, string> }
): Promise<void> {
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, ...packages }))
  const log = join(folder, 'install.log')
  const npm = { command: 'npm', args: ['install', '--no-audit', '--no-fund'], cwd: folder, log }
  if ((await runProgram(npm, INSTALL_TIMEOUT)) !== 0) throw new Error(`npm install failed: see ${log}`)
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'cart-transfer-shops-'))
  folders.add(folder)
  return folder
}

/** Ends every program and deletes every folder, however this process ends. */
export function cleanUpAtExit(): void {
  process.once('exit', () => {
    for (const child of running) killGroup(child)
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(130))
}

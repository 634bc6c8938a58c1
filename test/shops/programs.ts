// The programs that a run starts: each in a process group of its own, and none left behind.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
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

/** Starts a program, and waits until it answers at this address with anything but a 5xx. */
export async function startProgram(start_: Start, url: string, timeout: number): Promise<Program> {
  const child = start(start_)
  const answers = async () => {
    if (child.exitCode !== null) throw new Error(`${start_.args[0]} has exited:\n${tail(start_.log)}`)
    return (await fetch(url).catch(() => undefined))?.status ?? 0
  }
  await until(
    `${url} to answer`,
    async () => {
      const status = await answers()
      return status > 0 && status < 500
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

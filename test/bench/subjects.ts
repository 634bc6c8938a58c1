// What is measured: our server, the ceiling and the Express program, each as a process of its own.
import { type ChildProcess, execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../listen.ts'
import type { Bench } from './bench.ts'
import type { CeilingAnswer } from './ceiling.ts'
import { startNode, stopNode } from './children.ts'
import type { Job } from './load.ts'
import { pages, REFERENCE, transfers } from './requests.ts'

const ROOT = join(import.meta.dirname, '../..')
/** How long a server may take to start, in milliseconds: a million products take a while. */
const START_TIMEOUT = 180_000

export type Subject = {
  port: number
  child: ChildProcess
  pid: number
  /** Milliseconds from the start of the process to its first answer. */
  startedIn: number
  stop: () => Promise<void>
}

/**
 * Writes merchant files for shops like the demo in `config/harbour.json`, each with its option; the paths of a shop are
 * `/<id>/cart` and `/<id>/checkout`. @returns their paths
 */
export function writeShops(folder: string, feed: string, shops: Record<string, '1' | '2A' | '2B'>): string[] {
  const harbour = JSON.parse(readFileSync(join(ROOT, 'config/harbour.json'), 'utf8'))
  return Object.entries(shops).map(([id, option]) => {
    const file = join(folder, `${id}.json`)
    const settings = {
      ...harbour,
      $schema: undefined,
      id,
      publicUrl: `/${id}`,
      transfer: { option, path: '/cart' },
      catalogue: { feed },
      theme: { ...harbour.theme, logo: join(ROOT, 'config', harbour.theme.logo) }
    }
    writeFileSync(file, JSON.stringify(settings))
    return file
  })
}

type Command = { args: string[]; env?: Record<string, string>; log?: string; isFree?: boolean }

async function startSubject(name: string, command: (port: number) => Command, firstPage: string): Promise<Subject> {
  const port = await freePort()
  const started = performance.now()
  const { args, env = {}, log = '/dev/null', isFree = false } = command(port)
  const out = openSync(log, 'a')
  const child = startNode(isFree ? 'free' : 'server', args, { env, stdio: ['ignore', out, 'pipe'] })
  closeSync(out)
  for (;;) {
    try {
      const { status } = await fetch(`http://127.0.0.1:${port}${firstPage}`)
      if (status < 500) break
    } catch {
      if (child.exitCode !== null) throw new Error(`${name} did not start`)
      if (performance.now() - started > START_TIMEOUT) throw new Error(`${name} does not answer`)
    }
    await new Promise(resolve => setTimeout(resolve, 2))
  }
  const startedIn = performance.now() - started
  return { port, child, pid: Number(child.pid), startedIn, stop: () => stopNode(child) }
}

export type OwnServer = {
  merchants: string[]
  /** The path of an SQLite file. */
  database: string
  /** A library to preload, and its settings. */
  env?: Record<string, string>
  /** The file that it logs to. */
  log?: string
  /** Whether it may use every core. */
  isFree?: boolean
}

/** What `npm start` runs, by package.json. Its paths begin at the project, where every process here is started. */
function startArguments(): string[] {
  const { start }: { start: string } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts
  return start.split(' ').slice(1)
}

/** Our server as an operator starts it; without merchants, the demo. */
export function startOurs({ merchants, database, env = {}, ...rest }: OwnServer): Promise<Subject> {
  const command = (port: number) => ({
    ...rest,
    args: [...startArguments(), ...merchants],
    env: { ...env, PORT: String(port), DATABASE_URL: `sqlite:${database}` }
  })
  return startSubject('ours', command, '/healthz')
}

export function startExpress(feed: string, database: string): Promise<Subject> {
  const script = join(import.meta.dirname, 'express.ts')
  return startSubject('Express', port => ({ args: [script, String(port), feed, database] }), '/cart')
}

export function startCeiling(folder: string, answers: Record<string, CeilingAnswer>): Promise<Subject> {
  const file = join(folder, 'answers.json')
  writeFileSync(file, JSON.stringify(answers))
  const script = join(import.meta.dirname, 'ceiling.ts')
  return startSubject('ceiling', port => ({ args: [script, String(port), file] }), '/')
}

/** Headers that node:http writes by itself. */
const AUTOMATIC = new Set(['date', 'connection', 'keep-alive'])

/** Records what a server answers to a request, so that the ceiling can answer the same. */
export async function recordAnswer(port: number, path: string, init: RequestInit = {}): Promise<CeilingAnswer> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init)
  if (response.status !== 200) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`)
  const headers = [...response.headers].filter(([name]) => !AUTOMATIC.has(name))
  return { headers, body: await response.text() }
}

/** Compiles the library that plays a slow disk; undefined if there is no C compiler. */
export function compileSlowDisk(folder: string): string | undefined {
  const library = join(folder, 'slow-disk.so')
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, join(import.meta.dirname, 'slow-disk.c'), '-ldl'])
    return library
  } catch {
    return undefined
  }
}

/** Clients that load a server to its limit: 256 get no more answers out of ours, 32 leave it waiting for its disk. */
export const CLIENTS = 128
/** Checkout pages that are shown again. */
const SHOWN_PAGES = 64

export type JobName = '2B' | 'ceiling GET' | 'Express' | 'option 1' | 'ceiling POST' | 'page'

export type Servers = {
  ours: Subject
  express: Subject
  ceiling: Subject
  /** The jobs whose ratios count: 10 lines each. */
  jobs: Record<JobName, Omit<Job, 'seconds' | 'warmUpSeconds'>>
}

/** The path and the body of a prepared request. */
function parts(request: string): { path: string; body: string } {
  const [head = '', body = ''] = request.split('\r\n\r\n')
  return { path: head.split(' ')[1] ?? '', body }
}

const postJson = (body: string) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body })

/** Opens a checkout for each of these bags. @returns the paths of their pages */
async function openCheckouts(ours: Subject, requests: string[]): Promise<string[]> {
  const paths: string[] = []
  for (const [i, request] of requests.entries()) {
    const { path, body } = parts(request)
    const init = postJson(body.replace(REFERENCE, i.toString(16).padStart(32, '0')))
    const answer = await recordAnswer(ours.port, path, init)
    paths.push(`/one/checkout/${/"token=([\w-]+)"/.exec(answer.body)?.[1]}`)
  }
  return paths
}

export async function startServers({ folder, feed, products }: Bench): Promise<Servers> {
  const merchants = writeShops(folder, feed, { one: '1', 'two-a': '2A', 'two-b': '2B' })
  const ours = await startOurs({ merchants, database: join(folder, 'ours.sqlite') })
  const express = await startExpress(feed, join(folder, 'express.sqlite'))

  const query = transfers({ option: '2B', lines: 10, products, path: '/two-b/cart' })
  const json = transfers({ option: '1', lines: 10, products, path: '/one/cart' })
  const description = parts(json.requests[0] ?? '')
  const ceiling = await startCeiling(folder, {
    '/two-b/cart': await recordAnswer(ours.port, parts(query.requests[0] ?? '').path, {
      headers: { 'accept-language': 'en-GB,en;q=0.9' }
    }),
    '/one/cart': await recordAnswer(ours.port, description.path, postJson(description.body))
  })
  const shown = pages(await openCheckouts(ours, json.requests.slice(0, SHOWN_PAGES)), 10)
  const to = ({ port, pid }: Subject) => ({ port, pid, mode: 'closed', connections: CLIENTS }) as const
  const inExpress = transfers({ option: '2B', lines: 10, products, path: '/cart' })
  const jobs: Servers['jobs'] = {
    '2B': { ...to(ours), kind: query },
    'ceiling GET': { ...to(ceiling), kind: { ...query, name: 'ceiling', echoes: false } },
    Express: { ...to(express), kind: { ...inExpress, name: 'Express' } },
    'option 1': { ...to(ours), kind: json },
    'ceiling POST': { ...to(ceiling), kind: { ...json, name: 'ceiling' } },
    page: { ...to(ours), kind: shown }
  }
  return { ours, express, ceiling, jobs }
}

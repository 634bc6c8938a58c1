// The servers that most series share, and the jobs that load them.
import { join } from 'node:path'
import type { Bench } from './bench.ts'
import { REFERENCE } from './kinds.ts'
import type { Job } from './load.ts'
import { pages, transfers } from './requests.ts'
import { recordAnswer, SHOPS, type Subject, startCeiling, startExpress, startOurs, writeShops } from './subjects.ts'

/** Clients that load a server to its limit: 256 get no more answers out of ours, 32 leave it waiting for its disk. */
export const CLIENTS = 128
/** Checkout pages that are shown again. */
const SHOWN_PAGES = 64
const LANGUAGE = { 'accept-language': 'en-GB,en;q=0.9' }

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

/** Opens checkouts of 10 lines. @returns the paths of their pages */
export async function openCheckouts(ours: Subject, products: number): Promise<string[]> {
  const kind = transfers({ option: '1', lines: 10, products, path: '/one/cart' })
  const paths: string[] = []
  for (const [i, request] of kind.requests.slice(0, SHOWN_PAGES).entries()) {
    const { path, body } = parts(request)
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: body.replace(REFERENCE, i.toString(16).padStart(32, '0'))
    }
    const answer = await recordAnswer(ours.port, path, init)
    paths.push(`/one/checkout/${/"token=([\w-]+)"/.exec(answer.body)?.[1]}`)
  }
  return paths
}

export async function startServers({ folder, feed, products }: Bench): Promise<Servers> {
  const merchants = writeShops(folder, feed, SHOPS)
  const ours = await startOurs({ merchants, database: join(folder, 'ours.sqlite') })
  const express = await startExpress(feed, join(folder, 'express.sqlite'))

  const query = transfers({ option: '2B', lines: 10, products, path: '/two-b/cart' })
  const json = transfers({ option: '1', lines: 10, products, path: '/one/cart' })
  const description = parts(json.requests[0] ?? '')
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: description.body }
  const ceiling = await startCeiling(folder, {
    '/two-b/cart': await recordAnswer(ours.port, parts(query.requests[0] ?? '').path, { headers: LANGUAGE }),
    '/one/cart': await recordAnswer(ours.port, description.path, post)
  })
  const shown = pages(await openCheckouts(ours, products), 10)
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

// The load generator. It sends prepared requests over raw sockets, checks every answer, and measures.
//
// - closed: each of N clients sends its next request when its answer has arrived: how much a server can do.
// - fresh: the same with a new connection for each request, as a proxy without keep-alive does.
// - open: requests are due at a fixed rate, whatever the server does. Latency counts from when a request was due, not
//   from when it could be sent, so that a pause of the server is in the latency of all requests that it delayed.
import { type Client, openClient } from './connection.ts'
import { type Latencies, openMeter } from './meter.ts'
import { type Kind, requestsOf } from './requests.ts'

export type Job = {
  port: number
  mode: 'closed' | 'fresh' | 'open'
  kind: Kind
  connections: number
  /** Requests a second, if `open`. */
  rate?: number
  warmUpSeconds: number
  /** How long it measures; with `count`, at most. An open load is longer: every request that was due is answered. */
  seconds: number
  count?: number
  /** How many answers it measures at least, however long that takes on a busy machine. */
  least?: number | undefined
  /** The process whose CPU time is measured. */
  pid?: number
}

export type LoadResult = {
  requests: number
  perSecond: number
  /** Of the server, in microseconds. */
  cpuPerRequest: number
  /** Of the load generator itself: the share of one core. */
  ownCpuShare: number
  bytesPerAnswer: number
  latencies: Latencies
}

/** A server that does not answer for so long is broken, in milliseconds. */
const PATIENCE = 20_000

/** Sends what is due, at a fixed rate. It polls shortly before a request is due: timers are a millisecond late. */
function sendAtRate(rate: number, idle: Client[], seconds: number, onAllSent: () => void): void {
  const startedAt = performance.now()
  const total = Math.floor(seconds * rate)
  const dueAt = (n: number) => startedAt + (n * 1000) / rate
  let sent = 0
  function sendDue(): void {
    while (sent < total && idle.length > 0 && dueAt(sent) <= performance.now()) idle.shift()?.send(dueAt(sent++))
    const wait = dueAt(sent) - performance.now()
    if (sent === total) onAllSent()
    else if (wait > 3) setTimeout(sendDue, wait - 2)
    else setImmediate(sendDue)
  }
  sendDue()
}

/** @throws if any answer is wrong, or a connection breaks */
export async function runLoad(job: Job): Promise<LoadResult> {
  const { mode, kind, connections, rate = 0, warmUpSeconds, seconds, count = Infinity, least = 32 } = job
  const { promise, resolve, reject } = Promise.withResolvers<LoadResult>()
  const requests = requestsOf(kind)
  const meter = openMeter(job)
  const idle: Client[] = []
  const timers: NodeJS.Timeout[] = []
  const after = (duration: number, work: () => void) => timers.push(setTimeout(work, duration * 1000))
  /**
   * First every client has one answer: until then its connection may not have been accepted, and those that have would
   * keep the server from it. In the end every request is answered, so that the next job finds a server without work.
   */
  let phase: 'connecting' | 'sending' | 'draining' = 'connecting'
  let lastAnswer = performance.now()

  function start(): void {
    phase = 'sending'
    if (warmUpSeconds === 0) meter.begin()
    else after(warmUpSeconds, meter.begin)
    if (mode === 'open') {
      sendAtRate(rate, idle, warmUpSeconds + seconds, () => {
        phase = 'draining'
      })
    } else {
      after(warmUpSeconds + seconds, stopIfEnough)
      for (const client of idle.splice(0)) client.send(performance.now())
    }
  }
  function stopSending(): void {
    meter.end()
    phase = 'draining'
  }
  function stopIfEnough(): void {
    if (meter.counted() >= least) stopSending()
    else after(seconds, stopIfEnough)
  }
  function onAnswer(client: Client, { due, bytes }: { due: number; bytes: number }): void {
    lastAnswer = performance.now()
    meter.count(due, bytes)
    if (phase === 'sending' && meter.counted() >= count) stopSending()
    if (phase === 'sending' && mode !== 'open') client.send(lastAnswer)
    else if (idle.push(client) === connections) {
      if (phase === 'connecting') start()
      else if (phase === 'draining') resolve(meter.result())
    }
  }
  const events = { onReady: (client: Client) => client.send(performance.now()), onAnswer, onError: reject }
  const clients = Array.from({ length: connections }, () => openClient(job, requests, events))
  const watch = setInterval(() => {
    if (performance.now() - lastAnswer > PATIENCE) reject(new Error(`no answer in ${PATIENCE / 1000} seconds`))
  }, 1000)
  try {
    return await promise
  } finally {
    clearInterval(watch)
    for (const timer of timers) clearTimeout(timer)
    for (const client of clients) client.close()
  }
}

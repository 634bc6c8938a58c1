// The load generator. It sends prepared requests over raw sockets, checks every answer, and measures.
//
// - closed: each of N clients sends its next request when its answer has arrived: how much a server can do.
// - fresh: the same with a new connection for each request, as a proxy without keep-alive does.
// - open: requests are due at a fixed rate, whatever the server does. Latency counts from when a request was due, not
//   from when it could be sent, so that a pause of the server is in the latency of all requests that it delayed.
import { type Answer, type Connection, openConnection } from './connection.ts'
import { checkAnswer, type Kind, requestsOf, type Written } from './kinds.ts'
import { type Latencies, latenciesOf } from './latencies.ts'
import { readProcess } from './measure-process.ts'

export type Job = {
  port: number
  mode: 'closed' | 'fresh' | 'open'
  kinds: Kind[]
  connections: number
  /** Requests a second, if `open`. */
  rate?: number
  warmUpSeconds: number
  /** How long it measures; with `count`, at most. */
  seconds: number
  count?: number
  /** The process whose CPU time is measured. */
  pid?: number
}

export type LoadResult = {
  requests: number
  seconds: number
  perSecond: number
  /** Of the server: microseconds for each request, and the share of one core. */
  cpuPerRequest: number
  cpuShare: number
  /** Of the load generator itself. */
  ownCpuShare: number
  bytesPerAnswer: number
  latencies: Record<string, Latencies>
}

/** One body in so many is read, as well as the first of each client. */
const CHECK_EVERY = 61
/** A server that does not answer for so long is broken, in milliseconds. */
const PATIENCE = 20_000

/**
 * Runs one job.
 * @throws if any answer is wrong, or a connection breaks
 */
export function runLoad(job: Job): Promise<LoadResult> {
  const { port, mode, kinds, connections, rate = 0, warmUpSeconds, seconds, count = Infinity, pid } = job
  const { longest, writeNext } = requestsOf(kinds)
  const times = new Map(kinds.map(({ name }) => [name, [] as number[]]))

  return new Promise((resolve, reject) => {
    const open = new Set<Connection>()
    const idle: ((due: number) => void)[] = []
    let answered = 0
    let bytes = 0
    let since = 0
    let cpu = 0
    let own = process.cpuUsage()
    let isDone = false
    let lastAnswer = performance.now()

    const watch = setInterval(() => {
      if (performance.now() - lastAnswer > PATIENCE) fail(new Error(`no answer for ${PATIENCE / 1000} seconds`))
    }, 1000)
    const begin = setTimeout(() => {
      for (const list of times.values()) list.length = 0
      answered = 0
      bytes = 0
      own = process.cpuUsage()
      cpu = readProcess(pid).cpuMs
      since = performance.now()
    }, warmUpSeconds * 1000)
    const end = setTimeout(finish, (warmUpSeconds + seconds) * 1000)

    function stop(): void {
      isDone = true
      clearInterval(watch)
      clearTimeout(begin)
      clearTimeout(end)
      for (const connection of open) connection.close()
    }
    function fail(error: Error): void {
      if (isDone) return
      stop()
      reject(error)
    }
    function finish(): void {
      if (isDone) return
      const elapsed = performance.now() - since
      const used = readProcess(pid).cpuMs - cpu
      const { user, system } = process.cpuUsage(own)
      stop()
      if (answered === 0) reject(new Error('no request was answered'))
      resolve({
        requests: answered,
        seconds: elapsed / 1000,
        perSecond: (answered * 1000) / elapsed,
        cpuPerRequest: (used * 1000) / answered,
        cpuShare: used / elapsed,
        ownCpuShare: (user + system) / 1000 / elapsed,
        bytesPerAnswer: Math.round(bytes / answered),
        latencies: Object.fromEntries(Array.from(times, ([name, list]) => [name, latenciesOf(list)]))
      })
    }

    /** A client, which sends one request at a time. */
    function startClient(): void {
      const scratch = Buffer.alloc(longest)
      let written: Written | undefined
      let due = 0
      let checked = 0
      let connection = connectNow()

      function connectNow(): Connection {
        const made = openConnection(port, {
          onReady: mode === 'open' ? () => idle.push(send) : () => send(performance.now()),
          onAnswer,
          onError: fail
        })
        open.add(made)
        return made
      }
      function send(dueAt: number): void {
        written = writeNext(scratch)
        // Connecting counts too.
        due = mode === 'fresh' ? due || dueAt : dueAt
        connection.send(scratch.subarray(0, written.length), checked++ % CHECK_EVERY === 0)
      }
      function onAnswer(answer: Answer): void {
        if (isDone || !written) return
        const now = performance.now()
        checkAnswer(answer, written)
        const { kind } = written
        times.get(kind.name)?.push(now - due)
        lastAnswer = now
        bytes += answer.bytes
        answered += 1
        if (answered >= count) finish()
        else if (mode === 'closed') send(now)
        else if (mode === 'open') idle.push(send)
        else {
          connection.close()
          open.delete(connection)
          due = now
          connection = connectNow()
        }
      }
    }

    /** Sends what is due. It polls instead of sleeping: timers are a millisecond late. */
    function sendDue(): void {
      if (isDone) return
      const elapsed = performance.now() - startedAt
      while (idle.length > 0 && (scheduled * 1000) / rate <= elapsed) {
        idle.shift()?.(startedAt + (scheduled * 1000) / rate)
        scheduled += 1
      }
      setImmediate(sendDue)
    }
    let scheduled = 0
    const startedAt = performance.now()
    for (let i = 0; i < connections; i++) startClient()
    if (mode === 'open') sendDue()
  })
}

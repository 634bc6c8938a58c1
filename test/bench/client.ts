// A client of the load generator: it sends one request at a time, over one connection or over a new one each time.
import { type Answer, type Connection, openConnection } from './connection.ts'
import { checkAnswer, type Requests, type Written } from './kinds.ts'
import type { Job } from './load.ts'

export type Client = {
  /** Sends the next request, which was due at this time (`performance.now`). */
  send: (due: number) => void
  close: () => void
}

export type ClientAnswer = { due: number; bytes: number }

export type ClientEvents = {
  /** It is connected; a client with new connections is ready at once. */
  onReady: (client: Client) => void
  onAnswer: (client: Client, answer: ClientAnswer) => void
  /** The connection broke, or an answer was wrong. */
  onError: (error: Error) => void
}

/** One body in so many is read, and the first of each client. */
const CHECK_EVERY = 61

export function openClient({ port, mode, kind }: Job, requests: Requests, events: ClientEvents): Client {
  const isFresh = mode === 'fresh'
  const scratch = Buffer.alloc(requests.longest)
  let written: Written | undefined
  let due = 0
  let sent = 0
  let connection: Connection | undefined

  function write(): void {
    written = requests.writeNext(scratch)
    connection?.send(scratch.subarray(0, written.length), sent++ % CHECK_EVERY === 0)
  }
  function onAnswer(answer: Answer): void {
    if (!written) return
    checkAnswer(answer, kind, written)
    if (isFresh) connection?.close()
    events.onAnswer(client, { due, bytes: answer.bytes })
  }
  const connect = (onReady: () => void) =>
    openConnection(port, { onReady, onAnswer, onError: error => events.onError(error) })

  const client: Client = {
    send: dueAt => {
      due = dueAt
      if (isFresh) connection = connect(write)
      else write()
    },
    close: () => connection?.close()
  }
  const onReady = () => events.onReady(client)
  if (isFresh) queueMicrotask(onReady)
  else connection = connect(onReady)
  return client
}

// One connection of the load generator: HTTP/1.1 over a raw socket, one request at a time. It reads only what is needed
// to find the end of a response, because Node's own client takes more CPU time than the servers that are measured.
import { connect, type Socket } from 'node:net'
import type { Job } from './load.ts'
import { checkAnswer, type Requests, type Written } from './requests.ts'

export type Answer = {
  status: number
  /** The body's length. */
  bytes: number
  /** Only if the request asked for it. */
  body: string | undefined
}

export type Connection = {
  /** The bytes may be overwritten once the answer has arrived. */
  send: (bytes: Uint8Array, keepBody: boolean) => void
  close: () => void
}

export type ConnectionEvents = {
  onReady: () => void
  onAnswer: (answer: Answer) => void
  /** The connection broke, or was closed before an answer was complete. */
  onError: (error: Error) => void
}

/** Every socket reads into this one: what is needed of it is copied before the next read. */
const READ_BUFFER = Buffer.alloc(256 * 1024)
const HEAD_END = '\r\n\r\n'

/**
 * The body of a chunked response; undefined while it is incomplete.
 * @param bytes what follows the head
 */
export function readChunks(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd < 0) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (Number.isNaN(size)) throw new Error('a chunk has no size')
    const end = lineEnd + 2 + size
    if (bytes.length < end + 2) return undefined
    if (size === 0) return Buffer.concat(chunks)
    chunks.push(bytes.subarray(lineEnd + 2, end))
    at = end + 2
  }
}

export function openConnection(port: number, { onReady, onAnswer, onError }: ConnectionEvents): Connection {
  let waiting = false
  let keepBody = false
  /** What has arrived of a head, or of a chunked response. */
  let pending: Buffer[] = []
  /** How much of a body is still to come; undefined while the head is read. */
  let missing: number | undefined
  let status = 0
  let length = 0
  let body: Buffer[] = []

  function finish(bytes: number): void {
    const answer = { status, bytes, body: keepBody ? Buffer.concat(body).toString() : undefined }
    waiting = false
    missing = undefined
    pending = []
    body = []
    onAnswer(answer)
  }

  function readHead(bytes: Buffer): void {
    const end = bytes.indexOf(HEAD_END)
    if (end < 0) {
      pending = [Buffer.from(bytes)]
      return
    }
    const head = bytes.toString('latin1', 0, end)
    const start = end + HEAD_END.length
    status = Number(head.slice(9, 12))
    const [, sent] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
    if (sent !== undefined) {
      length = Number(sent)
      missing = length
      readBody(bytes.subarray(start))
    } else if (/\r\ntransfer-encoding: *chunked/i.test(head)) {
      const whole = readChunks(bytes.subarray(start))
      if (whole === undefined) pending = [Buffer.from(bytes)]
      else {
        body = [whole]
        finish(whole.length)
      }
    } else throw new Error('a response has neither a length nor chunks')
  }

  function readBody(bytes: Buffer): void {
    missing = Number(missing) - bytes.length
    if (keepBody) body.push(Buffer.from(bytes))
    if (missing === 0) finish(length)
    else if (missing < 0) throw new Error('a response is longer than it says')
  }

  function onBytes(bytes: Buffer): void {
    if (!waiting) throw new Error('a response that nobody asked for')
    if (missing !== undefined) readBody(bytes)
    else readHead(pending.length > 0 ? Buffer.concat([...pending, bytes]) : bytes)
  }

  const socket: Socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: READ_BUFFER,
      callback: (count: number) => {
        try {
          onBytes(READ_BUFFER.subarray(0, count))
        } catch (error) {
          fail(error as Error)
        }
        return true
      }
    }
  })
  function fail(error: Error): void {
    waiting = false
    socket.destroy()
    onError(error)
  }
  socket.once('connect', onReady)
  socket.on('error', fail)
  socket.on('close', () => {
    if (waiting) fail(new Error('the server closed the connection before its answer was complete'))
  })
  return {
    send: (bytes, keep) => {
      waiting = true
      keepBody = keep
      socket.write(bytes)
    },
    close: () => socket.destroy()
  }
}

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

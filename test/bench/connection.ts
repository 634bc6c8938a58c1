// One client of the load generator: HTTP/1.1 over a raw socket, one request at a time. It reads only what is needed to find
// the end of a response, because Node's own client takes more CPU time than the servers that are measured.
import { connect, type Socket } from 'node:net'
import type { Job } from './load.ts'
import { checkAnswer, type Requests, type Written } from './requests.ts'

export type Client = {
  /** Sends the next request, which was due at this time (`performance.now`). */
  send: (due: number) => void
  close: () => void
}

export type ClientEvents = {
  /** It is connected; a client with new connections is ready at once. */
  onReady: (client: Client) => void
  /** `bytes` is the body's length. */
  onAnswer: (client: Client, answer: { due: number; bytes: number }) => void
  /** The connection broke, or was closed before an answer was complete, or an answer was wrong. */
  onError: (error: Error) => void
}

/** Every socket reads into this one: what is needed of it is copied before the next read. */
const READ_BUFFER = Buffer.alloc(256 * 1024)
const HEAD_END = '\r\n\r\n'
const EMPTY = Buffer.alloc(0)

/** One body in so many is read, and the first of each client. */
const CHECK_EVERY = 61

export function openClient({ port, mode, kind }: Job, requests: Requests, events: ClientEvents): Client {
  const isFresh = mode === 'fresh'
  /** The bytes of a request may be overwritten once its answer has arrived. */
  const scratch = Buffer.alloc(requests.longest)
  let socket: Socket | undefined
  let due = 0
  let sent = 0
  /** The request that waits for its answer. */
  let written: Written | undefined
  let keepsBody = false
  /** What has arrived of a head. */
  let pending: Buffer = EMPTY
  /** How much of a body is still to come; undefined while the head is read. */
  let missing: number | undefined
  let status = 0
  let length = 0
  let body: Buffer[] = []

  function write(): void {
    written = requests.writeNext(scratch)
    keepsBody = sent++ % CHECK_EVERY === 0
    socket?.write(scratch.subarray(0, written.length))
  }

  function finish(bytes: number): void {
    checkAnswer({ status, body: keepsBody ? Buffer.concat(body).toString() : undefined }, kind, written as Written)
    written = undefined
    missing = undefined
    body = []
    if (isFresh) socket?.destroy()
    events.onAnswer(client, { due, bytes })
  }

  function readHead(bytes: Buffer): void {
    const end = bytes.indexOf(HEAD_END)
    if (end < 0) {
      pending = Buffer.from(bytes)
      return
    }
    pending = EMPTY
    const head = bytes.toString('latin1', 0, end)
    status = Number(head.slice(9, 12))
    const [, sized] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? []
    if (sized === undefined) throw new Error(`a response of status ${status} has no length`)
    length = Number(sized)
    missing = length
    readBody(bytes.subarray(end + HEAD_END.length))
  }

  function readBody(bytes: Buffer): void {
    missing = Number(missing) - bytes.length
    if (keepsBody) body.push(Buffer.from(bytes))
    if (missing === 0) finish(length)
    else if (missing < 0) throw new Error('a response is longer than it says')
  }

  function onBytes(bytes: Buffer): void {
    if (!written) throw new Error('a response that nobody asked for')
    if (missing !== undefined) readBody(bytes)
    else readHead(pending.length > 0 ? Buffer.concat([pending, bytes]) : bytes)
  }

  function open(onConnect: () => void): void {
    const opened = connect({
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
    socket = opened
    opened.once('connect', onConnect)
    opened.on('error', fail)
    opened.on('close', () => {
      if (written && socket === opened)
        fail(new Error('the server closed the connection before its answer was complete'))
    })
  }
  function fail(error: Error): void {
    written = undefined
    socket?.destroy()
    events.onError(error)
  }

  const client: Client = {
    send: dueAt => {
      due = dueAt
      if (isFresh) open(write)
      else write()
    },
    close: () => socket?.destroy()
  }
  const onReady = () => events.onReady(client)
  if (isFresh) queueMicrotask(onReady)
  else open(onReady)
  return client
}

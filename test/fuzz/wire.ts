// A client that sends bytes exactly as given, and reads answers as strictly as RFC 9112 allows: whatever a lenient client
// would forgive is an error.
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'

export type Answer = { status: number; headers: Record<string, string>; body: string }

/** The server does not speak HTTP, or does not answer. */
export class WireError extends Error {}

/** A server that does not answer or close for so long is broken, in milliseconds. */
const PATIENCE = 30_000
/** How long a server that got nonsense may think before the client sends no more, in milliseconds. */
const QUIET = 60
const SLICE = 64 * 1024

/** The whole answers at the start of some bytes, and how many bytes they are. @param isHead whether they have no body */
export function readAnswers(bytes: Buffer, isHead: boolean): { answers: Answer[]; end: number } {
  const answers: Answer[] = []
  let end = 0
  for (;;) {
    const headEnd = bytes.indexOf('\r\n\r\n', end)
    if (headEnd < 0) return { answers, end }
    const { status, headers } = readHead(bytes.toString('latin1', end, headEnd))
    const bodyStart = headEnd + 4
    const length = isHead || status < 200 || status === 204 || status === 304 ? 0 : readLength(headers)
    if (bytes.length < bodyStart + length) return { answers, end }
    end = bodyStart + length
    // An interim answer, such as 100, announces another.
    if (status >= 200) answers.push({ status, headers, body: bytes.toString('utf8', bodyStart, end) })
  }
}

function readHead(text: string): Omit<Answer, 'body'> {
  const [first = '', ...lines] = text.split('\r\n')
  const [, status] = /^HTTP\/1\.1 ([1-5]\d\d) [\t -~]*$/.exec(first) ?? []
  if (status === undefined) throw new WireError(`no status line: ${JSON.stringify(first.slice(0, 200))}`)
  const headers: Record<string, string> = Object.create(null)
  for (const line of lines) {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+): ?([\t -~\x80-\xff]*)$/.exec(line) ?? []
    if (name === undefined || value === undefined)
      throw new WireError(`no header: ${JSON.stringify(line.slice(0, 200))}`)
    const key = name.toLowerCase()
    if (key in headers) throw new WireError(`the header ${key} twice`)
    headers[key] = value
  }
  return { status: Number(status), headers }
}

function readLength(headers: Record<string, string>): number {
  const length = headers['content-length']
  if (length === undefined || !/^\d+$/.test(length) || 'transfer-encoding' in headers) {
    throw new WireError(`no Content-Length: ${JSON.stringify(headers)}`)
  }
  return Number(length)
}

export type Wire = {
  /**
   * Sends whole requests, and resolves to their answers: fewer than `count` only if the server closed the connection.
   */
  send: (bytes: Buffer, count: number, options?: { pieces?: number; isHead?: boolean }) => Promise<Answer[]>
  close: () => void
}

/** A connection that is kept alive, and opened again after the server has closed it. */
export function openWire(port: number): Wire {
  let socket: Socket | undefined
  return {
    send: async (bytes, count, { pieces = 1, isHead = false } = {}) => {
      const isUsed = socket !== undefined && !socket.destroyed && socket.writable
      if (!isUsed) socket = await open(port)
      const { answers, isClosed } = await exchange(socket as Socket, bytes, { pieces, isHead, count })
      if (isClosed || answers.at(-1)?.headers.connection === 'close') {
        socket?.destroy()
        socket = undefined
      }
      return answers
    },
    close: () => socket?.destroy()
  }
}

/**
 * Sends any bytes over a connection of their own, and resolves to every answer until the server closes it.
 * @param goesOn whether it goes on writing after an answer
 */
export async function sendBytes(port: number, bytes: Buffer, pieces: number, goesOn: boolean): Promise<Answer[]> {
  const socket = await open(port)
  const { answers } = await exchange(socket, bytes, { pieces, isHead: false, goesOn })
  socket.destroy()
  return answers
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  return socket
}

type Exchange = { pieces: number; isHead: boolean; count?: number; goesOn?: boolean }

/** Without a count, it reads until the server closes; nothing more is sent once the server has been quiet. */
function exchange(
  socket: Socket,
  bytes: Buffer,
  { pieces, isHead, count, goesOn = false }: Exchange
): Promise<{ answers: Answer[]; isClosed: boolean }> {
  return new Promise((resolve, reject) => {
    let received: Buffer = Buffer.alloc(0)
    const answers: Answer[] = []
    let isDone = false
    let lastSign = Infinity
    let isWritten = !goesOn
    const done = (error: Error | undefined, isClosed: boolean) => {
      if (isDone) return
      isDone = true
      clearTimeout(timer)
      clearInterval(watch)
      socket.removeAllListeners()
      // A reset after the end is nobody's fault.
      socket.on('error', () => {})
      if (error) {
        socket.destroy()
        reject(error)
      } else resolve({ answers, isClosed })
    }
    const timer = setTimeout(() => {
      done(new WireError(`no end after ${PATIENCE / 1000} s and ${answers.length} answers`), true)
    }, PATIENCE)
    const watch = setInterval(() => {
      if (count === undefined && isWritten && performance.now() - lastSign > QUIET) socket.end()
    }, QUIET)
    const onClose = () => {
      const rest = JSON.stringify(received.toString('latin1', 0, 200))
      done(received.length > 0 ? new WireError(`cut off: ${rest}`) : undefined, true)
    }
    socket.on('data', chunk => {
      lastSign = performance.now()
      try {
        received = received.length === 0 ? chunk : Buffer.concat([received, chunk])
        const { answers: read, end } = readAnswers(received, isHead)
        answers.push(...read)
        received = received.subarray(end)
        if (count !== undefined && answers.length > count) throw new WireError('an answer that nobody asked for')
        if (answers.length === count) {
          if (received.length > 0) throw new WireError('bytes after the last answer')
          done(undefined, false)
        }
      } catch (error) {
        done(error as Error, true)
      }
    })
    socket.on('close', onClose)
    // A server that refuses a large request may reset the connection.
    socket.on('error', onClose)
    void write(socket, bytes, pieces, () => isDone || (!goesOn && answers.length > 0)).then(() => {
      isWritten = true
      lastSign = performance.now()
    })
  })
}

/** Writes in pieces; of a large message, no more once an answer is there. */
async function write(socket: Socket, bytes: Buffer, pieces: number, isAnswered: () => boolean): Promise<void> {
  const size = Math.min(SLICE, Math.ceil(bytes.length / pieces))
  for (let at = 0; at < bytes.length; at += size) {
    if (socket.destroyed || (at > SLICE && isAnswered())) return
    const isFree = socket.write(bytes.subarray(at, at + size))
    if (!isFree) await Promise.race([new Promise(resolve => socket.once('drain', resolve)), pause(50)])
    else if (at + size < bytes.length) await nextTurn()
  }
}

// Sends bytes over a socket exactly as given and reads the response: no client in between tidies them up.
import { connect, type Socket } from 'node:net'
import type { Test } from 'tap'

export type RawAnswer = { status: number; headers: Record<string, string>; body: string }

/** A connection that is closed with the test, and may be reset. */
export function openSocket(t: Test, port: number): Socket {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  t.teardown(() => socket.destroy())
  return socket
}

/** Sends a request and resolves to everything received until the server closes; send `Connection: close`. */
export function sendRawText(port: number, bytes: Uint8Array | string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const chunks: Buffer[] = []
    const all = () => Buffer.concat(chunks).toString('utf8')
    socket.on('data', chunk => chunks.push(chunk))
    // A server that refuses a large request may reset the connection after its response.
    socket.on('error', error => (chunks.length > 0 ? resolve(all()) : reject(error)))
    socket.on('end', () => {
      socket.end()
      resolve(all())
    })
  })
}

export async function sendRaw(port: number, bytes: Uint8Array | string): Promise<RawAnswer> {
  return parseAnswer(await sendRawText(port, bytes))
}

export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...lines] = text.slice(0, end).split('\r\n')
  const headers = lines.map(line => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
  })
  return { status: Number(statusLine.split(' ')[1]), headers: Object.fromEntries(headers), body: text.slice(end + 4) }
}

/** One complete response as sent: a second request closes the connection, so that the first keeps all its headers. */
export async function answerTo(port: number, request: string): Promise<string> {
  const last = 'GET /healthz HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n'
  const answers = await sendRawText(port, request + last)
  return answers.slice(0, answers.lastIndexOf('HTTP/1.1 200'))
}

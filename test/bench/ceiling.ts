// The ceiling: what bare node:http can do on this machine. It answers every request with bytes that the real server
// sent, and keeps nothing: `node ceiling.ts PORT ANSWERS`, a JSON file of `CeilingAnswer` by path.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

export type CeilingAnswer = { headers: [name: string, value: string][]; body: string }

const [port, file] = process.argv.slice(2)
const recorded: Record<string, CeilingAnswer> = JSON.parse(readFileSync(String(file), 'utf8'))
const answers = new Map(
  Object.entries(recorded).map(([path, { headers, body }]) => [
    path,
    { headers: headers.flat(), body: Buffer.from(body) }
  ])
)

const server = createServer((request, response) => {
  const { url = '' } = request
  const answer = answers.get(url.split('?', 1)[0] ?? '')
  const send = () => {
    if (answer) response.writeHead(200, answer.headers).end(answer.body)
    else response.writeHead(404).end()
  }
  if (request.method === 'GET') return send()
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', () => {
    Buffer.concat(chunks)
    send()
  })
})
server.listen(Number(port), '127.0.0.1')

// The code that the simulator gives for a request: curl, fetch and Python are run and send the same bytes. There is no compiler
// for Kotlin and Swift here; what they are given is compared with what was read by hand.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import t, { type Test } from 'tap'
import { curlLine } from '../../../src/transfer/curl-command.ts'
import { transferOptions } from '../../../src/transfer/index.ts'
import type { WebRequest } from '../../../src/transfer/option.ts'
import { listen } from '../../listen.ts'
import { ROOT } from '../../node-process.ts'

const run = promisify(execFile)

type Write = (request: WebRequest) => string
const { codeIn }: { codeIn: Record<'curl' | 'fetch' | 'Python' | 'Kotlin' | 'Swift', Write> } = await import(
  join(ROOT, 'views/simulator/simulator-code.js')
)

/** The body of an async function, as a console runs it. */
const AsyncFunction = (async () => {}).constructor as FunctionConstructor

/** What fetch’s code has printed. */
const printed: unknown[][] = []
const console = { log: (...line: unknown[]) => printed.push(line) }

const TOKEN = 'a`$secret "\\ \'x'

const senders: Record<string, (request: WebRequest) => Promise<unknown>> = {
  curl: request => run('bash', ['-c', `${curlLine(request)} -sS`], { env: { ...process.env, SHOP_TOKEN: TOKEN } }),
  fetch: request => AsyncFunction('SHOP_TOKEN', 'console', codeIn.fetch(request))(TOKEN, console),
  Python: request => run('python3', ['-c', codeIn.Python(request)], { env: { ...process.env, SHOP_TOKEN: TOKEN } })
}

/** A server that keeps what it receives, of the headers those that the code sets. */
async function receive(t: Test) {
  const received: object[] = []
  const { origin } = await listen(t, async (request, response) => {
    const { method, url, headersDistinct } = request
    const { authorization, 'content-type': type, 'x-own': own, 'content-length': length } = headersDistinct
    const body = (await buffer(request)).toString('hex')
    // fetch joins what is repeated.
    received.push({ method, url, authorization, type, length, own: own?.join(', '), body })
    response.end('ok')
  })
  return { received, origin }
}

/** All that a string may break out with, and what does not print. */
const HOSTILE =
  '"\' \\ \\n `$' + '{1} $HOME \\(1) #{1} %s </script> \n\r\t\b\f\u007f \u2028 \u202e ソ☕😀 \u{e0001} \u0085'

const AUTHORIZATION = { name: 'Authorization', value: 'Bearer $SHOP_TOKEN', variable: 'SHOP_TOKEN' }

t.test('the command for curl is the server’s', async t => {
  t.equal(
    codeIn.curl({
      method: 'GET',
      url: 'http://shop.example/',
      headers: [],
      curl: 'curl http://shop.example/'
    } as never),
    'curl http://shop.example/'
  )
})

t.test('curl, fetch and Python send every option’s request, byte for byte', async t => {
  const items = [
    { sku: HOSTILE, quantity: 2, price: '1.50' },
    { sku: 'ソ-☕', quantity: 1 }
  ]
  for (const { name, request: requestOf } of transferOptions) {
    const { received, origin } = await receive(t)
    const request = requestOf({ reference: 'r-1', currency: 'GBP', items }, `${origin}/cart`)
    const headers = [
      ...request.headers,
      { name: 'X-Own', value: 'a' },
      { name: 'X-Own', value: 'b "$HOME" `' },
      { name: 'Content-Length', value: '1' },
      AUTHORIZATION
    ]
    for (const [language, send] of Object.entries(senders)) {
      await send({ ...request, headers })
      const body = request.body === undefined ? '' : Buffer.from(request.body).toString('hex')
      t.strictSame(
        received.pop(),
        {
          method: request.method,
          url: request.url.slice(origin.length),
          authorization: [`Bearer ${TOKEN}`],
          type: request.method === 'GET' ? undefined : [request.headers[0]?.value],
          length: request.body === undefined ? undefined : [String(Buffer.byteLength(request.body))],
          own: 'a, b "$HOME" `',
          body
        },
        `option ${name}, ${language}`
      )
    }
  }
})

t.test('any body arrives as it is, and a POST may have none', async t => {
  const { received, origin } = await receive(t)
  const send = { method: 'POST', url: origin, headers: [] }
  for (const [language, run] of Object.entries(senders)) {
    await run({ ...send, body: HOSTILE })
    t.match(received.pop(), { method: 'POST', url: '/', body: Buffer.from(HOSTILE).toString('hex') }, language)
    await run(send)
    t.match(received.pop(), { method: 'POST', url: '/', body: '' }, language)
  }
  t.strictSame(printed.at(-1), [200, 'ok'], 'the answer is printed')
})

t.test('a secret is named, and given by whoever runs the code', async t => {
  const { received, origin } = await receive(t)
  const request = { method: 'POST', url: origin, headers: [AUTHORIZATION] }
  await t.rejects(AsyncFunction(codeIn.fetch(request))(), { name: 'ReferenceError', message: /SHOP_TOKEN/ })
  const { SHOP_TOKEN: _, ...env } = process.env
  await t.rejects(run('python3', ['-c', codeIn.Python(request)], { env }), { message: /KeyError: 'SHOP_TOKEN'/ })
  t.strictSame(received, [])
})

const BAG: WebRequest = {
  method: 'POST',
  url: 'https://shop.example/$cart?a=%22',
  headers: [
    { name: 'Host', value: 'shop.example' },
    { name: 'Content-Type', value: 'application/json' },
    AUTHORIZATION
  ],
  body: `{"sku":"$x \\ \u202e ${'😀'}\n\u{e0001}"}`
}

t.test('Python speaks TLS where the shop does, and imports what it needs', async t => {
  const code = codeIn.Python(BAG)
  t.match(code, 'http.client.HTTPSConnection("shop.example")')
  t.match(code, 'putrequest("POST", "/$cart?a=%22", skip_accept_encoding=True)')
  t.match(code, /^import http\.client\nimport os\n/)
  t.notMatch(codeIn.Python({ ...BAG, headers: [] }), /import os/)
})

t.test('Kotlin escapes its own dollars, and what does not print as UTF-16', async t => {
  t.equal(
    codeIn.Kotlin(BAG),
    String.raw`import java.net.HttpURLConnection
import java.net.URI

val connection = URI("https://shop.example/\$cart?a=%22").toURL().openConnection() as HttpURLConnection
connection.instanceFollowRedirects = false
connection.requestMethod = "POST"
connection.addRequestProperty("Content-Type", "application/json")
connection.addRequestProperty("Authorization", "Bearer " + System.getenv("SHOP_TOKEN")!!)
connection.doOutput = true
connection.outputStream.use { it.write("{\"sku\":\"\$x \\ \u202e 😀\n\udb40\udc01\"}".toByteArray()) }
val answer = if (connection.responseCode < 400) connection.inputStream else connection.errorStream
println("${'$'}{connection.responseCode} ${'$'}{answer?.reader()?.readText()}")`
  )
})

t.test('Swift has braces around its code points, and no dollars to escape', async t => {
  t.equal(
    codeIn.Swift(BAG),
    String.raw`import Foundation

var request = URLRequest(url: URL(string: "https://shop.example/$cart?a=%22")!)
request.httpMethod = "POST"
request.addValue("application/json", forHTTPHeaderField: "Content-Type")
request.addValue("Bearer " + ProcessInfo.processInfo.environment["SHOP_TOKEN"]!, forHTTPHeaderField: "Authorization")
request.httpBody = Data("{\"sku\":\"$x \\ \u{202e} 😀\n\u{e0001}\"}".utf8)
let (data, response) = try await URLSession.shared.data(for: request)
print((response as! HTTPURLResponse).statusCode, String(decoding: data, as: UTF8.self))`
  )
})

t.test('what cannot be sent says so, and a GET has no body', async t => {
  const get = { method: 'GET', url: 'http://shop/', headers: [], body: '' }
  t.equal(codeIn.fetch(get), '// fetch cannot send a GET with a body')
  t.equal(codeIn.Kotlin(get), '// HttpURLConnection cannot send a GET with a body')
  t.equal(codeIn.Swift(get), '// URLSession cannot send a GET with a body')
  const { body: _, ...plain } = get
  for (const language of ['Kotlin', 'Swift'] as const)
    t.notMatch(codeIn[language](plain), /doOutput|httpBody/, language)
})

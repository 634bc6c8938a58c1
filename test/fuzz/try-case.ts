// Sends one case to a server and checks everything that comes back.
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { malformedTags } from '../pages/read-page.ts'
import { linesIn, mistakesIn } from '../transfer/answers.ts'
import { requestOf } from './any-case.ts'
import { chooser, draftOf, type OptionName } from './draft.ts'
import { bytesOf, DIGEST, type Expected, type FuzzCase, type Line, TOKEN } from './fuzz-case.ts'
import type { Tally } from './report.ts'
import { type Answer, sendBytes, type Wire } from './wire.ts'
import { type Request, writeRequest } from './write-request.ts'

export type Client = { port: number; wire: Wire; tally: Tally }

const plain = chooser([])

/** @returns the status of each answer @throws WrongAnswer or WireError */
export async function tryCase(client: Client, fuzzCase: FuzzCase): Promise<number[]> {
  const { option, kind, answers: expected, pieces = 1, isHead = false, goesOn = false } = fuzzCase
  const { port, wire, tally } = client
  const bytes = kind === 'page' ? await withCheckout(client, fuzzCase) : bytesOf(fuzzCase)
  tally.sent(option, kind, expected?.length ?? 1)
  if (!expected) {
    const answers = await sendBytes(port, bytes, pieces, goesOn)
    for (const answer of answers) {
      tally.answered(answer.status)
      checkAnswer(answer)
    }
    return answers.map(({ status }) => status)
  }
  const answers = await wire.send(bytes, expected.length, { pieces, isHead })
  if (answers.length < expected.length && answers.at(-1)?.headers.connection !== 'close') {
    throw new WrongAnswer(`${answers.length} answers to ${expected.length} requests`)
  }
  for (const [i, answer] of answers.entries()) {
    tally.answered(answer.status)
    const { lines, ...rest } = expected[i] as Expected
    checkAnswer(answer, rest, isHead)
    if (!lines || answer.status >= 400) continue
    if (option === 'ucp') {
      const next = continueUrlIn(answer)
      if (next !== undefined) checkLines(await openContinued(client, next), lines)
      else if (kind === 'valid') throw new WrongAnswer(`no cart: ${answer.body}`)
      tally.compared()
      continue
    }
    const page = answer.status === 303 ? openLocation : isDescription(answer) ? openDescribed : undefined
    checkLines(page ? await page(client, answer) : answer, lines)
    tally.compared()
  }
  return answers.map(({ status }) => status)
}

/** The page to which a description leads (contract 2.2). */
async function openDescribed(client: Client, { body }: Answer): Promise<Answer> {
  const { url, httpMethod, body: form, ...others } = JSON.parse(body) as Record<string, string>
  const { pathname } = new URL(String(url))
  if (httpMethod !== 'POST' || !/^token=[A-Za-z0-9]{20,64}$/.test(String(form)) || Object.keys(others).length > 0) {
    throw new WrongAnswer(`not a description: ${body}`)
  }
  const headers = ['Content-Type: application/x-www-form-urlencoded']
  return openPage(client, { method: 'POST', target: pathname, headers, body: String(form) })
}

/** Where the cart of an answer by UCP leads its shopper; undefined if it has none. */
function continueUrlIn({ body }: Answer): string | undefined {
  const answer = JSON.parse(body)
  const { id, continue_url: url } = answer.result?.structuredContent ?? answer
  return id && url
}

/** The page behind it. */
async function openContinued(client: Client, url: string): Promise<Answer> {
  const { pathname, search } = new URL(url)
  const request = { method: 'GET', target: pathname + search }
  const [answer] = await client.wire.send(Buffer.from(writeRequest(request, plain)), 1)
  if (answer?.status !== 303) throw new WrongAnswer(`continue_url is answered with ${answer?.status}`)
  return openLocation(client, answer)
}

/** The page to which a link is redirected. */
async function openLocation(client: Client, { headers }: Answer): Promise<Answer> {
  const { pathname, search } = new URL(String(headers.location))
  return openPage(client, { method: 'GET', target: pathname + search })
}

async function openPage({ wire, tally }: Client, request: Request): Promise<Answer> {
  const [page] = await wire.send(Buffer.from(writeRequest(request, plain)), 1)
  if (!page) throw new WrongAnswer('the request for the page was not answered')
  tally.sent('1', 'page', 1)
  tally.answered(page.status)
  checkAnswer(page, { status: 200 })
  return page
}

/** The bytes of a case, with the token and the digest of a checkout that is opened for it. */
async function withCheckout(client: Client, fuzzCase: FuzzCase): Promise<Buffer> {
  const { option } = fuzzCase
  const page = await openCheckout(client, option as OptionName)
  const [, token = ''] = /action="[^"]*\/checkout\/([A-Za-z0-9]{32})\?/.exec(page.body) ?? []
  const [, digest = ''] = /name=digest value=([A-Za-z0-9]*)>/.exec(page.body) ?? []
  if (token.length !== TOKEN.length || digest.length !== DIGEST.length) {
    throw new WrongAnswer(`a page without token or digest: ${token} ${digest}`)
  }
  const text = bytesOf(fuzzCase).toString('latin1').replaceAll(TOKEN, token).replaceAll(DIGEST, digest)
  return Buffer.from(text, 'latin1')
}

async function openCheckout(client: Client, option: OptionName): Promise<Answer> {
  const reference = randomUUID().replaceAll('-', '')
  const cart = { reference, currency: 'GBP', items: [{ sku: 'MUG', quantity: 1 }] }
  const request = requestOf(option, draftOf(cart), false, plain)
  const [answer] = await client.wire.send(Buffer.from(writeRequest(request, plain)), 1)
  client.tally.sent(option, 'valid', 1)
  if (answer?.status !== 200) throw new WrongAnswer(`the plainest cart is answered with ${answer?.status}`)
  client.tally.answered(200)
  return option === '1' ? openDescribed(client, answer) : answer
}

/** An answer that is wrong; the message starts with what is wrong in general. */
export class WrongAnswer extends Error {}

const STATUSES = new Set([200, 201, 204, 303, 400, 401, 403, 404, 405, 408, 409, 410, 413, 414, 415, 422, 424, 431])

/** Headers of every page, and what they must hold. */
const PAGE_HEADERS: Record<string, RegExp> = {
  'content-security-policy':
    /^default-src 'none';style-src 'sha256-[^']+';img-src [^;]+;form-action 'self'(?: http:\/\/127\.0\.0\.1:\d+)?;frame-ancestors 'self';base-uri 'none'$/,
  'cross-origin-opener-policy': /^same-origin$/,
  'referrer-policy': /^same-origin$/,
  'cache-control': /^(no-store|private, no-cache)$/,
  'content-language': /^[a-z]{2}(-[A-Z]{2})?$/
}

/** What no answer shows: a stack, a path of the server, a value that was not meant to be printed. */
const LEAKS = /\bat [^\n]*\.(ts|js):\d+|node_modules|\[object Object\]|SQLITE/

const fail = (what: string, answer: Answer): never => {
  const shown = JSON.stringify({ ...answer, body: answer.body.slice(0, 500) }, undefined, 1)
  throw new WrongAnswer(`${what}\n${shown}`)
}

/** @throws WrongAnswer */
export function checkAnswer(answer: Answer, expected: Expected = {}, isHead = false): void {
  const { status, headers, body } = answer
  if (!STATUSES.has(status)) fail(`status ${status}`, answer)
  if (headers['x-content-type-options'] !== 'nosniff') fail('no nosniff', answer)
  const type = String(headers['content-type'])
  if (type.startsWith('text/html')) {
    for (const [name, pattern] of Object.entries(PAGE_HEADERS)) {
      if (!pattern.test(String(headers[name]))) fail(`${name} of a page`, answer)
    }
    if (!isHead && !body.startsWith('<!doctype html>')) fail('a page that is none', answer)
    if (malformedTags(body).length > 0) fail('malformed markup', answer)
  } else if (type.startsWith('application/problem+json')) checkProblem(answer, isHead)
  else if (type.startsWith('application/json') && status >= 400) checkProtocolError(answer)
  else if (status >= 400) fail('a refusal of an unknown type', answer)
  if (LEAKS.test(body)) fail('more than an answer should tell', answer)
  checkExpected(answer, expected)
}

/** Of UCP, by MCP within an error of JSON-RPC. */
function checkProtocolError(answer: Answer): void {
  const { jsonrpc, error, ...rest } = JSON.parse(answer.body)
  if (
    jsonrpc !== undefined &&
    !(jsonrpc === '2.0' && Number.isInteger(error.code) && typeof error.message === 'string')
  ) {
    fail('an error that is not of JSON-RPC', answer)
  }
  const { code, content, ...others } = jsonrpc === undefined ? rest : error.data
  const isWhole = /^[a-z]+(_[a-z]+)*$/.test(code) && typeof content === 'string' && Object.keys(others).length === 0
  if (!isWhole) fail('a protocol error that is not whole', answer)
}

function checkProblem(answer: Answer, isHead: boolean): void {
  const { status, headers, body } = answer
  if (headers['cache-control'] !== 'no-store') fail('a refusal that may be stored', answer)
  if (isHead) return
  const problem = JSON.parse(body)
  const { type, title, detail, errors = [] } = problem
  const isWhole =
    problem.status === status &&
    /^urn:problem-type:cart-transfer:[a-z-]+$/.test(type) &&
    [title, detail].every(text => typeof text === 'string' && text !== '') &&
    errors.every((mistake: object) => 'pointer' in mistake && 'code' in mistake)
  if (!isWhole) fail('problem+json that is not whole', answer)
}

function checkExpected(answer: Answer, { status, mistakes, lines }: Expected): void {
  if (status !== undefined && answer.status !== status) fail(`not ${status}, but ${answer.status}`, answer)
  if (mistakes && !isDeepStrictEqual(mistakesIn(answer.body).sort(), mistakes)) {
    fail(`not the mistakes ${JSON.stringify(mistakes)}, but ${JSON.stringify(mistakesIn(answer.body))}`, answer)
  }
  if (lines && answer.status === 200 && !isDescription(answer)) checkLines(answer, lines)
}

/** Whether it is the description of a web request, which leads to the page. */
export function isDescription({ headers }: Answer): boolean {
  return String(headers['content-type']).startsWith('application/json')
}

/** @throws WrongAnswer if the page shows anything but these lines in this order */
export function checkLines(page: Answer, lines: Required<Expected>['lines']): void {
  const shown = linesIn(page.body)
  if (!isDeepStrictEqual(shown, lines)) {
    fail(`other lines\n${JSON.stringify({ sent: lines, shown })}`, page)
  }
}

/** @param sent a body or the target of a request, one character per byte @returns no line if this is no cart */
export function readAsSent(option: OptionName, sent: string): Line[] {
  if (option === '1') return readJson(Buffer.from(sent, 'latin1').toString())
  if (option === '2A') return readFields(sent, /^items\[(\d*)\]\[(sku|quantity)\]$/)
  return readFields(sent.replace(/^[^?]*\?/, ''), /^item_(\d+)_(sku|quantity)$/)
}

function readJson(text: string): Line[] {
  try {
    const { items } = JSON.parse(text.replace(/^\ufeff/, '')) as { items: Line[] }
    return items.map(({ sku, quantity }) => ({ sku, quantity }))
  } catch {
    return []
  }
}

/** Lines by index; index-free ones in the order sent. */
function readFields(text: string, pattern: RegExp): Line[] {
  const lines: { at: number; sku: string[]; quantity: string[] }[] = []
  const lineAt = (at: number) => {
    const found = lines.find(line => line.at === at) ?? { at, sku: [], quantity: [] }
    if (!lines.includes(found)) lines.push(found)
    return found
  }
  const free = { sku: 0, quantity: 0 }
  // Bytes are bytes, percent-encoded or not. And a leading ? would be dropped.
  const ascii = text.replace(/[\x80-\xff]/g, byte => `%${byte.charCodeAt(0).toString(16)}`)
  for (const [name, value] of new URLSearchParams(`&${ascii}`)) {
    const [, index, field] = pattern.exec(name) ?? []
    if (index === undefined) continue
    const line = lineAt(index === '' ? free[field as 'sku']++ : Number(index))
    line[field as 'sku'].push(value)
  }
  return lines
    .sort((a, b) => a.at - b.at)
    .map(({ sku, quantity }) => ({ sku: sku.join('\0'), quantity: Number(quantity.join('\0')) }))
}

// Sends one case to a server and checks everything that comes back.
import { randomUUID } from 'node:crypto'
import { requestOf } from './any-case.ts'
import { checkAnswer, checkLines, isDescription, WrongAnswer } from './check-answer.ts'
import { chooser } from './choices.ts'
import { draftOf, type OptionName } from './draft.ts'
import { bytesOf, DIGEST, type Expected, type FuzzCase, TOKEN } from './fuzz-case.ts'
import type { Tally } from './tally.ts'
import { type Answer, sendBytes, type Wire } from './wire.ts'
import { writeRequest } from './write-request.ts'

export type Client = { port: number; wire: Wire; tally: Tally }

const plain = chooser([])

/** @returns the status of each answer @throws WrongAnswer or WireError */
export async function tryCase(client: Client, fuzzCase: FuzzCase): Promise<number[]> {
  const { option, kind, answers: expected, pieces = 1, isHead = false, goesOn = false } = fuzzCase
  const { port, wire, tally } = client
  const bytes = kind === 'page' ? await withCheckout(client, fuzzCase) : bytesOf(fuzzCase)
  tally.sent(option, kind, expected?.length ?? 1)
  if (!expected) {
    const answers = await sendBytes(port, bytes, { pieces, goesOn })
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
    if (!lines || answer.status !== 200) continue
    checkLines(isDescription(answer) ? await openDescribed(client, answer) : answer, lines)
    tally.compared()
  }
  return answers.map(({ status }) => status)
}

/** The page to which a description leads (contract 2.2). */
async function openDescribed({ wire, tally }: Client, { body }: Answer): Promise<Answer> {
  const { url, httpMethod, body: form, ...others } = JSON.parse(body) as Record<string, string>
  const { pathname } = new URL(String(url))
  if (httpMethod !== 'POST' || !/^token=[\w-]{20,64}$/.test(String(form)) || Object.keys(others).length > 0) {
    throw new WrongAnswer(`not a description: ${body}`)
  }
  const headers = ['Content-Type: application/x-www-form-urlencoded']
  const request = writeRequest({ method: 'POST', target: pathname, headers, body: String(form) }, plain)
  const [page] = await wire.send(Buffer.from(request), 1)
  if (!page) throw new WrongAnswer('the described request was not answered')
  tally.sent('1', 'page', 1)
  tally.answered(page.status)
  checkAnswer(page, { status: 200 })
  return page
}

/** The bytes of a case, with the token and the digest of a checkout that is opened for it. */
async function withCheckout(client: Client, fuzzCase: FuzzCase): Promise<Buffer> {
  const { option } = fuzzCase
  const page = await openCheckout(client, option)
  const [, token = ''] = /action="[^"]*\/checkout\/([\w-]{32})\?"/.exec(page.body) ?? []
  const [, digest = ''] = /name=digest value="([^"]*)"/.exec(page.body) ?? []
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

// The table of error codes: complete, used, and with messages for engineers and shoppers.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { mistakes, problems } from '../src/errors.ts'
import { languages } from '../src/messages/messages.ts'

/** The statuses in DECISIONS.md, "Answers", and those that Node's parser can cause. */
const STATUSES = new Set([400, 401, 403, 404, 405, 409, 410, 413, 414, 415, 422, 424, 429, 500, 502, 503, 408, 431])

const SRC = join(import.meta.dirname, '../src')
const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.ts') && name !== 'errors.ts')
  .map(name => readFileSync(join(SRC, name), 'utf8'))
  .join('\n')

const { en } = languages
const isSentence = /^[A-Z].+/

for (const [code, { status, title, shopper, next }] of Object.entries(problems)) {
  t.test(`${code}: has an agreed status, a title, and a message for the shopper that says what to do next`, async t => {
    t.match(code, /^[a-z]+(-[a-z]+)*$/)
    t.ok(STATUSES.has(status), `${status}`)
    t.match(
      { title, shopper: en[shopper], next: en[next] },
      { title: isSentence, shopper: isSentence, next: /^[A-Z].+\.$/ }
    )
    t.match(
      en[next],
      /^(try-once|check-again)$/.test(next) ? /try again/ : /the app/,
      'the next step leads on, or back to the app'
    )
    const comesFromMistake = Object.values(mistakes).some(({ problem }) => problem === code)
    t.ok(comesFromMistake || sources.includes(`'${code}'`), 'the server uses it')
  })
}

for (const [code, { problem, shopper, ...more }] of Object.entries(mistakes)) {
  t.test(`${code}: maps to a problem, and has a message for the shopper`, async t => {
    t.match(code, /^[a-z]+(-[a-z]+)*$/)
    t.ok(Object.hasOwn(problems, problem), problem)
    t.match(en[shopper], isSentence)
    if ('item' in more) t.match(en[more.item], isSentence)
    t.ok(sources.includes(`'${code}'`), 'the server uses it')
  })
}

t.test('every mistake maps to 400 (contract) or 422 (catalogue)', async t => {
  const statuses = Object.values(mistakes).map(({ problem }) => problems[problem].status)
  t.strictSame(new Set(statuses), new Set([400, 422]))
})

t.test('no message for shoppers has a code, a status or a technical term', async t => {
  const ofProblems = Object.values(problems).flatMap(({ shopper, next }) => [en[shopper], en[next]])
  const technical = /\b(HTTP|JSON|URL|SKU|token|server|error|request|contract|reference|[0-9]{3})\b/i
  const ofMistakes = Object.values(mistakes).flatMap(mistake =>
    'item' in mistake ? [en[mistake.shopper], en[mistake.item]] : en[mistake.shopper]
  )
  for (const sentence of [...ofProblems, ...ofMistakes]) {
    t.notMatch(sentence, technical)
  }
})

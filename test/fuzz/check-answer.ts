// What every answer must be, whatever was asked, and what a particular one must be.
import { isDeepStrictEqual } from 'node:util'
import { malformedTags } from '../pages/read-page.ts'
import { linesIn, mistakesIn } from '../transfer/answers.ts'
import type { Expected } from './fuzz-case.ts'
import type { Answer } from './wire.ts'

/** An answer that is wrong; the message starts with what is wrong in general. */
export class WrongAnswer extends Error {}

const STATUSES = new Set([200, 204, 303, 400, 404, 405, 408, 409, 410, 413, 414, 415, 422, 431])

/** Headers of every page, and what they must hold. */
const PAGE_HEADERS: Record<string, RegExp> = {
  'content-security-policy':
    /^default-src 'none';style-src 'sha256-[^']+';img-src [^;]+;form-action 'self';frame-ancestors 'self';base-uri 'none'$/,
  'cross-origin-opener-policy': /^same-origin$/,
  'cross-origin-resource-policy': /^same-origin$/,
  'referrer-policy': /^same-origin$/,
  'x-frame-options': /^SAMEORIGIN$/,
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
  else if (status >= 400) fail('a refusal of an unknown type', answer)
  if (LEAKS.test(body)) fail('more than an answer should tell', answer)
  checkExpected(answer, expected)
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
    errors.every(
      ({ pointer, code }: Record<string, unknown>) => typeof pointer === 'string' && typeof code === 'string'
    )
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

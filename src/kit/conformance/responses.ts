// What came of a hand-over in the end, as the checks take it.

import type { WebRequest } from '../../transfer/option.ts'
import { responseText } from '../client/response-text.ts'
import { headerValue, type WebResponse } from '../client/send-request.ts'
import type { Step } from '../client/simulate-transfer.ts'
import { sentAs } from './judge.ts'
import type { Visit } from './judge-visit.ts'
import { Silent } from './verdict-errors.ts'

/** A transfer that was refused: the app shows nothing of the answer. */
export function refusedVisit(answer: WebResponse, request: WebRequest): Visit {
  const visit = { request, status: answer.status, isShown: false, isHtml: isHtml(answer) }
  return { ...visit, text: responseText(answer), lines: async () => [] }
}

/** Where no type is named, a browser may find HTML in it. */
export function isHtml({ headers }: WebResponse): boolean {
  return /^(text\/html|application\/xhtml|$)/i.test(headerValue(headers, 'content-type') ?? '')
}

/** @throws Silent where the last request was not answered */
export function lastResponse(steps: Step[], request: WebRequest): WebResponse {
  const answers = steps.flatMap(step => (step.step === 'answer' ? step.answer : []))
  const requests = steps.filter(({ step }) => step === 'request')
  const answer = answers.at(-1)
  if (answer && answers.length === requests.length) return answer
  const says = steps.flatMap(step => (step.step === 'failure' ? step.says : []))
  throw new Silent([sentAs(request), ...says].join('\n'))
}

/** Whether an answer names something, in its text or in a string of its JSON, which may be escaped. */
export function names(text: string, wanted: string): boolean {
  let isNamed = text.includes(wanted)
  try {
    JSON.parse(text, (_key, value) => {
      if (typeof value === 'string' && value.includes(wanted)) isNamed = true
      return value
    })
  } catch {
    // It is a page.
  }
  return isNamed
}

export function jsonOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

// What came of a hand-over in the end, as the checks take it.

import { textOf } from '../platform/answer-text.ts'
import type { Step } from '../platform/hand-over.ts'
import { type Answer, headerOf } from '../platform/send-request.ts'
import type { WebRequest } from '../transfer/option.ts'
import { Silent } from './check.ts'
import { sentAs } from './judge.ts'
import type { Visit } from './judge-visit.ts'

/** A transfer that was refused: the app shows nothing of the answer. */
export function refused(answer: Answer, request: WebRequest): Visit {
  const visit = { request, status: answer.status, isShown: false, isHtml: isHtml(answer) }
  return { ...visit, text: textOf(answer), lines: async () => [] }
}

/** Where no type is named, a browser may find HTML in it. */
export function isHtml({ headers }: Answer): boolean {
  return /^(text\/html|application\/xhtml|$)/i.test(headerOf(headers, 'content-type') ?? '')
}

/** @throws Silent where the last request was not answered */
export function lastAnswer(steps: Step[], request: WebRequest): Answer {
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

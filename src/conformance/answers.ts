// What came of a hand-over in the end, as the checks take it.
import type { Step } from '../platform/hand-over.ts'
import { type Answer, textOf } from '../platform/send-request.ts'
import type { WebRequest } from '../transfer/option.ts'
import { Failed } from './check.ts'
import { sentAs } from './judge.ts'
import type { Visit } from './site.ts'

/** A transfer that was refused: the app shows nothing of the answer. */
export function refused(answer: Answer, request: WebRequest): Visit {
  return { request, status: answer.status, isShown: false, text: textOf(answer), lines: async () => [] }
}

/** @throws Failed where the last request was not answered */
export function lastAnswer(steps: Step[], request: WebRequest): Answer {
  const answers = steps.flatMap(step => (step.step === 'answer' ? step.answer : []))
  const requests = steps.filter(({ step }) => step === 'request')
  const answer = answers.at(-1)
  if (answer && answers.length === requests.length) return answer
  const says = steps.flatMap(step => (step.step === 'failure' ? step.says : []))
  throw new Failed([sentAs(request), ...says].join('\n'))
}

export function jsonOf(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text))
  } catch {
    return {}
  }
}

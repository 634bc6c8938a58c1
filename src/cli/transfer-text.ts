// What happened on the way from the bag to the page, as text for a terminal and as JSON for programs.

import { curlLine } from '../kit/client/curl.ts'
import type { DescribedField } from '../kit/client/described-field.ts'
import { responseText } from '../kit/client/response-text.ts'
import { headerValue, type WebResponse } from '../kit/client/send-request.ts'
import type { Sender, Step } from '../kit/client/simulate-transfer.ts'
import type { WebRequest } from '../transfer/option.ts'
import { visible } from './terminal-text.ts'

/** How much of a body is shown, in characters. */
const SHOWN = 2000

const WHO: Record<Sender, string> = { platform: 'The platform', 'web view': 'The web view' }

/** The steps, numbered; nothing of what others wrote can move the cursor or turn a line around. */
export function transferText(steps: Step[]): string {
  return steps.map((step, i) => `${i + 1}. ${titleOf(step)}\n${linesOf(step).map(shown).join('')}\n`).join('')
}

function shown(line: string): string {
  return `   ${visible(line)}`.trimEnd().concat('\n')
}

function titleOf(step: Step): string {
  switch (step.step) {
    case 'request':
      return `${WHO[step.sender]} sends`
    case 'answer':
      return 'The merchant site answers'
    case 'description':
      return 'The app reads the description'
    case 'failure':
      return 'It ends here'
  }
}

function linesOf(step: Step): string[] {
  switch (step.step) {
    case 'request':
      return requestLines(step.request)
    case 'answer':
      return answerLines(step.answer)
    case 'description':
      return step.fields.map(fieldLine)
    case 'failure':
      return [step.says]
  }
}

function requestLines(request: WebRequest): string[] {
  const { method, url, headers, body } = request
  return [
    `${method} ${url} (${url.length} characters)`,
    ...headers.map(({ name, value }) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['', ...bodyLines(body)]),
    '',
    curlLine(request)
  ]
}

function answerLines(answer: WebResponse): string[] {
  const { status, statusText, milliseconds, body, headers } = answer
  const text = responseText(answer)
  const isPage = headerValue(headers, 'content-type')?.startsWith('text/html') === true
  return [
    `${status} ${statusText}, ${Math.round(milliseconds)} ms, ${body.length} bytes`,
    ...headers.map(({ name, value }) => `${name}: ${value}`),
    '',
    ...(isPage ? [`a page with the title ${JSON.stringify(pageTitle(text))}`] : bodyLines(text))
  ]
}

function bodyLines(text: string): string[] {
  const lines = text.slice(0, SHOWN).split(/\r?\n/)
  return text.length > SHOWN ? [...lines, `… and ${text.length - SHOWN} characters more`] : lines
}

/** The title as it is in the markup. */
function pageTitle(html: string): string {
  return /<title[^>]*>([^<]*)/i.exec(html)?.[1]?.trim() ?? ''
}

const MARKS: Record<DescribedField['verdict'], string> = {
  used: ' ',
  doubtful: '?',
  ignored: '-',
  refused: '!'
}

function fieldLine({ at, value, verdict, says }: DescribedField): string {
  return `${MARKS[verdict]} ${at} ${value}: ${verdict === 'used' ? '' : `${verdict}. `}${says}`
}

/** The steps as JSON has them: bodies as text. */
export function transferJson(steps: Step[]): object[] {
  return steps.map(step =>
    step.step === 'answer' ? { ...step, answer: { ...step.answer, body: responseText(step.answer) } } : step
  )
}

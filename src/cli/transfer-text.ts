// The steps of a transfer, as text for a terminal and as JSON for programs.

import type { DescribedField } from '../kit/client/app-request.ts'
import { curlLine } from '../kit/client/request-code.ts'
import { headerValue, responseText, type WebResponse } from '../kit/client/send-request.ts'
import type { Step } from '../kit/client/simulate-transfer.ts'
import { visible } from '../start/visible-text.ts'
import type { WebRequest } from '../transfer/option.ts'

/** How much of a body is shown, in characters. */
const SHOWN = 2000

/** The steps, numbered; nothing that others wrote can move the cursor or reverse a line. */
export function transferText(steps: Step[]): string {
  const texts = steps.map((step, i) => {
    const [title, ...lines] = stepLines(step)
    return `${i + 1}. ${title}\n${lines.map(line => `   ${visible(line)}`.trimEnd().concat('\n')).join('')}\n`
  })
  return texts.join('')
}

/** A title, then the lines below it. */
function stepLines(step: Step): string[] {
  switch (step.step) {
    case 'request':
      return [`The ${step.sender} sends`, ...requestLines(step.request)]
    case 'answer':
      return ['The merchant site answers', ...answerLines(step.answer)]
    case 'description':
      return ['The app reads the description', ...step.fields.map(fieldLine)]
    case 'failure':
      return ['It ends here', step.says]
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
    ...(isPage ? [`a page with the title ${JSON.stringify(titleOf(text))}`] : bodyLines(text))
  ]
}

function bodyLines(text: string): string[] {
  const lines = text.slice(0, SHOWN).split(/\r?\n/)
  return text.length > SHOWN ? [...lines, `… and ${text.length - SHOWN} characters more`] : lines
}

function titleOf(html: string): string {
  return /<title[^>]*>([^<]*)/i.exec(html)?.[1]?.trim() ?? ''
}

const MARKS: Record<DescribedField['verdict'], string> = { used: ' ', doubtful: '?', ignored: '-', refused: '!' }

function fieldLine({ at, value, verdict, says }: DescribedField): string {
  return `${MARKS[verdict]} ${at} ${value}: ${verdict === 'used' ? '' : `${verdict}. `}${says}`
}

/** The steps, with bodies as text. */
export function transferJson(steps: Step[]): object[] {
  return steps.map(step =>
    step.step === 'answer' ? { ...step, answer: { ...step.answer, body: responseText(step.answer) } } : step
  )
}

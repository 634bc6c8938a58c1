// Judges what came of a hand-over in the end: the page, or the answer to the platform where there is none.
import type { Cart } from '../../cart/cart.ts'
import type { WebRequest } from '../../transfer/option.ts'
import type { ShownLine } from '../browser/shown-lines.ts'
import { type Counting, isOfClass, sentAs, shortened, wrongWithLines } from './judge.ts'
import { mustTell } from './probe.ts'
import { Failed } from './verdict-errors.ts'

/** What came in the end: the page, or the answer to the platform where the transfer was refused. */
export type Visit = {
  request: WebRequest
  status: number
  isShown: boolean
  /** Whether it came as HTML, or may be taken for it. */
  isHtml: boolean
  text: string
  /** The lines of the page, once they are right or scripts had their time to write them. */
  lines: (isRight: (lines: ShownLine[]) => boolean) => Promise<ShownLine[]>
}

/** What a visit should have led to: a status of this kind and, with 2xx, a page of these items alone. */
export type Right = {
  status: string
  items: Cart['items']
  counting?: Counting
  /** Whether a page without a line is right too, as where a refusal has a status of success. */
  orNone?: boolean
  /** Whether the site has just shown the same to us, so that a 403 is an answer to what is different now. */
  knowsUs?: boolean
}

/**
 * @throws Failed when a visit has not led to what is right: the bag exactly, or nothing of it
 * @throws NotJudged when the status tells nothing of what was sent
 */
export async function judgeVisit(
  { request, status, isShown, text, lines: linesOf }: Visit,
  { status: expected, items, counting = 'lines', orNone = false, knowsUs = false }: Right
): Promise<void> {
  mustTell(status, expected, knowsUs)
  if (!isOfClass(status, expected)) {
    const says = shortened(text.replace(/\s+/g, ' ').trim())
    throw new Failed(`${sentAs(request)}\nThe answer was ${status}; ${expected} would be right. It says: ${says}`)
  }
  const right = isOfClass(status, '2xx') ? items : []
  if (!isShown && right.length > 0 && !orNone) {
    throw new Failed(`${sentAs(request)}\nThe app can open nothing of the answer: ${shortened(text)}`)
  }
  const wrong = (lines: ShownLine[]) => wrongWithLines(lines, right, counting)
  // That there is no line is known only once scripts had their time.
  const lines = await linesOf(lines => lines.length > 0 && wrong(lines) === undefined)
  const problem = orNone && lines.length === 0 ? undefined : wrong(lines)
  if (problem !== undefined) throw new Failed(`${sentAs(request)}\n${problem}`)
}

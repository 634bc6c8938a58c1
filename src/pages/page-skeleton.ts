// A page is put together of a skeleton, which is rendered once, and of what belongs to its bag. The skeleton is rendered of
// a view in which marks stand for all of that, so nothing of one bag can get into another. In a loop it takes 8 µs to
// render 10 lines instead of 18.
import type { Translator } from '../messages/translator.ts'
import { renderFragment } from './fragment.ts'
import type { CommonLineView } from './line-view.ts'
import type { TemplateEngine } from './template-engine.ts'

/** The bytes between marks, and what each mark stands for. */
export type PageSkeleton = { between: string[]; marks: number[] }

/** What belongs to one bag; `printed` are its values as the template prints them, once they have been. */
export type PrintedBag = { lines: CommonLineView[]; values: (string | number)[]; printed?: string[] }

/** The number of the mark of all lines; that of the first value is 1. */
export const LINES = 0

const MARKED = /\0(\d+)\0/

/** What a view has in place of lines or a value. */
export function mark(number: number): string {
  return `\0${number}\0`
}

/** @param data what the template prints, with marks */
export function pageSkeleton({ eta }: TemplateEngine, template: string, data: object): PageSkeleton {
  const parts = eta.render(template, data).split(MARKED)
  return {
    between: parts.filter((_, i) => i % 2 === 0),
    marks: parts.filter((_, i) => i % 2 === 1).map(Number)
  }
}

export function joinPage(
  { eta, encoding }: TemplateEngine,
  { between, marks }: PageSkeleton,
  bag: PrintedBag,
  translator: Translator
): Buffer {
  bag.printed ??= bag.values.map(eta.config.escapeFunction)
  const { lines, printed } = bag
  const lineHtml = lines.reduce((html, line) => html + renderFragment(eta, 'line', line, translator), '')
  const html = marks.reduce(
    (html, number, i) => html + (number === LINES ? lineHtml : printed[number - 1]) + between[i + 1],
    String(between[0])
  )
  return Buffer.from(html, encoding)
}

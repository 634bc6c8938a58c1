// How a body is refused that is no cart at all.
import { quote } from '../../cart/read-cart.ts'
import { type MistakeCode, Refusal, refusalOf } from '../../errors.ts'

/** How far lines are counted, in characters: in megabytes that would take long. */
const MAX_COUNTED = 100_000

export function unreadable(code: MistakeCode, detail: string): Refusal {
  return refusalOf([{ pointer: '#', code, detail }], { detail })
}

export function malformed(reason: string): Refusal {
  return unreadable('json-malformed', `The body is not JSON that can be read: ${reason}.`)
}

export function tooManyValues(most: number): Refusal {
  const detail = `The body may have at most ${most} JSON values, those beyond the contract included; this one has more.`
  return new Refusal('body-too-large', { detail })
}

/** The refusal of a text that goes on differently from what is expected there. */
export function unexpectedAt(text: string, at: number, expected: string): Refusal {
  const character = text.codePointAt(at)
  const found = character === undefined ? 'the end of the body' : quote(String.fromCodePoint(character))
  return malformed(`expected ${expected}, found ${found} at ${placeOf(text, at)}`)
}

/** Line and column as editors count them, or the position in a long text. */
function placeOf(text: string, at: number): string {
  if (at > MAX_COUNTED) return `position ${at}`
  const lines = text.slice(0, at).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) as string).length + 1}`
}

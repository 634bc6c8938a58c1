// How a number and a reference are written in a form field (2A, 2B).

import { MAX_REFERENCE } from '../cart/cart.ts'
import { type FieldResult, quote, type SentField } from '../cart/read-cart.ts'

/** Decimal digits without sign, space, leading zero or fraction. */
export function readFormNumber(field: SentField): FieldResult<number> {
  // A form field is text; absent and mistaken ones have already been handled.
  const { text } = field as { text: string }
  if (/^(0|[1-9]\d*)$/.test(text)) return { value: Number(text) }
  return {
    code: 'quantity-invalid',
    detail: `${quote(text)} is not a quantity; it is 1 to 9999 in digits alone, without sign, space, leading zero or fraction.`
  }
}

/** Printable ASCII without spaces, 1 to 32 characters. */
export function readFormReference(text: string): FieldResult<string> {
  if (text.length <= MAX_REFERENCE && /^[!-~]+$/.test(text)) return { value: text }
  // Of a value that is much too long only the start has been read.
  const length = text.length > 128 ? 'more than 128' : text.length
  const what = text.length > MAX_REFERENCE ? `is ${length} characters long` : 'is not printable ASCII without spaces'
  return { code: 'reference-invalid', detail: `${quote(text)} ${what}; a reference has 1 to 32 such characters.` }
}

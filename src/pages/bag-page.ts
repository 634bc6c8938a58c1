// What of a checkout page belongs to its bag, while nothing is typed in the form: its lines and a few values. Everything
// else is the same on many pages.
import type { CheckoutView } from './checkout-view.ts'
import { isCommonLine } from './line-view.ts'
import { LINES, mark, type PrintedBag } from './page-skeleton.ts'

type BagValue = string | number

/** What belongs to a bag. */
export type BagPage = PrintedBag & {
  /** Bags of one shape have everything else in common. */
  shape: string
  /** The view with marks in place of lines and values. */
  marked: () => CheckoutView
}

/**
 * What belongs to the bag of a checkout page before anything is typed; undefined if a line of it is in no other bag.
 * @param locale of the page
 */
export function bagPage(view: CheckoutView, locale: string): BagPage | undefined {
  const { lines, itemCount, currency, reference, totals, form } = view
  if (!totals || !form || !lines.every(isCommonLine)) return undefined
  const { subtotal, subtotalText, choices } = totals
  const prices = choices.map(({ price }) => price).join()
  const amounts = choices.flatMap(({ total, totalText }) => [total, totalText])
  return {
    shape: `${locale} ${currency} ${prices}`,
    lines,
    values: [itemCount, reference, form.action, form.digest, subtotal, subtotalText, ...amounts],
    marked: () => {
      let number = LINES
      const next = <Value extends BagValue>(_: Value) => mark(++number) as Value
      return {
        ...view,
        lines: [{ sku: '', quantity: 0, title: '', struck: [], notes: [], fragment: { html: mark(LINES) } }],
        itemCount: next(itemCount),
        reference: next(reference),
        form: { ...form, action: next(form.action), digest: next(form.digest) },
        totals: {
          subtotal: next(subtotal),
          subtotalText: next(subtotalText),
          choices: choices.map(({ total, totalText, ...choice }) => ({
            ...choice,
            total: next(total),
            totalText: next(totalText)
          }))
        }
      }
    }
  }
}

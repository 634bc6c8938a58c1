// A shopper who orders in a real browser: fills in the form by its labels, presses its button, and checks the
// confirmation as the app reads it (REAL-APP.md 8 to 11).
import type { Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import type { MerchantChanges } from '../build.ts'
import { leadsBack, type ShopView, showsBag } from './shop-view.ts'

export const SELLS: MerchantChanges = {
  countries: ['GB', 'US'],
  delivery: [
    { id: 'standard', label: 'Standard', price: '4.50' },
    { id: 'express', label: 'Express', price: '9.95' }
  ],
  payment: { text: 'Pay on delivery' }
}

export const MAY = {
  Email: 'may@example.com',
  'Full name': 'May O’Neill',
  Address: '1 Quay Street',
  'Town or city': 'Whitby'
}
export const POSTCODE = { Postcode: 'YO21 1AA' }
/** A value for every field of the form. */
export const EVERYTHING = {
  ...MAY,
  ...POSTCODE,
  'Company (optional)': 'Gansey & Daughters',
  'Flat, floor or building (optional)': 'Sail loft, 2nd floor',
  'Phone number (optional)': '+44 1947 960 1234'
}

const SUMMARY = "JSON.parse(document.getElementById('order').textContent)"
/** The name of the focused field, or the text of the focused link or button. */
export const FOCUSED = 'document.activeElement.name || document.activeElement.innerText'

/** Fills in fields by their labels, and unfolds what is folded away. */
export async function fill(page: Page, typed: Record<string, string>): Promise<void> {
  const fold = page.locator('form details:not([open]) summary')
  if ('Company (optional)' in typed && (await fold.count()) > 0) await fold.click()
  for (const [label, text] of Object.entries(typed)) await page.getByLabel(label, { exact: true }).fill(text)
}

export async function typedIn(page: Page, labels: string[]): Promise<string[]> {
  return Promise.all(labels.map(label => page.getByLabel(label, { exact: true }).inputValue()))
}

/** Fills in the form, and chooses the delivery method that is not preselected. */
export async function fillIn(page: Page, typed: Record<string, string> = EVERYTHING): Promise<void> {
  await fill(page, typed)
  await page.getByLabel('Express').check()
}

/** Checks that the page is a checkout of exactly this bag. */
export async function isCheckout(t: Test, view: ShopView, cart: Cart): Promise<void> {
  t.equal(await view.page.textContent('h1'), 'Checkout')
  await showsBag(t, view, cart, 'the page shows exactly the bag')
}

/** Checks that the page is the checkout of this bag, and still has everything that was filled in. */
export async function keepsForm(
  t: Test,
  view: ShopView,
  cart: Cart,
  typed: Record<string, string> = EVERYTHING
): Promise<void> {
  await isCheckout(t, view, cart)
  t.strictSame(await typedIn(view.page, Object.keys(typed)), Object.values(typed), 'everything typed is kept')
  t.ok(await view.page.getByLabel('Express').isChecked(), 'so is the delivery method')
}

/** The URL that the form is sent to; it contains the token of the checkout. */
export async function formAction(page: Page): Promise<string> {
  return String(await page.getAttribute('form', 'action'))
}

/** The only button that orders. */
export const placeButton = (page: Page) => page.getByRole('button', { name: 'Buy now' })

/** A request of a navigation, with the status of its response; redirects are steps too. */
export type Step = { method: string; path: string; status: number }

export function followSteps({ page }: ShopView): Step[] {
  const steps: Step[] = []
  page.on('response', response => {
    const request = response.request()
    if (!request.isNavigationRequest() || !request.url().startsWith('http')) return
    const { pathname, search } = new URL(request.url())
    steps.push({ method: request.method(), path: pathname + search, status: response.status() })
  })
  return steps
}

/** Clicks what leads to another page, and waits for all of it: a click itself ends when the first bytes are there. */
export async function clickThrough(page: Page, target: Locator): Promise<void> {
  await Promise.all([page.waitForEvent('load'), target.click()])
}

/** Waits until a page has moved the focus, which it does when it is first painted, before or after it has loaded. */
export async function waitForAutofocus(page: Page): Promise<void> {
  await page.locator('[autofocus]:focus').waitFor()
}

/** Waits for a confirmation. Unlike waitForURL, it survives a navigation that another one interrupts. */
export async function waitForConfirmation(page: Page): Promise<void> {
  await page.locator('#order').waitFor({ state: 'attached' })
}

/** Checks everything that an app reads from a confirmation. @returns the order number */
export async function isConfirmed(t: Test, view: ShopView, reference: string, amounts: object): Promise<string> {
  const { page } = view
  await waitForConfirmation(page)
  t.match(page.url(), '/complete?order=', 'the URL contains the configured text')
  t.match(await page.title(), 'Order complete', 'the title contains the configured phrase')
  const number = new URL(page.url()).searchParams.get('order') ?? ''
  t.match(number, /^[2-9A-Z]{4}-[2-9A-Z]{4}$/, 'the URL contains the order number')
  t.strictSame(await page.evaluate(SUMMARY), { orderNumber: number, reference, currency: 'GBP', ...amounts })
  await leadsBack(t, view)
  t.match(await page.textContent('main'), number, 'the shopper sees the order number')
  return number
}

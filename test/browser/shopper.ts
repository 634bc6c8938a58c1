// A shopper who orders in a real browser, and the app beside them: fills the form by its labels, presses its button, and
// reads the confirmation as REAL-APP.md 8 to 11 says.
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import type { Cart } from '../../src/cart/cart.ts'
import type { MerchantChanges } from '../build.ts'
import { type Stand, shows } from './stand.ts'

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
/** Something in every field of the form. */
export const EVERYTHING = {
  ...MAY,
  ...POSTCODE,
  'Company (optional)': 'Gansey & Daughters',
  'Flat, floor or building (optional)': 'Sail loft, 2nd floor',
  'Phone (optional)': '+44 1947 960 1234'
}

const SUMMARY = "JSON.parse(document.getElementById('order').textContent)"
/** The name of the field that has the focus, or the words of the link or button. */
export const FOCUSED = 'document.activeElement.name || document.activeElement.innerText'

export async function fill(page: Page, typed: Record<string, string>): Promise<void> {
  for (const [label, text] of Object.entries(typed)) await page.getByLabel(label, { exact: true }).fill(text)
}

export async function typedIn(page: Page, labels: string[]): Promise<string[]> {
  return Promise.all(labels.map(label => page.getByLabel(label, { exact: true }).inputValue()))
}

/** Writes this into the form and chooses the delivery that is not preselected. */
export async function fillIn(page: Page, typed: Record<string, string> = EVERYTHING): Promise<void> {
  await fill(page, typed)
  await page.getByLabel('Express').check()
}

/** Checks that the page is a checkout, and that it shows exactly this bag. */
export async function isCheckout(t: Test, view: Stand, cart: Cart): Promise<void> {
  t.equal(await view.page.textContent('h1'), 'Checkout')
  await shows(t, view, cart, 'with exactly the bag')
}

/** Checks that the page is the checkout of this bag, and that everything filled in is still there. */
export async function keeps(
  t: Test,
  view: Stand,
  cart: Cart,
  typed: Record<string, string> = EVERYTHING
): Promise<void> {
  await isCheckout(t, view, cart)
  t.strictSame(await typedIn(view.page, Object.keys(typed)), Object.values(typed), 'everything typed')
  t.ok(await view.page.getByLabel('Express').isChecked(), 'and the delivery chosen')
}

/** The address of the checkout that the form places, which holds its token. */
export async function formAction(page: Page): Promise<string> {
  return String(await page.getAttribute('form', 'action'))
}

/** The button for everybody; another one, which nobody sees, is what Enter in a field presses. */
export const placeButton = (page: Page) => page.getByRole('button', { name: 'Buy now' })

/** What happened on the way to a page: the method, path and status of each answer. */
export type Step = { method: string; path: string; status: number }

export function followSteps({ page }: Stand): Step[] {
  const steps: Step[] = []
  page.on('response', response => {
    const request = response.request()
    if (!request.isNavigationRequest() || !request.url().startsWith('http')) return
    const { pathname, search } = new URL(request.url())
    steps.push({ method: request.method(), path: pathname + search, status: response.status() })
  })
  return steps
}

/** Waits for a confirmation; a way there that is broken off by another does no harm, as it would to waitForURL. */
export async function confirmation(page: Page): Promise<void> {
  await page.locator('#order').waitFor({ state: 'attached' })
}

/** Checks everything that an app reads off a confirmation. @returns the order number */
export async function isConfirmed(t: Test, { page }: Stand, reference: string, amounts: object): Promise<string> {
  await confirmation(page)
  t.match(page.url(), '/complete?order=', 'the address contains the strings')
  t.match(await page.title(), 'Order complete', 'the title contains the phrase')
  const number = new URL(page.url()).searchParams.get('order') ?? ''
  t.match(number, /^[2-9A-Z]{4}-[2-9A-Z]{4}$/, 'the address holds the order number')
  t.strictSame(await page.evaluate(SUMMARY), { orderNumber: number, reference, currency: 'GBP', ...amounts })
  const leave = page.getByRole('link', { name: 'Continue shopping' })
  t.equal(await leave.getAttribute('href'), 'shop://continue')
  t.match(await page.textContent('main'), number, 'and people read it too')
  return number
}

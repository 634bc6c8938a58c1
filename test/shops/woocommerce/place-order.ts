// Orders in Chromium what a checkout page of WooCommerce shows, by bank transfer.
import type { Page, Request } from 'playwright-core'

const ADDRESS = {
  first_name: 'Ada',
  last_name: 'Muster',
  address_1: 'Hafenstraße 1',
  postcode: '20095',
  city: 'Hamburg'
}

export const RECEIVED = '/order-received/'

/** @param page a checkout page, block or classic @returns the number of the order */
export async function placeOrder(page: Page): Promise<string> {
  const isClassic = (await page.locator('form.woocommerce-checkout').count()) > 0
  if (isClassic) await fillInClassic(page)
  else await fillInBlocks(page)
  await page.waitForURL(url => url.pathname.includes(RECEIVED))
  return String(/order-received\/(\d+)/.exec(page.url())?.[1])
}

async function fillInBlocks(page: Page): Promise<void> {
  await page.locator('#email').fill('ada@example.com')
  for (const [name, value] of Object.entries(ADDRESS)) await page.locator(`#shipping-${name}`).fill(value)
  const isOrder = (request: Request) => request.method() === 'POST' && /\/checkout\b/.test(request.url())
  // Pressed while it recalculates, the button does nothing.
  for (let isSent = false, tries = 0; !isSent && tries < 5; tries++) {
    const sent = page.waitForRequest(isOrder, { timeout: 10_000 }).then(
      () => true,
      () => false
    )
    await page.locator('.wc-block-components-checkout-place-order-button:not([disabled])').click()
    isSent = await sent
  }
}

async function fillInClassic(page: Page): Promise<void> {
  await page.locator('#billing_email').fill('ada@example.com')
  for (const [name, value] of Object.entries(ADDRESS)) await page.locator(`#billing_${name}`).fill(value)
  // It covers the button while it recalculates.
  await page.locator('#place_order').click()
}

// A story, as in Storybook: one page in one state, how to open it, and how to recognise it.
import type { Page } from 'playwright-core'
import type { Merchant } from '../../src/merchant/merchant.ts'
import type { MessageName } from '../../src/messages/messages.ts'
import { typicalBag } from './goods.ts'
import type { StoryShop } from './story-shop.ts'

export type Story = {
  name: string
  status: number
  /** The only h1. */
  heading: MessageName
  /** Messages, other than the heading, by which the state is recognised. */
  messages?: MessageName[]
  /** So long that axe takes seconds, with no element that other stories lack: it is only opened, in one language. */
  isLong?: boolean
  /** Absent if the story exists for every merchant. */
  appliesTo?: (merchant: Merchant) => boolean
  /** Opens the page in this state. */
  open: (page: Page, shop: StoryShop) => Promise<unknown>
}

/** Opens the checkout of an ordinary bag. */
export async function openCheckout(
  page: Page,
  { checkout, goods }: Pick<StoryShop, 'checkout' | 'goods'>
): Promise<void> {
  await page.goto(await checkout(...typicalBag(goods)))
}

/** What a shopper types; which fields a form has depends on the country. */
export const ADA: Record<string, string> = {
  email: 'ada.lovelace@analytical.example',
  name: 'Ada King-Noel',
  address1: '12 St James’s Square',
  city: 'London',
  state: 'Tokyo',
  postcode: 'SW1Y 4JH',
  // As if the form came back for it: elsewhere than in Britain it does.
  'doubted-postcode': 'SW1Y 4JH'
}

/** Sets all fields at once, which is fast; typing is tested in `test/browser/`. */
export async function fillIn(page: Page, typed = ADA): Promise<void> {
  await page.evaluate(`for (const [name, text] of Object.entries(${JSON.stringify(typed)})) {
    const field = document.getElementById(name)
    if (field) {
      field.value = text
      // Japanese pages list no "Tokyo": take the first prefecture.
      if (field.selectedIndex === -1) field.selectedIndex = 1
    } else if (name.startsWith('doubted-')) {
      form.append(Object.assign(document.createElement('input'), { type: 'hidden', name, value: text }))
    }
  }`)
}

/** Submits the form, and waits for the next page. */
export async function submit(page: Page, button = '.go'): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.locator(button).dispatchEvent('click')])
}

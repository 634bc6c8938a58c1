// A story, as in Storybook: one page in one state, how to open it, and how to recognise it.
import type { Page } from 'playwright-core'
import type { Merchant } from '../../src/merchant/merchant.ts'
import type { MessageName } from '../../src/messages/messages.ts'
import type { StoryShop } from './shop.ts'

export type Story = {
  name: string
  status: number
  /** The one heading of the first level. */
  heading: MessageName
  /** What makes it this state: messages that it shows beside the heading. */
  says?: MessageName[]
  /** Whether it has nothing that the others have not, but so much of it that axe takes seconds: one reading is enough. */
  isLong?: boolean
  /** Absent where every merchant can come to this state. */
  isFor?: (merchant: Merchant) => boolean
  /** Brings the page of the browser to this state. */
  open: (page: Page, shop: StoryShop) => Promise<unknown>
}

/** What a shopper types; which of it a form asks for depends on its country. */
export const ADA: Record<string, string> = {
  email: 'ada.lovelace@analytical.example',
  name: 'Ada King-Noel',
  address1: '12 St James’s Square',
  city: 'London',
  state: 'Tokyo',
  postcode: 'SW1Y 4JH'
}

/** Fills in what the form asks for of this, at once: stories are many, and how it is to type is tested elsewhere. */
export async function fillIn(page: Page, typed = ADA): Promise<void> {
  await page.evaluate(`for (const [name, text] of Object.entries(${JSON.stringify(typed)})) {
    const field = document.getElementById(name)
    if (field) field.value = text
  }`)
}

/** Sends the form, and waits for the page that answers it. */
export async function press(page: Page, button = '.go'): Promise<void> {
  await Promise.all([page.waitForEvent('load'), page.locator(button).dispatchEvent('click')])
}

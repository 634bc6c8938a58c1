// Opens bags in web views for checks that look at the page: new ones, and two that several checks share.

import type { Response } from 'playwright-core'
import type { Cart } from '../../cart/cart.ts'
import type { ShownLine } from '../browser/shown-lines.ts'
import type { ViewParts, WebView } from '../browser/web-view.ts'
import { wrongWithLines } from './judge.ts'
import type { BagLine, Opened, Site } from './site.ts'
import { Failed } from './verdict-errors.ts'

export const BAG: BagLine[] = [
  [0, 1],
  [1, 2],
  [2, 3]
]

/** The bag that another one takes the place of. */
export const BEFORE: BagLine[] = [
  [0, 1],
  [1, 2]
]

/** Opens a bag. @throws Failed where the page does not show exactly it */
export async function shows(site: Site, cart: Cart, view?: WebView, knowsUs = false): Promise<Opened> {
  const opened = await site.open(site.write(cart), view)
  await site.judge(opened, { status: '2xx', items: cart.items, knowsUs })
  return opened
}

/** Opens a bag in a web view that lacks something. */
export async function showsWith(site: Site, parts: ViewParts): Promise<void> {
  await shows(site, site.bag(...BAG), await site.view(parts), true)
}

/** The page that checks look at which do nothing to it but look. */
export function firstPage(site: Site): Promise<Opened> {
  return site.once('first page', () => shows(site, site.bag(...BAG)))
}

/** A web view that has opened one bag and then another. */
export function twoBags(site: Site): Promise<Opened> {
  return site.once('two bags', async () => {
    const view = await site.view()
    await view.context.addCookies([{ name: 'session', value: 'of-an-old-login', url: site.profile.url }])
    await shows(site, site.bag(...BEFORE), view)
    return shows(site, site.bag([2, 3]), view)
  })
}

/** What is wrong with the lines of the page as it is now; undefined when nothing is. */
export async function problemOf({ lines }: Opened, items: Cart['items']): Promise<string | undefined> {
  const wrong = (shown: ShownLine[]) => wrongWithLines(shown, items, 'lines')
  return wrong(await lines(shown => wrong(shown) === undefined))
}

/**
 * @param answer what loaded the page as it is now
 * @throws Failed where it shows neither these items nor that it refuses them: a status that says so, and no line
 */
export async function showsOrRefuses(
  opened: Opened,
  answer: Response | null,
  items: Cart['items'],
  when: string
): Promise<void> {
  const problem = await problemOf(opened, items)
  if (problem === undefined) return
  const isRefusal = answer !== null && answer.status() >= 400 && (await opened.lines(() => true)).length === 0
  if (!isRefusal) throw new Failed(`${when}: ${problem}`)
}

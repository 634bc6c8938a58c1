// A merchant site as a check meets it: bags of its SKUs, the requests that hand them over, and the pages that come of
// it in web views that are new for each check.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cart } from '../cart/cart.ts'
import { readDescription } from '../platform/app-request.ts'
import type { DescribedField } from '../platform/described-field.ts'
import { handOver, type Step, transferCart } from '../platform/hand-over.ts'
import { textOf } from '../platform/send-request.ts'
import type { ShownLine } from '../platform/shown-lines.ts'
import type { ViewParts, WebView, WebViews } from '../platform/web-view.ts'
import type { TransferOption, WebRequest } from '../transfer/option.ts'
import { jsonOf, lastAnswer, refused } from './answers.ts'
import { Failed } from './check.ts'
import { type Counting, isOfClass, sentAs, shortened, wrongWithLines } from './judge.ts'
import type { Profile } from './profile-schema.ts'

/** The nth SKU of those that exist, and how many of it. */
export type BagLine = [nth: number, quantity: number]

/** What came in the end: the page, or the answer to the platform where the transfer was refused. */
export type Visit = {
  request: WebRequest
  status: number
  isShown: boolean
  text: string
  /** The lines of the page, once they are right or scripts had their time to write them. */
  lines: (isRight: (lines: ShownLine[]) => boolean) => Promise<ShownLine[]>
}

/** What came in the end, and the web view that it came to. */
export type Opened = Visit & { view: WebView }

/** What a visit should have led to: a status of this kind and, with 2xx, a page of these items alone. */
export type Right = { status: string; items: Cart['items']; counting?: Counting }

/** A description as it came: what the app makes of it, and its JSON. */
export type Described = { status: number; text: string; fields: DescribedField[]; json: Record<string, unknown> }

/** A page as it looked, in JPEG. */
export type Picture = { caption: string; jpeg: Uint8Array }

export type Site = {
  profile: Profile
  option: TransferOption
  /** A bag under a reference of its own. */
  bag: (...lines: BagLine[]) => Cart
  /** The request that hands a cart over, as the platform is configured to write it. */
  write: (cart: Cart) => WebRequest
  /** Sends a request as platform and app do, without a browser. @returns the last answer */
  send: (request: WebRequest) => Promise<{ status: number; text: string }>
  describe: (cart: Cart) => Promise<Described>
  /** A web view with a new profile, closed with the check. */
  view: (parts?: ViewParts) => Promise<WebView>
  /** Opens in a web view what a request leads to; in a new one where none is given. */
  open: (request: WebRequest, view?: WebView) => Promise<Opened>
  /** Opens something once for all checks that look at the same. */
  once: (name: string, open: () => Promise<Opened>) => Promise<Opened>
  /** Goes where a request leads, in a web view only where scripts write the lines. */
  visit: (request: WebRequest) => Promise<Visit>
  /** @throws Failed when a visit has not led to what is right: the bag exactly, or nothing of it */
  judge: (visit: Visit, right: Right) => Promise<void>
  /** Does something in a page; an error of the browser fails the check. */
  inBrowser: <T>(work: () => Promise<T>) => Promise<T>
  photograph: (view: WebView, caption: string) => Promise<void>
}

export type SiteParts = {
  profile: Profile
  option: TransferOption
  views: WebViews
  /** Where pictures go; none are taken without it. */
  pictures?: Picture[]
  /** Remembers what is to be closed with the check, and with the last of them. */
  opened: WebView[]
  kept: Map<string, Opened>
}

const POLL = 25

/** The cart that a request was written for is never asked for again. */
const NO_CART: Cart = { reference: '', currency: '', items: [] }

export function siteOf({ profile, option, views, pictures, opened, kept }: SiteParts): Site {
  const sending = { timeout: profile.timeoutSeconds * 1000 }
  const sender = (request: WebRequest): TransferOption => ({ ...option, request: () => request })

  /** The lines of a page that scripts may still write. */
  async function settled(view: WebView, isRight: (lines: ShownLine[]) => boolean): Promise<ShownLine[]> {
    const end = Date.now() + profile.page.settleSeconds * 1000
    for (;;) {
      const lines = await site.inBrowser(() => view.lines(profile.page))
      if (isRight(lines) || Date.now() >= end) return lines
      await pause(POLL)
    }
  }

  const site: Site = {
    profile,
    option,
    bag: (...lines) => ({
      reference: profile.reference === 'plain' ? randomUUID().replaceAll('-', '') : randomUUID(),
      currency: profile.currency,
      items: lines.map(([nth, quantity]) => ({
        sku: String(profile.skus.exist[nth % profile.skus.exist.length]),
        quantity
      }))
    }),
    write: cart => (option.variants?.[profile.names] ?? option.request)(cart, profile.url),
    send: async request => {
      const { steps } = await handOver(sender(request), NO_CART, profile.url, sending)
      const answer = lastAnswer(steps, request)
      return { status: answer.status, text: textOf(answer) }
    },
    describe: async cart => {
      const steps: Step[] = []
      const request = site.write(cart)
      await transferCart(sender(request), cart, profile.url, steps, sending)
      const answer = lastAnswer(steps, request)
      const text = textOf(answer)
      return { status: answer.status, text, fields: readDescription(text).fields, json: jsonOf(text) }
    },
    view: async parts => {
      const view = await views.open(parts)
      view.page.setDefaultTimeout(sending.timeout)
      opened.push(view)
      return view
    },
    open: async (request, known) => {
      const steps: Step[] = []
      const app = await transferCart(sender(request), NO_CART, profile.url, steps, sending)
      const view = known ?? (await site.view())
      if (!app) return { ...refused(lastAnswer(steps, request), request), view }
      const response = await site.inBrowser(() => view.open(app, true))
      await site.photograph(view, 'as it came')
      const text = await site.inBrowser(async () => String(await view.page.textContent('body')))
      const lines: Visit['lines'] = isRight => settled(view, isRight)
      return { view, request, status: response.status(), isShown: true, text, lines }
    },
    once: async (name, open) => {
      const known = kept.get(name) ?? (await open())
      kept.set(name, known)
      return known
    },
    visit: async request => {
      if (profile.page.settleSeconds > 0) return site.open(request)
      const { steps, shown } = await handOver(sender(request), NO_CART, profile.url, sending)
      const answer = lastAnswer(steps, request)
      if (!shown) return refused(answer, request)
      const { lines, text } = await views.read(textOf(shown), profile.page)
      return { request, status: answer.status, isShown: true, text, lines: async () => lines }
    },
    judge: async (
      { request, status, isShown, text, lines: linesOf },
      { status: expected, items, counting = 'lines' }
    ) => {
      if (!isOfClass(status, expected)) {
        const says = shortened(text.replace(/\s+/g, ' ').trim())
        throw new Failed(`${sentAs(request)}\nThe answer was ${status}; ${expected} would be right. It says: ${says}`)
      }
      const right = isOfClass(status, '2xx') ? items : []
      if (!isShown && right.length > 0) {
        throw new Failed(`${sentAs(request)}\nThe app can open nothing of the answer: ${shortened(text)}`)
      }
      const wrong = (lines: ShownLine[]) => wrongWithLines(lines, right, counting)
      const problem = wrong(await linesOf(lines => wrong(lines) === undefined))
      if (problem !== undefined) throw new Failed(`${sentAs(request)}\n${problem}`)
    },
    inBrowser: async work => {
      try {
        return await work()
      } catch (error) {
        // What Playwright adds below its first line is a log of its own.
        throw new Failed(`The browser cannot show the page: ${(error as Error).message.split('\n')[0]}`)
      }
    },
    photograph: async ({ page }, caption) => {
      if (!pictures) return
      const jpeg = await site.inBrowser(() => page.screenshot({ type: 'jpeg', quality: 45 }))
      pictures.push({ caption, jpeg })
    }
  }
  return site
}

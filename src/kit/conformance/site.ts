// A merchant site as a check meets it: bags of its SKUs, the requests that hand them over, and the pages that come of
// it in web views that are new for each check.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Cart } from '../../cart/cart.ts'
import type { TransferOption, WebRequest } from '../../transfer/option.ts'
import type { ShownLine } from '../browser/shown-lines.ts'
import type { ViewParts, WebView, WebViews } from '../browser/web-view.ts'
import { readDescription } from '../client/app-request.ts'
import type { DescribedField } from '../client/described-field.ts'
import { responseText } from '../client/response-text.ts'
import { requestPage, type Step, simulateTransfer } from '../client/simulate-transfer.ts'
import { judgeVisit, type Right, type Visit } from './judge-visit.ts'
import { mustTell } from './probe.ts'
import type { Profile } from './profile-schema.ts'
import { jsonOf, lastResponse, refusedVisit } from './responses.ts'
import { Failed, Silent } from './verdict-errors.ts'

/** The nth SKU of those that exist, and how many of it. */
export type BagLine = [nth: number, quantity: number]

/** What came in the end, and the web view that it came to. */
export type Opened = Visit & { view: WebView }

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
  /** Sends a request as platform and app do, without a browser; the lines are those of the HTML. */
  send: (request: WebRequest) => Promise<Visit>
  describe: (cart: Cart) => Promise<Described>
  /** A web view with a new profile, closed with the check. */
  view: (parts?: ViewParts) => Promise<WebView>
  /**
   * Goes as far as the web view: where a description answers, the bag is handed over now and opened later.
   * @returns what opens it, in a new web view where none is given
   */
  prepare: (request: WebRequest) => Promise<(view?: WebView) => Promise<Opened>>
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
      const { steps, shown } = await simulateTransfer(sender(request), NO_CART, profile.url, sending)
      const answer = lastResponse(steps, request)
      if (!shown) return refusedVisit(answer, request)
      const { lines, text } = await views.read(responseText(shown), profile.page)
      return { request, status: answer.status, isShown: true, isHtml: true, text, lines: async () => lines }
    },
    describe: async cart => {
      const steps: Step[] = []
      const request = site.write(cart)
      await requestPage(sender(request), cart, profile.url, steps, sending)
      const answer = lastResponse(steps, request)
      mustTell(answer.status, '')
      const text = responseText(answer)
      return { status: answer.status, text, fields: readDescription(text).fields, json: jsonOf(text) }
    },
    view: async parts => {
      const view = await views.open(parts)
      view.page.setDefaultTimeout(sending.timeout)
      opened.push(view)
      return view
    },
    prepare: async request => {
      const steps: Step[] = []
      const app = await requestPage(sender(request), NO_CART, profile.url, steps, sending)
      return async known => {
        const view = known ?? (await site.view())
        if (!app) return { ...refusedVisit(lastResponse(steps, request), request), view }
        const response = await site.inBrowser(() => view.open(app, true))
        await site.photograph(view, 'as it came')
        const text = await site.inBrowser(async () => String(await view.page.textContent('body')))
        const lines: Visit['lines'] = isRight => settled(view, isRight)
        return { view, request, status: response.status(), isShown: true, isHtml: true, text, lines }
      }
    },
    open: async (request, view) => (await site.prepare(request))(view),
    once: async (name, open) => {
      const known = kept.get(name) ?? (await open())
      kept.set(name, known)
      return known
    },
    visit: request => (profile.page.settleSeconds > 0 ? site.open(request) : site.send(request)),
    judge: judgeVisit,
    inBrowser: async work => {
      try {
        return await work()
      } catch (error) {
        // What Playwright adds below its first line is a log of its own.
        const [says = ''] = (error as Error).message.split('\n')
        const Kind = says.includes('net::ERR_') ? Silent : Failed
        throw new Kind(`The browser cannot show the page: ${says}`)
      }
    },
    photograph: async ({ page }, caption) => {
      if (!pictures) return
      // A font that never comes keeps a page from being pictured, and not from being right.
      const jpeg = await page.screenshot({ type: 'jpeg', quality: 45 }).catch(() => undefined)
      if (jpeg) pictures.push({ caption, jpeg })
    }
  }
  return site
}

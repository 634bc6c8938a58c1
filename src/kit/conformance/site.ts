// A merchant site as the checks see it: carts with its SKUs, the requests that transfer them, and the responses and
// pages that these lead to.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cart } from '../../cart/cart.ts'
import { authorize, type Credentials } from '../../transfer/authorize.ts'
import type { TransferOption, WebRequest } from '../../transfer/option.ts'
import type { PageLine } from '../browser/page-lines.ts'
import type { WebViewOptions, WebViews } from '../browser/web-view.ts'
import { readDescription } from '../client/app-request.ts'
import type { DescribedField } from '../client/described-field.ts'
import { responseText } from '../client/response-text.ts'
import { resolvePageRequest, type Step, simulateTransfer } from '../client/simulate-transfer.ts'
import type { FinalResponse } from './final-response.ts'
import { assertConclusive } from './probe.ts'
import type { Profile } from './profile-schema.ts'
import { lastResponse, parseJsonObject, refusedTransfer } from './responses.ts'
import { inBrowser, type SiteView, siteView } from './site-view.ts'

/** The nth of the SKUs that exist, and its quantity. */
export type CartLine = [nth: number, quantity: number]

/** The last response of a transfer, in a web view. */
export type OpenedPage = FinalResponse & { view: SiteView }

/** A description as sent: its fields as the app reads them, and its JSON. */
export type DescriptionResponse = {
  request: WebRequest
  status: number
  text: string
  fields: DescribedField[]
  json: Record<string, unknown>
}

export type Screenshot = { caption: string; jpeg: Uint8Array }

export type Site = {
  profile: Profile
  option: TransferOption
  /** A cart with a new reference. */
  newCart: (...lines: CartLine[]) => Cart
  /** The request that transfers a cart, written as the profile says that the platform is configured. */
  requestFor: (cart: Cart) => WebRequest
  /**
   * Sends a request as platform and app do, without a browser; the lines are those of the HTML.
   * @param pause how long sending it takes, in milliseconds
   */
  send: (request: WebRequest, pause?: number) => Promise<FinalResponse>
  fetchDescription: (cart: Cart) => Promise<DescriptionResponse>
  /** A web view with a new profile, closed when the check ends. */
  newView: (options?: WebViewOptions) => Promise<SiteView>
  /**
   * Transfers up to the point where a web view is needed: if the option answers with a description, it is fetched now.
   * @returns a function that opens the page, by default in a new web view
   */
  startTransfer: (request: WebRequest) => Promise<(view?: SiteView, caption?: string) => Promise<OpenedPage>>
  /** Transfers and opens the page, by default in a new web view. */
  open: (request: WebRequest, view?: SiteView, caption?: string) => Promise<OpenedPage>
  /** Opens a page once for all checks that share it. */
  openShared: (name: string, open: () => Promise<OpenedPage>) => Promise<OpenedPage>
  /** Transfers and loads the page, in a web view only if scripts write the lines. */
  load: (request: WebRequest, pause?: number) => Promise<FinalResponse>
  /** Whether a web view can send this: only the option's own method, and bodies only as forms. */
  canOpen: (request: WebRequest) => boolean
  takeScreenshot: (view: SiteView, caption: string) => Promise<void>
}

export type SiteOptions = {
  profile: Profile
  option: TransferOption
  views: WebViews
  /** Collects screenshots; by default none are taken. */
  screenshots?: Screenshot[]
  /** Collects the views to close when the check ends, unless their page is shared. */
  openedViews: SiteView[]
  sharedPages: Map<string, OpenedPage>
  credentials?: Credentials | undefined
}

/** In milliseconds. */
const POLL_INTERVAL = 25

/** For an option whose request is already written. */
const NO_CART: Cart = { reference: '', currency: '', items: [] }

export function createSite({
  profile,
  option,
  views,
  screenshots,
  openedViews,
  sharedPages,
  credentials
}: SiteOptions): Site {
  const timeout = profile.timeoutSeconds * 1000
  const sendOptions = { timeout }
  const optionSending = (request: WebRequest): TransferOption => ({ ...option, request: () => request })
  const authorized = (request: WebRequest) => authorize(request, credentials, new Date())

  /** Polls the lines while scripts may still write them. */
  async function pollLines(view: SiteView, isExpected: (lines: PageLine[]) => boolean): Promise<PageLine[]> {
    const deadline = Date.now() + profile.page.settleSeconds * 1000
    for (;;) {
      const lines = await view.call(({ lines }) => lines(profile.page))
      if (isExpected(lines) || Date.now() >= deadline) return lines
      await sleep(POLL_INTERVAL)
    }
  }

  const site: Site = {
    profile,
    option,
    newCart: (...lines) => ({
      reference: profile.reference === 'plain' ? randomUUID().replaceAll('-', '') : randomUUID(),
      currency: profile.currency,
      items: lines.map(([nth, quantity]) => ({
        sku: String(profile.skus.exist[nth % profile.skus.exist.length]),
        quantity
      }))
    }),
    requestFor: cart => (option.variants?.[profile.names] ?? option.request)(cart, profile.url),
    send: async (plain, pause = 0) => {
      const { sent, shown: request } = authorized(plain)
      const { steps, shown } = await simulateTransfer(optionSending(sent), NO_CART, profile.url, { timeout, pause })
      const response = lastResponse(steps, request)
      if (!shown) return refusedTransfer(response, request)
      const { lines, amounts, text } = await inBrowser(() => views.read(responseText(shown), profile.page, timeout))
      const takeScreenshot = async (caption: string) => {
        if (!screenshots || !site.canOpen(plain)) return
        // This response was never in a web view. A picture that cannot be taken is left out.
        await site.open(plain, undefined, caption).catch(() => undefined)
      }
      const status = response.status
      return {
        request,
        status,
        isShown: true,
        isHtml: true,
        text,
        readLines: async () => lines,
        readAmounts: async () => amounts,
        takeScreenshot
      }
    },
    fetchDescription: async cart => {
      const steps: Step[] = []
      const { sent, shown: request } = authorized(site.requestFor(cart))
      await resolvePageRequest(optionSending(sent), NO_CART, profile.url, steps, sendOptions)
      const response = lastResponse(steps, request)
      assertConclusive(response.status, '')
      const text = responseText(response)
      return {
        request,
        status: response.status,
        text,
        fields: readDescription(text).fields,
        json: parseJsonObject(text)
      }
    },
    newView: async options => {
      const view = siteView(await views.open(options), timeout)
      openedViews.push(view)
      return view
    },
    startTransfer: async plain => {
      const { sent, shown: request } = authorized(plain)
      const steps: Step[] = []
      const pageRequest = await resolvePageRequest(optionSending(sent), NO_CART, profile.url, steps, sendOptions)
      return async (existingView, caption = 'when opened') => {
        const view = existingView ?? (await site.newView())
        if (!pageRequest) return { ...refusedTransfer(lastResponse(steps, request), request), view }
        const response = await view.call(({ open }) => open(pageRequest, true))
        await site.takeScreenshot(view, caption)
        const text = await view.call(async ({ page }) => String(await page.textContent('body')))
        const readLines: FinalResponse['readLines'] = isExpected => pollLines(view, isExpected)
        const takeScreenshot = async () => {}
        return {
          view,
          request,
          status: response.status(),
          isShown: true,
          isHtml: true,
          text,
          readLines,
          readAmounts: () => view.call(({ amounts }) => amounts(profile.page)),
          takeScreenshot
        }
      }
    },
    open: async (request, view, caption) => (await site.startTransfer(request))(view, caption),
    openShared: async (name, open) => {
      const page = sharedPages.get(name) ?? (await open())
      sharedPages.set(name, page)
      return page
    },
    canOpen: ({ method, headers }) => {
      const valid = site.requestFor(site.newCart([0, 1]))
      const isSame = method === valid.method && JSON.stringify(headers) === JSON.stringify(valid.headers)
      return isSame || option.answer === 'description'
    },
    load: (request, pause) => (profile.page.settleSeconds > 0 ? site.open(request) : site.send(request, pause)),
    takeScreenshot: async (view, caption) => {
      const jpeg = screenshots && (await view.screenshot())
      if (jpeg) screenshots.push({ caption, jpeg })
    }
  }
  return site
}

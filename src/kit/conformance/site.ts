// A merchant site as the checks see it: carts with its SKUs, the requests that transfer them, and the responses and
// pages that these lead to. It records what was sent, so that a failure can be reproduced.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cart } from '../../cart/cart.ts'
import type { Credentials } from '../../transfer/authentication.ts'
import type { TransferOption, WebRequest } from '../../transfer/option.ts'
import type { PageLine } from '../browser/page-lines.ts'
import { TimeLimitError, type WebView, type WebViewOptions, type WebViews, within } from '../browser/web-view.ts'
import { type DescribedField, readDescription } from '../client/app-request.ts'
import { responseText } from '../client/send-request.ts'
import { resolvePageRequest, type Step, simulateTransfer } from '../client/simulate-transfer.ts'
import { untrusted } from '../client/verified-key.ts'
import { curlLines, curlOfPage } from './detail-text.ts'
import {
  assertConclusive,
  type FinalResponse,
  lastResponse,
  parseJsonObject,
  refusedTransfer
} from './final-response.ts'
import type { Profile } from './profile.ts'
import { PageUnusable, RequestUnanswered } from './verdict-errors.ts'

/** The nth of the SKUs that exist, and its quantity. */
export type CartLine = [nth: number, quantity: number]

/** The last response of a transfer, in a web view. */
export type OpenedPage = FinalResponse & { view: SiteView }

/** A description as sent: its fields as the app reads them, and its JSON. */
export type DescriptionResponse = {
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
  /** What was sent and done so far, in order: curl commands, and what was done in a web view. */
  steps: () => string[]
  /** Forgets what was sent and done: a case that does not depend on it begins, or on this only. */
  startOver: (steps?: string[]) => void
  /** A web view with a new profile, closed when the check ends. */
  newView: (options?: WebViewOptions) => Promise<SiteView>
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
  /** What was sent and done so far. */
  steps: string[]
  credentials?: Credentials | undefined
}

/** For an option whose request is already written. */
const NO_CART: Cart = { reference: '', currency: '', items: [] }

export function createSite({
  profile,
  option,
  views,
  screenshots,
  openedViews,
  sharedPages,
  steps,
  credentials
}: SiteOptions): Site {
  const timeout = profile.timeoutSeconds * 1000
  const sendOptions = { timeout, credentials }
  const optionSending = (request: WebRequest): TransferOption => ({ ...option, request: () => request })
  const record = (...done: string[]) => steps.push(...done)

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
    send: async (request, pause = 0) => {
      const transfer = await simulateTransfer(optionSending(request), NO_CART, profile.url, { ...sendOptions, pause })
      const slowly = pause > 0 ? `Slowly, taking ${pause} ms: ` : ''
      record(...curlLines(transfer.steps).map(line => slowly + line))
      const response = lastResponse(transfer.steps)
      const { shown } = transfer
      if (!shown) return refusedTransfer(response)
      const { lines, amounts, text } = await inBrowser(() => views.read(responseText(shown), profile.page, timeout))
      return {
        status: response.status,
        isShown: true,
        isHtml: true,
        text,
        readLines: async () => lines,
        readAmounts: async () => amounts,
        takeScreenshot: async caption => {
          if (!screenshots) return
          // It was never in a web view. A picture that cannot be taken is left out.
          const view = await site.newView()
          await view.call(({ show }) => show(shown)).catch(() => undefined)
          await site.takeScreenshot(view, caption)
        }
      }
    },
    fetchDescription: async cart => {
      const transfer: Step[] = []
      await resolvePageRequest(optionSending(site.requestFor(cart)), NO_CART, profile.url, transfer, sendOptions)
      record(...curlLines(transfer))
      const response = lastResponse(transfer)
      assertConclusive(response.status, '')
      const text = responseText(response)
      return { status: response.status, text, fields: readDescription(text).fields, json: parseJsonObject(text) }
    },
    steps: () => [...steps],
    startOver: (begun = []) => {
      steps.splice(0, steps.length, ...begun)
    },
    newView: async options => {
      const view = siteView(await views.open(options), timeout, record)
      openedViews.push(view)
      return view
    },
    open: async (request, existingView, caption = 'when opened') => {
      const transfer: Step[] = []
      const pageRequest = await resolvePageRequest(optionSending(request), NO_CART, profile.url, transfer, sendOptions)
      const view = existingView ?? (await site.newView())
      const isNew = view.url() === 'about:blank'
      for (const line of curlLines(transfer)) view.did(line)
      if (!pageRequest) return { ...refusedTransfer(lastResponse(transfer)), view }
      view.did(`In ${isNew ? 'a' : 'the same'} web view: ${curlOfPage(pageRequest)}`)
      const response = await view.call(({ open }) => open(pageRequest, true))
      await site.takeScreenshot(view, caption)
      const text = await view.call(async ({ page }) => String(await page.textContent('body')))
      return {
        view,
        status: response.status(),
        isShown: true,
        isHtml: true,
        text,
        readLines: isExpected => pollLines(view, profile.page, isExpected),
        readAmounts: () => view.call(({ amounts }) => amounts(profile.page)),
        takeScreenshot: async () => {}
      }
    },
    openShared: async (name, open) => {
      const known = sharedPages.get(name)
      if (known) record(...known.view.steps)
      const page = known ?? (await open())
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

export type SiteView = {
  /**
   * Calls into the page. Once one has not returned in time, the view is closed, and all further ones fail at once.
   * @throws CheckFailed if the browser reports an error, or the call takes too long
   */
  call: <T>(action: (view: WebView) => Promise<T>) => Promise<T>
  /** Everything opened and done in it, in order. */
  steps: string[]
  /** Adds to what was opened and done in it. */
  did: (step: string) => void
  /** The URL of the page. */
  url: () => string
  /** Every origin requested so far. */
  origins: ReadonlySet<string>
  /** @returns a JPEG, or undefined if none can be taken */
  screenshot: () => Promise<Uint8Array | undefined>
  close: () => Promise<void>
}

/** In milliseconds. */
const POLL_INTERVAL = 25

/**
 * Runs a browser action; an error of the browser fails the check.
 * @throws CheckFailed, or OperatorError if a certificate is not trusted
 */
export async function inBrowser<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof TimeLimitError) throw new PageUnusable(error.message)
    // Playwright appends a call log to its messages.
    const [reason = ''] = (error as Error).message.split('\n')
    const [, code, address] = /net::(ERR_CERT_\w+) at (\S+)/.exec(reason) ?? []
    if (code !== undefined) throw untrusted(new URL(String(address)).origin, code)
    const Kind = reason.includes('net::ERR_') ? RequestUnanswered : PageUnusable
    throw new Kind(`The browser cannot show the page: ${reason}`)
  }
}

/**
 * @param limit how long each call may take, in milliseconds
 * @param record called with everything that is opened and done in it
 */
export function siteView(view: WebView, limit: number, record: (step: string) => void): SiteView {
  const { page, origins } = view
  // Playwright's own limits would only end some of the calls, and earlier.
  page.setDefaultTimeout(0)
  const steps: string[] = []
  let stuck: TimeLimitError | undefined
  const close = () => within(limit, view.close())
  return {
    call: action =>
      inBrowser(async () => {
        if (stuck) throw stuck
        try {
          return await within(limit, action(view))
        } catch (error) {
          if (error instanceof TimeLimitError) {
            stuck = error
            await Promise.allSettled([close()])
          }
          throw error
        }
      }),
    steps,
    did: step => {
      steps.push(step)
      record(step)
    },
    url: () => page.url(),
    origins,
    screenshot: () => {
      // Playwright waits for fonts; a page is not wrong because one of them never loads.
      const options = { type: 'jpeg', quality: 45, timeout: limit } as const
      return within(limit, page.screenshot(options)).catch(() => undefined)
    },
    close
  }
}

/** Polls the lines while scripts may still write them. */
export async function pollLines(
  view: SiteView,
  page: Profile['page'],
  isExpected: (lines: PageLine[]) => boolean
): Promise<PageLine[]> {
  const deadline = Date.now() + page.settleSeconds * 1000
  for (;;) {
    const lines = await view.call(({ lines }) => lines(page))
    if (isExpected(lines) || Date.now() >= deadline) return lines
    await sleep(POLL_INTERVAL)
  }
}

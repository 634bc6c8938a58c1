// A merchant site as the checks see it: carts with its SKUs, the requests that transfer them, and the responses and
// pages that these lead to. It records what was sent, so that a failure can be reproduced.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cart } from '../../cart/cart.ts'
import { curlLine } from '../../transfer/curl-command.ts'
import type { TransferOption, WebRequest } from '../../transfer/option.ts'
import {
  type PageLine,
  TimeLimitError,
  type WebView,
  type WebViewOptions,
  type WebViews,
  within
} from '../browser/web-view.ts'
import { type AppRequest, readDescription } from '../client/app-request.ts'
import type { Proof } from '../client/prove-sender.ts'
import { responseText, untrusted, type WebResponse, withoutTransportHeaders } from '../client/send-request.ts'
import { resolvePageRequest, type Step, simulateTransfer, withCookies } from '../client/simulate-transfer.ts'
import {
  assertConclusive,
  assertResponse,
  type CompareBy,
  type FinalResponse,
  lastResponse,
  matchesStatus,
  PageUnusable,
  RequestUnanswered,
  refusedTransfer,
  sendProbe
} from './final-response.ts'
import { type Profile, requestSettings } from './profile.ts'

export type CartLine = [nth: number, quantity: number]

/** With the method of the request that the page answers, after redirects; absent if there is no page. */
export type OpenedPage = FinalResponse & { view: SiteView; method?: string }

export type Screenshot = { caption: string; jpeg: Uint8Array }

/** A request of the web view, and its response. */
export type PageExchange = { request: WebRequest; response: Pick<WebResponse, 'status' | 'headers'> }

/** How long sending takes, in milliseconds, and the kind of answer: by default that of the option. */
type LoadOptions = { pause?: number | undefined; answer?: TransferOption['answer'] }

export type SiteOptions = {
  profile: Profile
  option: TransferOption
  views: WebViews
  takesScreenshots?: boolean
  credentials?: Proof | undefined
}

export type Site = ReturnType<typeof createSite>

/** One site for all checks: each begins with `startOver` and ends with `endCheck`. */
export function createSite({ profile, option, views, takesScreenshots = false, credentials }: SiteOptions) {
  const timeout = profile.timeoutSeconds * 1000
  const sendOptions = { timeout, credentials }
  /** What was sent and done so far, in order: curl commands, and what was done in a web view. */
  const steps: string[] = []
  const openedViews: SiteView[] = []
  const screenshots: Screenshot[] = []

  function newCart(...lines: CartLine[]): Cart {
    const { exist } = profile.skus
    return {
      reference: profile.reference === 'plain' ? randomUUID().replaceAll('-', '') : randomUUID(),
      currency: profile.currency,
      items: lines.map(([nth, quantity]) => ({ sku: String(exist[nth % exist.length]), quantity }))
    }
  }

  /** The request that transfers a cart, by default written as the profile says that the platform is configured. */
  function requestFor(cart: Cart, names = profile.names): WebRequest {
    const { url } = profile
    return option.variants?.[names]?.(cart, url) ?? option.request(cart, url, requestSettings(profile))
  }

  /** Transfers without a web view: the lines are those of the HTML. */
  async function send(
    request: WebRequest,
    { pause = 0, answer = option.answer }: LoadOptions = {}
  ): Promise<FinalResponse> {
    const transfer = await simulateTransfer(request, answer, { ...sendOptions, pause })
    const slowly = pause > 0 ? `Slowly, taking ${pause} ms: ` : ''
    steps.push(...curlLines(transfer.steps).map(line => slowly + line))
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
        if (!takesScreenshots) return
        // It was never in a web view. A picture that cannot be taken is left out.
        const view = await newView()
        await view.call(({ show }) => show(shown)).catch(() => undefined)
        await takeScreenshot(view, caption)
      }
    }
  }

  /** Transfers without a web view. @returns what the web view would send until it has the page, and each response */
  async function follow(request: WebRequest): Promise<PageExchange[]> {
    const transfer = await simulateTransfer(request, option.answer, sendOptions)
    steps.push(...curlLines(transfer.steps))
    const last = lastResponse(transfer.steps)
    assertConclusive(last.status, '', { text: responseText(last) })
    return transfer.steps.flatMap((step, i): PageExchange[] => {
      const next = transfer.steps[i + 1]
      if (step.step !== 'request' || step.sender === 'platform' || next?.step !== 'answer') return []
      return [{ request: withoutTransportHeaders(step.request), response: next.answer }]
    })
  }

  async function fetchDescription(cart: Cart) {
    const transfer = await resolvePageRequest(requestFor(cart), option.answer, sendOptions)
    steps.push(...curlLines(transfer.steps))
    const response = lastResponse(transfer.steps)
    const text = responseText(response)
    assertConclusive(response.status, '', { text })
    return { status: response.status, text, fields: readDescription(text).fields }
  }

  /**
   * Asks the site, as the platform's servers do; nothing is followed.
   * @param isPublic whether anybody may ask: then the credentials are left out
   */
  async function ask(request: WebRequest, isPublic = false): Promise<WebResponse> {
    const asked = await resolvePageRequest(request, 'description', isPublic ? { timeout } : sendOptions)
    steps.push(...curlLines(asked.steps))
    return lastResponse(asked.steps)
  }

  /** Starts the record of what was sent and done anew. @param begun the part of it that what follows depends on */
  function startOver(begun: string[] = []): void {
    steps.splice(0, steps.length, ...begun)
  }

  /** A web view with a new profile, closed when the check ends. */
  async function newView(options?: WebViewOptions): Promise<SiteView> {
    const view = siteView(await views.open(options), timeout)
    openedViews.push(view)
    return view
  }

  /** Transfers and opens the page, by default in a new web view. */
  async function open(
    request: WebRequest,
    known?: SiteView,
    caption = 'when opened',
    answer = option.answer
  ): Promise<OpenedPage> {
    const transfer = await resolvePageRequest(request, answer, sendOptions)
    const view = known ?? (await newView())
    const isNew = view.page.url() === 'about:blank'
    steps.push(...curlLines(transfer.steps))
    const { request: pageRequest } = transfer
    if (!pageRequest) return { ...refusedTransfer(lastResponse(transfer.steps)), view }
    steps.push(`In ${isNew ? 'a' : 'the same'} web view: ${curlOfPage(pageRequest)}`)
    const response = await view.call(({ open }) => open(pageRequest))
    await takeScreenshot(view, caption)
    return {
      view,
      method: response.request().method(),
      status: response.status(),
      isShown: true,
      isHtml: true,
      text: await view.call(async ({ page }) => String(await page.textContent('body'))),
      readLines: isExpected => pollLines(view, isExpected),
      readAmounts: async () => (await view.call(({ read }) => read(profile.page))).amounts
    }
  }

  /** Polls the lines while scripts may still write them. */
  async function pollLines(view: SiteView, isExpected: (lines: PageLine[]) => boolean): Promise<PageLine[]> {
    const deadline = Date.now() + profile.page.settleSeconds * 1000
    for (;;) {
      const { lines } = await view.call(({ read }) => read(profile.page))
      if (isExpected(lines) || Date.now() >= deadline) return lines
      await sleep(25)
    }
  }

  /** Transfers and loads the page, in a web view only if scripts write the lines. */
  function load(request: WebRequest, options: LoadOptions = {}): Promise<FinalResponse> {
    const isScripted = profile.page.settleSeconds > 0
    return isScripted ? open(request, undefined, undefined, options.answer) : send(request, options)
  }

  async function takeScreenshot(view: SiteView, caption: string): Promise<void> {
    const jpeg = takesScreenshots && (await view.screenshot())
    if (jpeg) screenshots.push({ caption, jpeg })
  }

  /** Closes the views of a check. @returns its screenshots */
  async function endCheck(): Promise<Screenshot[]> {
    // allSettled: the browser of a view may be gone.
    await Promise.allSettled(openedViews.splice(0).map(view => view.close()))
    return screenshots.splice(0)
  }

  return {
    profile,
    option,
    steps,
    newCart,
    requestFor,
    send,
    load,
    follow,
    fetchDescription,
    ask,
    newView,
    open,
    takeScreenshot,
    startOver,
    endCheck
  }
}

/** Transfers a cart, in a web view only if scripts write the lines. @throws CheckFailed unless exactly it is shown */
export async function assertShown(
  site: Site,
  cart: Cart,
  { request = site.requestFor(cart), compareBy = 'lines' }: { request?: WebRequest; compareBy?: CompareBy } = {}
): Promise<void> {
  await assertResponse(await site.load(request), { status: '2xx', items: cart.items, compareBy })
}

/** For carts that a site may refuse. @throws CheckFailed unless the page shows all of the items, or it is a refusal */
export async function assertShownOrRefused(site: Site, items: Cart['items'], request: WebRequest): Promise<void> {
  site.startOver()
  const response = await sendProbe('', () => site.load(request))
  const status = response.status < 400 ? '2xx' : '4xx'
  // If the site refuses with a success status, a page without lines is a refusal.
  const allowsNoLines = matchesStatus(response.status, site.profile.expect.malformed)
  await assertResponse(response, { status, items, compareBy: 'units', allowsNoLines })
}

export type SiteView = ReturnType<typeof siteView>

/** The requests of a transfer as curl commands, whole: what is cut short cannot be sent again. */
function curlLines(steps: Step[]): string[] {
  return steps.flatMap(step => (step.step === 'request' ? curlLine(step.request) : []))
}

function curlOfPage({ cookies = [], ...request }: AppRequest): string {
  return curlLine(withCookies(request, cookies.map(({ name, value }) => `${name}=${value}`).join('; ')))
}

/** @throws CheckFailed if the browser reports an error, or OperatorError if it does not trust a certificate */
async function inBrowser<T>(action: () => Promise<T>): Promise<T> {
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

/** @param limit how long each call may take, in milliseconds */
function siteView(view: WebView, limit: number) {
  const { page, origins } = view
  // Playwright's own limits would only end some of the calls, and earlier.
  page.setDefaultTimeout(0)
  return {
    page,
    origins,
    close: () => within(limit, view.close()),
    /** Calls into the page. @throws CheckFailed if the browser reports an error, or the call takes too long */
    call: <T>(action: (view: WebView) => Promise<T>) =>
      inBrowser(() => within(limit, action(view))).catch(error => {
        // A page that hangs would take a processor until the check ends. Whether it can be closed is seen then.
        if (error instanceof PageUnusable) void Promise.allSettled([view.close()])
        throw error
      }),
    /** @returns a JPEG, or undefined if none can be taken */
    screenshot: () => {
      // Playwright waits for fonts; a page is not wrong because one of them never loads.
      const options = { type: 'jpeg', quality: 45, timeout: limit } as const
      return within(limit, page.screenshot(options)).catch(() => undefined)
    }
  }
}

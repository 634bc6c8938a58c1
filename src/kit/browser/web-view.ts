// An app's web view: real Chromium at phone size, with its own profile, cookies and history. Code that runs inside a
// page is a string, so that coverage does not instrument it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page, Request, Response } from 'playwright-core'
import type { AppRequest } from '../client/app-request.ts'
import type { WebResponse } from '../client/send-request.ts'
import { launchChromium, launchWithoutCookies } from './launch-chromium.ts'

/** Where a page shows a line, and within the line its SKU and quantity. */
export type LineSelectors = {
  /** A CSS selector that matches one element per line. */
  line: string
  /** `@data-sku`: an attribute of the line; `.sku`: the text of an element in it; `.sku@title`: its attribute. */
  sku: string
  quantity: string
  /** The price of a line, within it. */
  price?: string
  /** The total, anywhere on the page: `.total`, `.total@data-amount`. */
  total?: string
}

export type PageLine = { sku: string; quantity: string; text: string }

export type PageAmount = { of: string; text: string }

type PageContent = { lines: PageLine[]; amounts: PageAmount[]; text: string }

export type WebView = ReturnType<typeof webView>

export type WebViewOptions = {
  javaScriptEnabled?: boolean
  /** Whether it drops all cookies, as a web view may (REAL-APP.md 14). */
  blocksCookies?: boolean
}

export type WebViews = ReturnType<typeof webViews>

export const PHONE = { width: 390, height: 844 }

/** How long the browser may take for what is not a merchant's page, in milliseconds. */
const OWN_LIMIT = 30_000

type BrowserOptions = {
  /** Whether a signal closes the browsers and ends the process, the default; otherwise the caller has to close them. */
  closesOnSignal?: boolean
  /** Public keys whose certificates are trusted: the SHA-256 of each SPKI, in base64. */
  trustedKeys?: string[]
}

/** Web views, each with a new profile, in two browsers that are launched on first use: one of them blocks cookies. */
export function webViews(executablePath: string, { closesOnSignal = true, trustedKeys = [] }: BrowserOptions = {}) {
  let profile: string | undefined
  let browser: Promise<Browser> | undefined
  let cookielessContext: Promise<BrowserContext> | undefined
  let reader: Promise<WebView> | undefined
  const launchOptions = { trustedKeys, handleSIGINT: closesOnSignal, handleSIGTERM: closesOnSignal }
  const open = async ({ javaScriptEnabled = true, blocksCookies = false }: WebViewOptions = {}) => {
    if (blocksCookies) {
      profile ??= mkdtempSync(join(tmpdir(), 'cart-transfer-profile-'))
      cookielessContext ??= launchWithoutCookies(executablePath, profile, { ...launchOptions, viewport: PHONE })
      const page = await within(OWN_LIMIT, (await cookielessContext).newPage())
      return webView(page, () => page.close())
    }
    browser ??= launchChromium(executablePath, launchOptions)
    const context = await within(OWN_LIMIT, (await browser).newContext({ viewport: PHONE, javaScriptEnabled }))
    return webView(await within(OWN_LIMIT, context.newPage()), () => context.close())
  }
  /** Parses a page without loading its resources or running its scripts. @param limit in ms @throws TimeLimitError */
  const read = async (html: string, selectors: LineSelectors, limit = OWN_LIMIT): Promise<PageContent> => {
    reader ??= open()
    const { page, close } = await reader
    const document = `new DOMParser().parseFromString(${JSON.stringify(html)}, 'text/html')`
    try {
      return await within(limit, page.evaluate(readLinesScript(document, selectors)))
    } catch (error) {
      // It may be busy with this page for ever, or out of memory; the next one gets another view.
      reader = undefined
      await Promise.allSettled([within(limit, close())])
      throw error
    }
  }
  const close = async () => {
    // allSettled: a browser that failed to launch has nothing to close.
    await Promise.allSettled([browser, cookielessContext].map(async launched => (await launched)?.close()))
    if (profile !== undefined) rmSync(profile, { recursive: true, force: true })
  }
  return { open, read, close }
}

function webView(page: Page, close: () => Promise<void>) {
  const origins = new Set<string>()
  page.on('request', request => {
    if (/^https?:/.test(request.url())) origins.add(new URL(request.url()).origin)
  })
  return {
    page,
    origins,
    /** Opens a request. Its cookies are added to those of before, as an app may keep some (REAL-APP.md 5). @returns the last response */
    open: async ({ method, url, headers, body = '', cookies = [] }: AppRequest): Promise<Response> => {
      const { hostname: domain } = new URL(url)
      await page.context().addCookies(cookies.map(cookie => ({ ...cookie, domain })))
      const extraHeaders = headers.filter(({ name }) => name.toLowerCase() !== 'content-type')
      await page.setExtraHTTPHeaders(Object.fromEntries(extraHeaders.map(({ name, value }) => [name, value])))
      const response = page.waitForEvent('response', isPageResponse)
      // A form submit without a response is reported nowhere else. Later failures are those of frames.
      const failure = page
        .waitForEvent('requestfailed', { predicate: isFailedNavigation, timeout: 0 })
        .then(request => {
          throw new Error(`${request.failure()?.errorText} at ${request.url()}`)
        })
      const isPost = method.toUpperCase() === 'POST'
      const opened = Promise.all([response, isPost ? submitForm(page, url, body) : page.goto(url)])
      for (const promise of [failure, opened]) promise.catch(() => {})
      await Promise.race([response, failure, opened])
      await opened
      return response
    },
    /** Shows a response that was already received, without requesting it again. */
    show: async ({ url, status, headers, body }: WebResponse) => {
      const fields = Object.fromEntries(headers.map(({ name, value }) => [name, value]))
      // Matches any URL, as Chromium may normalise it; the first request is always the page.
      await page.route(
        () => true,
        route => route.fulfill({ status, headers: fields, body: Buffer.from(body) }),
        { times: 1 }
      )
      await page.goto(url)
    },
    read: (selectors: LineSelectors): Promise<PageContent> => page.evaluate(readLinesScript('document', selectors)),
    close
  }
}

/** Whether this is what the web view shows, and not a redirect on the way there. */
function isPageResponse(response: Response): boolean {
  const isRedirect = response.status() >= 300 && response.status() <= 399
  return response.request().isNavigationRequest() && response.url().startsWith('http') && !isRedirect
}

/** A navigation that another one replaced is aborted, which is not a failure. */
function isFailedNavigation(request: Request): boolean {
  return request.isNavigationRequest() && request.failure()?.errorText !== 'net::ERR_ABORTED'
}

/** @returns a PNG of the whole page, at phone width @param executablePath the path of Chromium */
export async function screenshot(response: WebResponse, executablePath: string): Promise<Uint8Array> {
  const views = webViews(executablePath)
  try {
    const { page, show } = await views.open()
    await show(response)
    // On a screen as high as the page, a bar at the bottom of the screen is at the end of the page, not across it.
    const height = Number(await page.evaluate('document.documentElement.scrollHeight'))
    await page.setViewportSize({ width: PHONE.width, height })
    return await page.screenshot({ fullPage: true })
  } finally {
    await views.close()
  }
}

/** Submits a real form from a page with an opaque origin, which is how a web view's POST arrives. */
async function submitForm(page: Page, url: string, body: string): Promise<void> {
  const fields = [...new URLSearchParams(body)]
  const inputs = fields.map(([name, value]) => `<textarea name="${escapeHtml(name)}">\n${escapeHtml(value)}</textarea>`)
  const form = `<meta charset=utf-8><form method=post action="${escapeHtml(url)}">${inputs.join('')}</form>`
  await page.goto(`data:text/html;charset=utf-8,${encodeURIComponent(form)}`)
  // If no form would encode the body like this, it is replaced whenever the request is sent: after a reload, and after
  // Back, for which Chromium keeps no copy of such a page.
  const address = new URL(url)
  address.hash = ''
  const encoded = new URLSearchParams(fields).toString()
  if (encoded !== body) {
    await page.route(
      ({ href }) => href === address.href,
      route => (route.request().postData() === encoded ? route.continue({ postData: body }) : route.fallback())
    )
  }
  const navigated = page.waitForURL(address => address.href.startsWith('http'))
  await Promise.all([navigated, page.evaluate('document.forms[0].submit()')])
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

/** A script that runs inside a page. @param document the document to read, as an expression of JavaScript */
function readLinesScript(document: string, selectors: LineSelectors): string {
  return `(${READ_LINES})(${document}, ${JSON.stringify(selectors)})`
}

const READ_LINES = `(root, { line, sku, quantity, price, total }) => {
  const read = (element, place) => {
    const [selector, attribute] = place.split('@')
    const found = selector ? element.querySelector(selector) : element
    return (attribute === undefined ? found?.textContent.trim() : found?.getAttribute(attribute)) ?? ''
  }
  // A document that was only parsed has no layout, so its elements all count as visible.
  const isVisible = element => root !== document || element.checkVisibility({ visibilityProperty: true })
  const elements = Array.from(root.querySelectorAll(line)).filter(isVisible)
  const lines = elements.map(element => ({
    sku: read(element, sku), quantity: read(element, quantity), text: element.innerText
  }))
  const amounts = price ? elements.map(element => ({ of: read(element, sku), text: read(element, price) })) : []
  if (total) amounts.push({ of: 'the total', text: read(root, total) })
  return { lines, amounts, text: root.body?.textContent ?? '' }
}`

export class TimeLimitError extends Error {}

/** @param limit in milliseconds @throws TimeLimitError after that; the call goes on until its view is closed */
export async function within<T>(limit: number, call: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const error = new TimeLimitError(
    `The page did not respond within ${limit / 1000} s. A script may be blocking it, or it never finishes loading.`
  )
  const timer = setTimeout(reject, limit, error)
  try {
    return await Promise.race([call, late])
  } finally {
    clearTimeout(timer)
  }
}

// A web view as an app has one: real Chromium at phone size with the profile, cookies and history of one app. Code
// that runs inside a page is a string here: it is the browser's.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page, type Response } from 'playwright-core'
import type { AppRequest } from './app-request.ts'

/** How a page says what it shows: where a line is, and within a line its SKU and quantity. */
export type LineSelectors = {
  /** A CSS selector that finds one element per line. */
  line: string
  /** `@data-sku` is an attribute of the line, `.sku` the text of an element in it, `.sku@title` an attribute of that. */
  sku: string
  quantity: string
}

/** The attributes of our own pages (decisions.md, "The checkout page"). */
export const OWN_SELECTORS: LineSelectors = {
  line: '[data-sku],[data-quantity]',
  sku: '@data-sku',
  quantity: '@data-quantity'
}

/** A line as the page shows it; the quantity as it is written. */
export type ShownLine = { sku: string; quantity: string; text: string }

export type WebView = {
  page: Page
  context: BrowserContext
  /**
   * Opens a request as the app does: where cookies are described it clears its own and sets those.
   * @returns the answer with the page, after redirects
   */
  open: (request: AppRequest) => Promise<Response>
  lines: (selectors?: LineSelectors) => Promise<ShownLine[]>
  /** Origins asked for anything since the start, and what the console said against the page's policy. */
  origins: Set<string>
  violations: string[]
  close: () => Promise<void>
}

export type WebViewParts = {
  /** The path of the Chromium that plays it. */
  executablePath: string
  javaScriptEnabled?: boolean
  /** Whether it keeps no cookie, as a web view may (real-app.md 14). */
  refusesCookies?: boolean
}

export const PHONE = { width: 390, height: 844 }

const SUBMIT = 'document.forms[0].submit()'

/** Chromium's setting of 2 means: block them all. */
const NO_COOKIES = { profile: { default_content_setting_values: { cookies: 2 } } }

/** Opens a web view with a new profile of its own. */
export async function openWebView(parts: WebViewParts): Promise<WebView> {
  const { executablePath, javaScriptEnabled = true, refusesCookies = false } = parts
  const profile = mkdtempSync(join(tmpdir(), 'cart-transfer-profile-'))
  if (refusesCookies) {
    mkdirSync(join(profile, 'Default'))
    writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(NO_COOKIES))
  }
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    viewport: PHONE,
    javaScriptEnabled,
    args: ['--no-sandbox', '--disable-background-networking']
  })
  const page = context.pages()[0] ?? (await context.newPage())
  const origins = new Set<string>()
  const violations: string[] = []
  page.on('request', request => {
    if (/^https?:/.test(request.url())) origins.add(new URL(request.url()).origin)
  })
  page.on('console', message => {
    if (/Content Security Policy/i.test(message.text())) violations.push(message.text())
  })

  /** A real form submit from a page of an opaque origin, as a web view's own POST is. */
  async function post(url: string, body: string): Promise<void> {
    const fields = [...new URLSearchParams(body)]
    const inputs = fields.map(([name, value]) => `<textarea name="${attribute(name)}">\n${attribute(value)}</textarea>`)
    const form = `<meta charset=utf-8><form method=post action="${attribute(url)}">${inputs.join('')}<button>Go</button></form>`
    await page.goto(`data:text/html;charset=utf-8,${encodeURIComponent(form)}`)
    // What no form writes that way is put in its place on the way out.
    if (new URLSearchParams(fields).toString() !== body) {
      await page.route(url, route => route.continue({ postData: body }), { times: 1 })
    }
    const arrived = page.waitForURL(address => address.href.startsWith('http'))
    await Promise.all([arrived, javaScriptEnabled ? page.evaluate(SUBMIT) : page.click('button')])
  }
  return {
    page,
    context,
    origins,
    violations,
    open: async ({ method, url, headers, body = '', cookies }) => {
      if (cookies) {
        await context.clearCookies()
        const { hostname: domain } = new URL(url)
        await context.addCookies(cookies.map(cookie => ({ ...cookie, domain })))
      }
      const added = headers.filter(({ name }) => name.toLowerCase() !== 'content-type')
      await page.setExtraHTTPHeaders(Object.fromEntries(added.map(({ name, value }) => [name, value])))
      const answered = page.waitForEvent('response', response => isPage(response))
      await Promise.all([answered, method === 'POST' ? post(url, body) : page.goto(url)])
      return answered
    },
    lines: (selectors = OWN_SELECTORS) => page.evaluate(`(${LINES})(${JSON.stringify(selectors)})`),
    close: async () => {
      await context.close()
      rmSync(profile, { recursive: true, force: true })
    }
  }
}

/** Whether this is what the web view shows, and no redirect on the way there. */
function isPage(response: Response): boolean {
  const isRedirect = response.status() >= 300 && response.status() <= 399
  return response.request().isNavigationRequest() && response.url().startsWith('http') && !isRedirect
}

/** Reads the lines of a page; runs inside it, so that it is text here. */
const LINES = `({ line, sku, quantity }) => {
  const read = (element, place) => {
    const [selector, attribute] = place.split('@')
    const found = selector ? element.querySelector(selector) : element
    return (attribute === undefined ? found?.textContent.trim() : found?.getAttribute(attribute)) ?? ''
  }
  return Array.from(document.querySelectorAll(line), element => ({
    sku: read(element, sku), quantity: read(element, quantity), text: element.innerText
  }))
}`

/** Text as it stands in a quoted attribute, or in an element. */
function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

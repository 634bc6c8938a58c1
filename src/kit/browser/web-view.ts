// A web view as an app has one: real Chromium at phone size with the profile, cookies and history of one app. Code
// that runs inside a page is a string here: it is the browser's.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Browser,
  type BrowserContext,
  chromium,
  type LaunchOptions,
  type Page,
  type Request,
  type Response
} from 'playwright-core'
import type { AppRequest } from '../client/app-request.ts'
import { type LineSelectors, OWN_SELECTORS, readIn, type ShownLine } from './shown-lines.ts'

export type WebView = {
  page: Page
  context: BrowserContext
  /**
   * Opens a request as the app does: where cookies are described it clears its own and sets those.
   * @param keepsCookies whether it keeps its own beside them, as an app may be configured to (real-app.md 5)
   * @returns the answer with the page, after redirects
   */
  open: (request: AppRequest, keepsCookies?: boolean) => Promise<Response>
  lines: (selectors?: LineSelectors) => Promise<ShownLine[]>
  /** Origins asked for anything since the start, and what the console said against the page's policy. */
  origins: Set<string>
  violations: string[]
  close: () => Promise<void>
}

export type ViewParts = {
  javaScriptEnabled?: boolean
  /** Whether it keeps no cookie, as a web view may (real-app.md 14). */
  refusesCookies?: boolean
}

/** Web views that share a browser, each with a new profile of its own. */
export type WebViews = {
  open: (parts?: ViewParts) => Promise<WebView>
  /** Reads a page that was fetched as the browser reads it, but loads nothing for it and runs nothing in it. */
  read: (html: string, selectors?: LineSelectors) => Promise<{ lines: ShownLine[]; text: string }>
  close: () => Promise<void>
}

export const PHONE = { width: 390, height: 844 }

const SIGNALS_ELSEWHERE = { handleSIGINT: false, handleSIGTERM: false }

const ARGS = ['--no-sandbox', '--disable-background-networking']

const SUBMIT = 'document.forms[0].submit()'

/** Chromium's setting of 2 means: block them all. It is one of the whole browser. */
const NO_COOKIES = { profile: { default_content_setting_values: { cookies: 2 } } }

/** Opens a web view in a browser of its own. @param executablePath the path of the Chromium that plays it */
export async function openWebView({
  executablePath,
  ...parts
}: ViewParts & { executablePath: string }): Promise<WebView> {
  const views = webViews(executablePath)
  try {
    const view = await views.open(parts)
    return { ...view, close: views.close }
  } catch (error) {
    await views.close()
    throw error
  }
}

/**
 * The browsers start when they are first needed: one for all, and one that refuses cookies.
 * @param closesOnSignal whether a signal closes them and ends the process; otherwise whoever starts them does that
 */
export function webViews(executablePath: string, closesOnSignal = true): WebViews {
  let profile: string | undefined
  let browser: Promise<Browser> | undefined
  let refusing: Promise<BrowserContext> | undefined
  let reader: Promise<WebView> | undefined
  const launching = { executablePath, args: ARGS, ...(!closesOnSignal && SIGNALS_ELSEWHERE) }
  const views: WebViews = {
    open: async ({ javaScriptEnabled = true, refusesCookies = false } = {}) => {
      if (refusesCookies) {
        profile ??= mkdtempSync(join(tmpdir(), 'cart-transfer-profile-'))
        refusing ??= launchRefusing(launching, profile)
        const page = await (await refusing).newPage()
        return webView(page, javaScriptEnabled, () => page.close())
      }
      browser ??= chromium.launch(launching)
      const context = await (await browser).newContext({ viewport: PHONE, javaScriptEnabled })
      return webView(await context.newPage(), javaScriptEnabled, () => context.close())
    },
    read: async (html, selectors = OWN_SELECTORS) => {
      reader ??= views.open()
      return (await reader).page.evaluate(
        readIn(`new DOMParser().parseFromString(${JSON.stringify(html)}, 'text/html')`, selectors)
      )
    },
    close: async () => {
      // One that could not start has nothing to close.
      await Promise.allSettled([browser, refusing].map(async started => (await started)?.close()))
      if (profile !== undefined) rmSync(profile, { recursive: true, force: true })
    }
  }
  return views
}

function launchRefusing(launching: LaunchOptions, profile: string): Promise<BrowserContext> {
  mkdirSync(join(profile, 'Default'))
  writeFileSync(join(profile, 'Default/Preferences'), JSON.stringify(NO_COOKIES))
  return chromium.launchPersistentContext(profile, { ...launching, viewport: PHONE })
}

function webView(page: Page, javaScriptEnabled: boolean, close: () => Promise<void>): WebView {
  const context = page.context()
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
    open: async ({ method, url, headers, body = '', cookies }, keepsCookies = false) => {
      if (cookies) {
        if (!keepsCookies) await context.clearCookies()
        const { hostname: domain } = new URL(url)
        await context.addCookies(cookies.map(cookie => ({ ...cookie, domain })))
      }
      const added = headers.filter(({ name }) => name.toLowerCase() !== 'content-type')
      await page.setExtraHTTPHeaders(Object.fromEntries(added.map(({ name, value }) => [name, value])))
      const answered = page.waitForEvent('response', response => isPage(response))
      // A form that gets no answer says so nowhere else; what fails later is some frame of the page.
      const failed = page.waitForEvent('requestfailed', { predicate: isLost, timeout: 0 }).then(request => {
        throw new Error(`${request.failure()?.errorText} at ${request.url()}`)
      })
      const opened = Promise.all([answered, method.toUpperCase() === 'POST' ? post(url, body) : page.goto(url)])
      for (const promise of [failed, opened]) promise.catch(() => {})
      await Promise.race([answered, failed, opened])
      await opened
      return answered
    },
    lines: async (selectors = OWN_SELECTORS) => {
      const { lines }: { lines: ShownLine[] } = await page.evaluate(readIn('document', selectors))
      return lines
    },
    close
  }
}

/** Whether this is what the web view shows, and no redirect on the way there. */
function isPage(response: Response): boolean {
  const isRedirect = response.status() >= 300 && response.status() <= 399
  return response.request().isNavigationRequest() && response.url().startsWith('http') && !isRedirect
}

/** Whether a page will never come; what another page takes the place of is not lost. */
function isLost(request: Request): boolean {
  return request.isNavigationRequest() && request.failure()?.errorText !== 'net::ERR_ABORTED'
}

/** Text as it stands in a quoted attribute, or in an element. */
function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

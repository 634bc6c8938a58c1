// A web view as an app has one: real Chromium at phone size with the profile, cookies and history of one app. Code
// that runs inside a page is a string here: it is the browser's, not the test's.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'
import type { WebRequest } from '../../src/transfer/option.ts'
import type { AppRequest } from '../real-app.ts'
import { findChromium } from './chromium.ts'

/** A line as the page's own attributes tell it. */
export type ShownLine = { sku: string; quantity: number; text: string }

export type WebView = {
  page: Page
  context: BrowserContext
  /** Opens what an option's own platform half makes of a cart. */
  send: (request: WebRequest) => Promise<void>
  /** Clears the cookies, sets the described ones, and opens the described request. */
  open: (request: AppRequest) => Promise<void>
  lines: () => Promise<ShownLine[]>
  /** Origins asked for anything since the start, and what the console said against the page's policy. */
  origins: Set<string>
  violations: string[]
}

const PHONE = { width: 390, height: 844 }

const LINES = `Array.from(document.querySelectorAll('[data-sku],[data-quantity]'), line => ({
  sku: line.getAttribute('data-sku'), quantity: Number(line.getAttribute('data-quantity')), text: line.innerText
}))`

const SUBMIT = 'document.forms[0].submit()'

export async function openWebView(t: Test, { javaScriptEnabled = true } = {}): Promise<WebView> {
  const profile = mkdtempSync(join(tmpdir(), 'cart-transfer-profile-'))
  const executablePath = findChromium()
  if (!executablePath) throw new Error('No Chromium was found; `npm test` installs one.')
  const context = await chromium.launchPersistentContext(profile, {
    executablePath,
    viewport: PHONE,
    javaScriptEnabled,
    args: ['--no-sandbox', '--disable-background-networking']
  })
  t.teardown(async () => {
    await context.close()
    rmSync(profile, { recursive: true, force: true })
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
    const fields = [...new URLSearchParams(body)].map(
      ([name, value]) => `<textarea name="${attribute(name)}">\n${attribute(value)}</textarea>`
    )
    const form = `<meta charset=utf-8><form method=post action="${attribute(url)}">${fields.join('')}<button>Go</button></form>`
    await page.goto(`data:text/html;charset=utf-8,${encodeURIComponent(form)}`)
    const arrived = page.waitForURL(address => address.href.startsWith('http'))
    await (javaScriptEnabled ? page.evaluate(SUBMIT) : page.click('button'))
    await arrived
  }
  return {
    page,
    context,
    origins,
    violations,
    send: async ({ method, url, body = '' }) => {
      if (method === 'POST') await post(url, body)
      else await page.goto(url)
    },
    open: async ({ method, url, headers, body = '', cookies }) => {
      await context.clearCookies()
      const { hostname: domain } = new URL(url)
      await context.addCookies(cookies.map(cookie => ({ ...cookie, domain })))
      const { 'Content-Type': _set, ...added } = headers
      await page.setExtraHTTPHeaders(added)
      if (method === 'POST') await post(url, body)
      else await page.goto(url)
    },
    lines: async () => page.evaluate(LINES)
  }
}

/** Text as it stands in a quoted attribute, or in an element. */
function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

// Takes a screenshot of a response that was already received, without requesting the page again.
import type { WebResponse } from '../client/send-request.ts'
import { openWebView } from './web-view.ts'

/** @returns a PNG of the whole page, at phone width */
export async function screenshot(response: WebResponse, executablePath: string): Promise<Uint8Array> {
  const view = await openWebView({ executablePath })
  try {
    const headers = Object.fromEntries(response.headers.map(({ name, value }) => [name, value]))
    const body = Buffer.from(response.body)
    // Matches any URL, as Chromium may normalise it; the first request is always the page.
    await view.page.route(
      () => true,
      route => route.fulfill({ status: response.status, headers, body }),
      { times: 1 }
    )
    await view.page.goto(response.url)
    return await view.page.screenshot({ fullPage: true })
  } finally {
    await view.close()
  }
}

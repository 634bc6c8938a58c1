// Takes a screenshot of a response that was already received, without requesting the page again.
import type { WebResponse } from '../client/send-request.ts'
import { openWebView, PHONE } from './web-view.ts'

/** @returns a PNG of the whole page, at phone width */
export async function screenshot(response: WebResponse, executablePath: string): Promise<Uint8Array> {
  const view = await openWebView({ executablePath })
  try {
    await view.show(response)
    // On a screen as high as the page, a bar at the bottom of the screen is at the end of the page, not across it.
    const height = Number(await view.page.evaluate('document.documentElement.scrollHeight'))
    await view.page.setViewportSize({ width: PHONE.width, height })
    return await view.page.screenshot({ fullPage: true })
  } finally {
    await view.close()
  }
}

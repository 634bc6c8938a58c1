// Takes a screenshot of a response that was already received, without requesting the page again.
import type { WebResponse } from '../client/send-request.ts'
import { openWebView } from './web-view.ts'

/** @returns a PNG of the whole page, at phone width */
export async function screenshot(response: WebResponse, executablePath: string): Promise<Uint8Array> {
  const view = await openWebView({ executablePath })
  try {
    await view.show(response)
    return await view.page.screenshot({ fullPage: true })
  } finally {
    await view.close()
  }
}

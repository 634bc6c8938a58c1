// A picture of the page that a web view shows for an answer that was already received: it is not asked for again.
import type { WebResponse } from '../client/send-request.ts'
import { openWebView } from './web-view.ts'

/** @returns a PNG of the whole page, at phone width */
export async function screenshot(answer: WebResponse, executablePath: string): Promise<Uint8Array> {
  const view = await openWebView({ executablePath })
  try {
    const headers = Object.fromEntries(answer.headers.map(({ name, value }) => [name, value]))
    const body = Buffer.from(answer.body)
    // The first request is that of the page, however its address is written.
    await view.page.route(
      () => true,
      route => route.fulfill({ status: answer.status, headers, body }),
      { times: 1 }
    )
    await view.page.goto(answer.url)
    return await view.page.screenshot({ fullPage: true })
  } finally {
    await view.close()
  }
}

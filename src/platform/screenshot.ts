// A picture of the page that a web view shows for an answer that was already received: it is not asked for again.
import type { Answer } from './send-request.ts'
import { openWebView } from './web-view.ts'

/** Writes a PNG of the whole page, at phone width. */
export async function screenshot(answer: Answer, file: string, executablePath: string): Promise<void> {
  const view = await openWebView({ executablePath })
  try {
    const headers = Object.fromEntries(answer.headers.map(({ name, value }) => [name, value]))
    const body = Buffer.from(answer.body)
    await view.page.route(answer.url, route => route.fulfill({ status: answer.status, headers, body }), { times: 1 })
    await view.page.goto(answer.url)
    await view.page.screenshot({ path: file, fullPage: true })
  } finally {
    await view.close()
  }
}

// How a web view opens a POST: by a real form.
import type { Page } from 'playwright-core'

const SUBMIT_FORM = 'document.forms[0].submit()'

/** Submits a real form from a page with an opaque origin, which is how a web view's POST arrives. */
export async function submitForm(page: Page, url: string, body: string, hasScripts: boolean): Promise<void> {
  const fields = [...new URLSearchParams(body)]
  const inputs = fields.map(([name, value]) => `<textarea name="${escapeHtml(name)}">\n${escapeHtml(value)}</textarea>`)
  const form = `<meta charset=utf-8><form method=post action="${escapeHtml(url)}">${inputs.join('')}<button>Go</button></form>`
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
  await Promise.all([navigated, hasScripts ? page.evaluate(SUBMIT_FORM) : page.click('button')])
}

/** For the text of an element or a quoted attribute. */
function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

// A web view as the checks see it. Its page belongs to the site, which may do anything to it: each call into it goes
// through `call`, which has the profile's time limit.
import { TimeLimitError, within } from '../browser/time-limit.ts'
import type { WebView } from '../browser/web-view.ts'
import { PageUnusable, RequestUnanswered } from './verdict-errors.ts'

export type SiteView = {
  /**
   * Calls into the page. Once one has not returned in time, the view is closed, and all further ones fail at once.
   * @throws CheckFailed if the browser reports an error, or the call takes too long
   */
  call: <T>(action: (view: WebView) => Promise<T>) => Promise<T>
  /** The URL of the page. */
  url: () => string
  /** Every origin requested so far. */
  origins: ReadonlySet<string>
  /** @returns a JPEG, or undefined if none can be taken */
  screenshot: () => Promise<Uint8Array | undefined>
  close: () => Promise<void>
}

/** Runs a browser action; an error of the browser fails the check. @throws CheckFailed */
export async function inBrowser<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof TimeLimitError) throw new PageUnusable(error.message)
    // Playwright appends a call log to its messages.
    const [reason = ''] = (error as Error).message.split('\n')
    const Kind = reason.includes('net::ERR_') ? RequestUnanswered : PageUnusable
    throw new Kind(`The browser cannot show the page: ${reason}`)
  }
}

/** @param limit how long each call may take, in milliseconds */
export function siteView(view: WebView, limit: number): SiteView {
  const { page, origins } = view
  // Playwright's own limits would only end some of the calls, and earlier.
  page.setDefaultTimeout(0)
  let stuck: TimeLimitError | undefined
  const close = () => within(limit, view.close())
  return {
    call: action =>
      inBrowser(async () => {
        if (stuck) throw stuck
        try {
          return await within(limit, action(view))
        } catch (error) {
          if (error instanceof TimeLimitError) {
            stuck = error
            await Promise.allSettled([close()])
          }
          throw error
        }
      }),
    url: () => page.url(),
    origins,
    screenshot: () => {
      // Playwright waits for fonts; a page is not wrong because one of them never loads.
      const options = { type: 'jpeg', quality: 45, timeout: limit } as const
      return within(limit, page.screenshot(options)).catch(() => undefined)
    },
    close
  }
}

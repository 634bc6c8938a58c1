// A web view as the checks see it. Its page belongs to the site, which may do anything to it: each call into it goes
// through `call`, which has the profile's time limit.
import { setTimeout as sleep } from 'node:timers/promises'
import type { PageLine } from '../browser/page-lines.ts'
import { TimeLimitError, within } from '../browser/time-limit.ts'
import type { WebView } from '../browser/web-view.ts'
import { untrusted } from '../client/verified-key.ts'
import type { Profile } from './profile-schema.ts'
import { PageUnusable, RequestUnanswered } from './verdict-errors.ts'

export type SiteView = {
  /**
   * Calls into the page. Once one has not returned in time, the view is closed, and all further ones fail at once.
   * @throws CheckFailed if the browser reports an error, or the call takes too long
   */
  call: <T>(action: (view: WebView) => Promise<T>) => Promise<T>
  /** Everything opened and done in it, in order. */
  steps: string[]
  /** Adds to what was opened and done in it. */
  did: (step: string) => void
  /** The URL of the page. */
  url: () => string
  /** Every origin requested so far. */
  origins: ReadonlySet<string>
  /** @returns a JPEG, or undefined if none can be taken */
  screenshot: () => Promise<Uint8Array | undefined>
  close: () => Promise<void>
}

/** In milliseconds. */
const POLL_INTERVAL = 25

/**
 * Runs a browser action; an error of the browser fails the check.
 * @throws CheckFailed, or OperatorError if a certificate is not trusted
 */
export async function inBrowser<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof TimeLimitError) throw new PageUnusable(error.message)
    // Playwright appends a call log to its messages.
    const [reason = ''] = (error as Error).message.split('\n')
    const [, code, address] = /net::(ERR_CERT_\w+) at (\S+)/.exec(reason) ?? []
    if (code !== undefined) throw untrusted(new URL(String(address)).origin, code)
    const Kind = reason.includes('net::ERR_') ? RequestUnanswered : PageUnusable
    throw new Kind(`The browser cannot show the page: ${reason}`)
  }
}

/**
 * @param limit how long each call may take, in milliseconds
 * @param record called with everything that is opened and done in it
 */
export function siteView(view: WebView, limit: number, record: (step: string) => void): SiteView {
  const { page, origins } = view
  // Playwright's own limits would only end some of the calls, and earlier.
  page.setDefaultTimeout(0)
  const steps: string[] = []
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
    steps,
    did: step => {
      steps.push(step)
      record(step)
    },
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

/** Polls the lines while scripts may still write them. */
export async function pollLines(
  view: SiteView,
  page: Profile['page'],
  isExpected: (lines: PageLine[]) => boolean
): Promise<PageLine[]> {
  const deadline = Date.now() + page.settleSeconds * 1000
  for (;;) {
    const lines = await view.call(({ lines }) => lines(page))
    if (isExpected(lines) || Date.now() >= deadline) return lines
    await sleep(POLL_INTERVAL)
  }
}

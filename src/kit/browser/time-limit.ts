// The limit of calls into a page: its scripts may block it for ever, and Playwright waits for ever in some of them.

/** A call took longer than the limit. */
export class TimeLimitError extends Error {}

/**
 * The result of a call, unless it takes too long.
 * @param limit in milliseconds
 * @throws TimeLimitError; the call goes on until its view is closed
 */
export async function within<T>(limit: number, call: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const error = new TimeLimitError(
    `The page did not respond within ${limit / 1000} s. A script may be blocking it, or it never finishes loading.`
  )
  const timer = setTimeout(reject, limit, error)
  try {
    return await Promise.race([call, late])
  } finally {
    clearTimeout(timer)
  }
}

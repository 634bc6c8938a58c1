// The signals that stop the server: Ctrl-C, and that of whatever runs it.

export type StopSignal = 'SIGINT' | 'SIGTERM'

export const STOP_SIGNALS: StopSignal[] = ['SIGINT', 'SIGTERM']

/** Signals within this time of the first, in milliseconds, repeat it: npm passes on what the whole group has had. */
const SAME_SIGNAL = 1000

/** How often the parent is looked for, in milliseconds. */
const PARENT_INTERVAL = 500

/**
 * @param isNpmScript the end of the parent is a SIGTERM, too: npm sends it to its shell, and some shells, such as Debian's, end
 * without passing it on
 */
export function onStopSignal(first: (signal: StopSignal) => void, again: () => void, isNpmScript: boolean): void {
  let since: number | undefined
  const stop = (signal: StopSignal) => {
    since = performance.now()
    first(signal)
  }
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (since === undefined) stop(signal)
      else if (performance.now() - since > SAME_SIGNAL) again()
    })
  }
  if (!isNpmScript) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    if (since === undefined) stop('SIGTERM')
  }, PARENT_INTERVAL).unref()
}

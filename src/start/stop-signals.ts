// The signals that stop the server: Ctrl-C in a terminal, and SIGTERM from whatever supervises it.

export type StopSignal = 'SIGINT' | 'SIGTERM'

export const STOP_SIGNALS: StopSignal[] = ['SIGINT', 'SIGTERM']

/** A signal this soon after the first, in milliseconds, is the same one: npm passes on what the whole group has had. */
const SAME_SIGNAL = 1000

/** How often to check that the parent is still there, in milliseconds. */
const PARENT_INTERVAL = 500

/**
 * @param isNpmScript whether the end of the parent counts as a SIGTERM: npm sends it to its shell, and some shells, such as
 * Debian's, exit without passing it on
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

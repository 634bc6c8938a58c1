// The signals that stop the server: Ctrl-C, and that of whatever runs it.

export type StopSignal = 'SIGINT' | 'SIGTERM'

export const STOP_SIGNALS: StopSignal[] = ['SIGINT', 'SIGTERM']

/** Signals within this time of the first, in milliseconds, are that one: npm passes on what the whole group has had. */
const SAME_SIGNAL = 1000

/** Calls `first` for the first signal, and `again` for any after it. */
export function onStopSignal(first: (signal: StopSignal) => void, again: () => void): void {
  let since: number | undefined
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      const now = performance.now()
      if (since === undefined) {
        since = now
        first(signal)
      } else if (now - since > SAME_SIGNAL) again()
    })
  }
}

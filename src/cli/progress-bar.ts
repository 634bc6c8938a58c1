// A progress bar for slow work; nothing if there is no terminal, or the work is done quickly.

export type ProgressBar = {
  /** @param total undefined if it is not known */
  show: (what: string, done: number, total: number | undefined) => void
  /** Removes it. */
  clear: () => void
}

/** The bar appears after PATIENCE and is updated every INTERVAL at most, in milliseconds. */
const PATIENCE = 1000
const INTERVAL = 100
const WIDTH = 30

/** @param now a clock in milliseconds */
export function progressBar(
  terminal: { isTTY?: boolean; write: (text: string) => unknown },
  now: () => number
): ProgressBar {
  let due = now() + PATIENCE
  let isShown = false
  return {
    show: (what, done, total) => {
      if (!terminal.isTTY || now() < due) return
      due = now() + INTERVAL
      isShown = true
      terminal.write(`\r\x1b[K${total ? barOf(done / total) : done.toLocaleString('en-GB')} ${what}`)
    },
    clear: () => {
      if (isShown) terminal.write('\r\x1b[K')
      isShown = false
    }
  }
}

function barOf(share: number): string {
  const part = Math.min(1, share)
  const filled = Math.round(part * WIDTH)
  return `[${'#'.repeat(filled)}${' '.repeat(WIDTH - filled)}] ${Math.floor(part * 100)} %`
}

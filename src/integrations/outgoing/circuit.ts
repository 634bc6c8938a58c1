// A circuit to another server: it opens once that only fails, so that few requests wait for it, and closes as soon as it answers.

/** Failures without an answer in between, and the time from the first to the last in milliseconds: then the circuit opens. */
const MIN_FAILURES = 5
const MIN_SPAN = 5000

export type Circuit = {
  isOpen: () => boolean
  /** Of the last failure. */
  reason: () => string
  /** A refusal or nonsense is an answer, too: the server is up. */
  answered: () => void
  failed: (reason: string) => void
}

/** @param onChange told when it opens, with the last failure, or closes */
export function openCircuit(clock: () => Date, onChange: (isOpen: boolean, reason: string) => void): Circuit {
  let isOpen = false
  let failures = 0
  let firstFailure = 0
  let lastReason = ''
  return {
    isOpen: () => isOpen,
    reason: () => lastReason,
    answered: () => {
      failures = 0
      if (!isOpen) return
      isOpen = false
      onChange(false, lastReason)
    },
    failed: reason => {
      const now = clock().getTime()
      lastReason = reason
      if (++failures === 1) firstFailure = now
      // A clock may be set back.
      if (isOpen || failures < MIN_FAILURES || Math.abs(now - firstFailure) < MIN_SPAN) return
      isOpen = true
      onChange(true, reason)
    }
  }
}

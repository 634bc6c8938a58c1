// Waits for something to come true, for what happens in its own time: a file that is followed, a process that starts.
import { setTimeout as pause } from 'node:timers/promises'

/** @throws when it has not come true after a while */
export async function until(what: string, isTrue: () => unknown, timeout = 60_000): Promise<void> {
  const end = Date.now() + timeout
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`waited ${timeout} ms for ${what}`)
    await pause(5)
  }
}

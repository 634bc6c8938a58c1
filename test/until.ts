// Waits for a condition, for things that happen asynchronously: a watched file reloads, a process starts.
import { setTimeout as pause } from 'node:timers/promises'

/** @throws if the condition is still false after the timeout, in milliseconds */
export async function until(what: string, isTrue: () => unknown, timeout = 60_000): Promise<void> {
  const end = Date.now() + timeout
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(`waited ${timeout} ms for ${what}`)
    await pause(5)
  }
}

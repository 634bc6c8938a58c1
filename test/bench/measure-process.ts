// CPU time and memory of a process, from Linux's /proc. Where there is no /proc they are NaN, and those rows say so.
import { readFileSync } from 'node:fs'

export type ProcessUsage = {
  /** User and system time so far, in milliseconds. The kernel counts in steps of ten. */
  cpuMs: number
  /** Resident memory now, and at its highest, in bytes. */
  rss: number
  peak: number
}

const NOTHING: ProcessUsage = { cpuMs: Number.NaN, rss: Number.NaN, peak: Number.NaN }
/** USER_HZ, which is the same on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100

export function readProcess(pid: number | undefined): ProcessUsage {
  if (pid === undefined || process.platform !== 'linux') return NOTHING
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  // The command's name is in brackets, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const ticks = Number(fields[11]) + Number(fields[12])
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(status)?.[1]) * 1024
  return { cpuMs: (ticks * 1000) / TICKS_PER_SECOND, rss: kilobytes('VmRSS'), peak: kilobytes('VmHWM') }
}

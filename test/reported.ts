// What a check of settings reports.
import type { Key, ReportError } from '../src/transfer/option.ts'

export function reported(check: (report: ReportError) => void): { key: Key; problem: string }[] {
  const found: { key: Key; problem: string }[] = []
  check((key, problem) => found.push({ key, problem }))
  return found
}

// What a check of settings reports.
import type { Key, ReportMistake } from '../src/transfer/option.ts'

export function reported(check: (report: ReportMistake) => void): { key: Key; problem: string }[] {
  const found: { key: Key; problem: string }[] = []
  check((key, problem) => found.push({ key, problem }))
  return found
}

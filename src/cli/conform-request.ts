// What `npm run conform` was asked to do, read from its arguments.
import { readArguments, UsageError } from './read-arguments.ts'

export type ConformRequest = { is: 'help' } | ({ is: 'run'; profile: string } & Reports)

/** The files that reports are asked in. */
type Reports = { junit?: string | undefined; json?: string | undefined; html?: string | undefined }

export const USAGE = `npm run conform -- <profile.json> [--junit FILE] [--json FILE] [--html FILE]

  <profile.json>  what there is to know of the site; the README says what it holds
  --junit         JUnit XML for CI
  --json          one object for programs
  --html          one page with screenshots, for people

exit code: 0 every check was judged and passed, 1 any failed, 2 it could not be run (the profile cannot be read, there
is no Chromium, the site cannot be reached), 3 none failed but some could not be judged,
130 and 143 it was stopped
`

const OPTIONS = {
  junit: { type: 'string' },
  json: { type: 'string' },
  html: { type: 'string' },
  help: { type: 'boolean', short: 'h' }
} as const

/** @throws UsageError */
export function readConformRequest(args: string[]): ConformRequest {
  const { values, positionals } = readArguments(args, OPTIONS)
  const { help, ...reports } = values
  if (help) return { is: 'help' }
  const [profile, ...more] = positionals
  if (profile === undefined || more.length > 0) throw new UsageError('give one profile')
  return { is: 'run', profile, ...reports }
}

// `npm run conform`: runs the conformance kit on a merchant site, ours or any other, and says what came of it.
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { EnvironmentError, readEnvironment } from '../config/environment.ts'
import { checks } from '../conformance/checks.ts'
import { ProfileError, readProfile } from '../conformance/profile.ts'
import { exitCodeOf, jsonReport, type Report, textReport } from '../conformance/report.ts'
import { htmlReport, junitReport } from '../conformance/report-files.ts'
import { runChecks } from '../conformance/run-checks.ts'
import { findChromium, NoChromium } from '../platform/chromium.ts'
import { NotAnswered } from '../platform/send-request.ts'
import { webViews } from '../platform/web-view.ts'
import { visible } from '../terminal-text.ts'
import { transferOptions } from '../transfer/index.ts'
import { readConformRequest, USAGE } from './conform-request.ts'
import { progressBar } from './progress-bar.ts'
import { UsageError } from './read-arguments.ts'

/** Their numbers: a process that is stopped by one exits with 128 and that. */
const SIGNALS = [
  { name: 'SIGINT', number: 2 },
  { name: 'SIGTERM', number: 15 }
]

/** What stops the kit before it begins, in words for whoever started it. */
class CannotRun extends Error {}

async function main(args: string[]): Promise<number> {
  const request = readConformRequest(args)
  if (request.is === 'help') {
    process.stdout.write(USAGE)
    return 0
  }
  const { junit, json, html } = request
  const { startedIn, chromium } = readEnvironment()
  const profile = readProfile(resolve(startedIn, request.profile), transferOptions)
  const executablePath = findChromium(chromium)
  for (const file of [junit, json, html]) {
    if (file === undefined) continue
    const folder = dirname(resolve(startedIn, file))
    if (!existsSync(folder)) throw new CannotRun(`there is no folder ${folder} to write ${basename(file)} into`)
  }

  const bar = progressBar(process.stderr, () => Date.now())
  const views = webViews(executablePath, false)
  const stop = Promise.race(SIGNALS.map(signal => once(process, signal.name).then(() => signal)))
  const at = new Date().toISOString()
  try {
    const running = runChecks({
      profile,
      options: transferOptions,
      views,
      checks,
      takesPictures: html !== undefined,
      onProgress: ({ id }, done, total) => bar.show(id, done, total)
    })
    const results = await Promise.race([running, stop])
    bar.clear()
    if ('number' in results) {
      // What is under way comes to no end that anybody is to be told.
      await views.close()
      process.stderr.write(`stopped by ${results.name}; nothing was reported\n`)
      process.exit(128 + results.number)
    }
    const report: Report = { profile, at, results }
    const write = (file: string | undefined, make: (report: Report) => string) => {
      if (file !== undefined) writeFileSync(resolve(startedIn, file), make(report))
    }
    // What was found is told before a disk that is full can stop it.
    process.stdout.write(textReport(report))
    write(junit, junitReport)
    write(json, jsonReport)
    write(html, htmlReport)
    return exitCodeOf(results)
  } finally {
    bar.clear()
    await views.close()
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const { code, message } = error as { code?: string; message: string }
  const known = [UsageError, CannotRun, ProfileError, EnvironmentError, NoChromium, NotAnswered]
  const isExpected = known.some(kind => error instanceof kind) || code !== undefined
  console.error(isExpected ? `cannot run:\n${message.split('\n').map(visible).join('\n')}` : error)
  if (error instanceof UsageError) console.error(`\n${USAGE}`)
  process.exitCode = 2
}

// `npm run conform`: runs the conformance kit against a merchant site, ours or any other, and reports the results.
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { readEnvironment } from '../environment.ts'
import { OperatorError } from '../errors.ts'
import { findChromium } from '../kit/browser/launch-chromium.ts'
import { webViews } from '../kit/browser/web-view.ts'
import { verifiedKey } from '../kit/client/verified-key.ts'
import { checks } from '../kit/conformance/checks/checks.ts'
import { readProfile } from '../kit/conformance/profile.ts'
import { type ConformanceReport, exitCodeOf, runChecks } from '../kit/conformance/run-checks.ts'
import { transferOptions } from '../transfer/index.ts'
import type { TransferOption } from '../transfer/option.ts'
import { htmlReport, jsonReport, junitReport, textReport } from './conform-report.ts'
import {
  CREDENTIAL_FLAGS,
  CREDENTIAL_USAGE,
  onlyArgument,
  readArguments,
  readCredentials,
  runCommand
} from './run-command.ts'
import { showProgressOn } from './terminal-text.ts'

const USAGE = `npm run conform -- <profile.json> [--token-from VARIABLE | --secret-from VARIABLE]
                   [--junit FILE] [--json FILE] [--html FILE]

  <profile.json>  what there is to know of the site; src/kit/README.md says what it holds
${CREDENTIAL_USAGE}
  --junit         JUnit XML for CI
  --json          one object for programs
  --html          one page with screenshots, for people

exit code: 0 every check was judged and passed, 1 any failed (good practice too), 2 it could not be run (the profile
cannot be read, there is no Chromium, the site cannot be reached, its certificate is not trusted), 3 none failed but some could not be judged,
130 and 143 it was stopped
`

const FAILED = 2

const FLAGS = {
  junit: { type: 'string' },
  json: { type: 'string' },
  html: { type: 'string' },
  ...CREDENTIAL_FLAGS
} as const

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

async function run(args: string[]): Promise<number> {
  const { values, positionals } = readArguments(args, FLAGS)
  const { junit, json, html } = values
  const { startedIn, chromium } = readEnvironment()
  const profile = readProfile(resolve(startedIn, onlyArgument(positionals, 'profile')), transferOptions)
  const option = transferOptions.find(({ name }) => name === profile.option) as TransferOption
  const credentials = readCredentials(values, option)
  const executablePath = findChromium(chromium)
  for (const file of [junit, json, html]) {
    if (file === undefined) continue
    const folder = dirname(resolve(startedIn, file))
    if (!existsSync(folder)) throw new OperatorError(`there is no folder ${folder} to write ${basename(file)} into`)
  }

  const bar = showProgressOn(process.stderr, () => Date.now())
  // Node verifies the certificate, and passes its trust on to the browser.
  const key = await verifiedKey(profile.url, profile.timeoutSeconds * 1000)
  const views = webViews(executablePath, { closesOnSignal: false, trustedKeys: key === undefined ? [] : [key] })
  const stop = Promise.race(SIGNALS.map(signal => once(process, signal).then(() => signal)))
  const at = new Date().toISOString()
  try {
    const running = runChecks({
      profile,
      options: transferOptions,
      views,
      checks,
      credentials,
      takesScreenshots: html !== undefined,
      onProgress: ({ id }, done, total) => bar.show(id, done, total)
    })
    const results = await Promise.race([running, stop])
    bar.clear()
    if (typeof results === 'string') {
      // Checks that are under way are abandoned.
      await views.close()
      process.stderr.write(`stopped by ${results}; nothing was reported\n`)
      process.exit(128 + constants.signals[results])
    }
    const report: ConformanceReport = { profile, at, results }
    const write = (file: string | undefined, make: (report: ConformanceReport) => string) => {
      if (file !== undefined) writeFileSync(resolve(startedIn, file), make(report))
    }
    // Printed first: writing a file may fail.
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

if (import.meta.main) await runCommand({ usage: USAGE, run, failed: FAILED })

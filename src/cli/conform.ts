// `npm run conform`: runs the conformance kit against a merchant site, ours or any other, and reports the results.
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import { OperatorError } from '../errors.ts'
import { findChromium } from '../kit/browser/launch-chromium.ts'
import { webViews } from '../kit/browser/web-view.ts'
import { verifiedKey } from '../kit/client/send-request.ts'
import { checks } from '../kit/conformance/checks/checks.ts'
import { readProfile } from '../kit/conformance/profile.ts'
import { exitCodeOf, runChecks } from '../kit/conformance/run-checks.ts'
import { STOP_SIGNALS } from '../start/stop-signals.ts'
import { transferOptions } from '../transfer/index.ts'
import type { TransferOption } from '../transfer/option.ts'
import { htmlReport, jsonReport, junitReport, textReport } from './conform-report.ts'
import {
  type Command,
  CREDENTIAL_FLAGS,
  CREDENTIAL_USAGE,
  onlyArgument,
  readCredentials,
  runCommand,
  TEXT_FLAG
} from './run-command.ts'

const FLAGS = { junit: TEXT_FLAG, json: TEXT_FLAG, html: TEXT_FLAG, ...CREDENTIAL_FLAGS }

export const conform: Command<typeof FLAGS> = {
  usage: `npm run conform -- <profile.json> [--token-from VARIABLE | --secret-from VARIABLE]
                   [--junit FILE] [--json FILE] [--html FILE]

  <profile.json>  what there is to know of the site; src/kit/README.md says what it holds
${CREDENTIAL_USAGE}
  --junit         JUnit XML for CI
  --json          one object for programs
  --html          one page with screenshots, for people

exit code: 0 every check was judged and passed, 1 any failed (good practice too), 2 it could not be run (the profile
cannot be read, there is no Chromium, the site cannot be reached, its certificate is not trusted), 3 none failed but some could not be judged,
130 and 143 it was stopped
`,
  flags: FLAGS,
  failed: 2,
  run: async ({ values, positionals }, { environment, print, printError, showProgress }) => {
    const file = onlyArgument(positionals, 'profile')
    const { startedIn, chromium } = environment()
    const profile = readProfile(resolve(startedIn, file), transferOptions)
    const option = transferOptions.find(({ name }) => name === profile.option) as TransferOption
    const credentials = readCredentials(values, option)
    const executablePath = findChromium(chromium)
    const files = [
      { file: values.junit, make: junitReport },
      { file: values.json, make: jsonReport },
      { file: values.html, make: htmlReport }
    ].flatMap(({ file, make }) => (file === undefined ? [] : { file: resolve(startedIn, file), make }))
    for (const { file } of files) {
      const folder = dirname(file)
      if (!existsSync(folder)) throw new OperatorError(`there is no folder ${folder} to write ${basename(file)} into`)
    }

    // Node verifies the certificate, and passes its trust on to the browser.
    const key = await verifiedKey(profile.url, profile.timeoutSeconds * 1000)
    const views = webViews(executablePath, { closesOnSignal: false, trustedKeys: key === undefined ? [] : [key] })
    const stop = Promise.race(STOP_SIGNALS.map(signal => once(process, signal).then(() => signal)))
    const at = new Date().toISOString()
    try {
      const running = runChecks({
        profile,
        option,
        views,
        checks,
        credentials,
        takesScreenshots: values.html !== undefined,
        onProgress: ({ id }, done, total) => showProgress(id, done, total)
      })
      const results = await Promise.race([running, stop])
      if (typeof results === 'string') {
        // Checks that are under way are abandoned.
        await views.close()
        printError(`stopped by ${results}; nothing was reported`)
        process.exit(128 + constants.signals[results])
      }
      const report = { profile, at, results }
      // Printed first: writing a file may fail.
      await print(textReport(report))
      for (const { file, make } of files) writeFileSync(file, make(report))
      return exitCodeOf(results)
    } finally {
      await views.close()
    }
  }
}

if (import.meta.main) await runCommand(conform)

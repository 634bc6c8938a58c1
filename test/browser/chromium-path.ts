import { loadEnvFile, readEnvironment } from '../../src/environment.ts'
import { findChromium } from '../../src/kit/browser/launch-chromium.ts'

/** The Chromium that `npm test` has found or installed. */
export function chromiumPath(): string {
  loadEnvFile()
  return findChromium(readEnvironment().chromium)
}

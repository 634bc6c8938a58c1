// `npm run simulate`: hands one bag over to any merchant site, as platform and app do, and prints each step. Exit code
// 0 when a page came that the web view shows with a status of 200 to 299, 1 when not, 2 when there was no answer at all.
import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { EnvironmentError, readEnvironment } from '../config/environment.ts'
import { BagError, readBag } from '../platform/bag-file.ts'
import { findChromium, NoChromium } from '../platform/chromium.ts'
import { handOver } from '../platform/hand-over.ts'
import { handOverJson, handOverText } from '../platform/hand-over-text.ts'
import { screenshot } from '../platform/screenshot.ts'
import type { Answer } from '../platform/send-request.ts'
import { visible, visibleJson } from '../terminal-text.ts'
import { UsageError } from './read-arguments.ts'
import { readSimulateRequest, USAGE } from './simulate-request.ts'

const SHOWN = 0
const REFUSED = 1
const NOTHING = 2

async function main(args: string[]): Promise<number> {
  const request = readSimulateRequest(args)
  if (request.is === 'help') {
    process.stdout.write(USAGE)
    return SHOWN
  }
  const environment = readEnvironment()
  const at = (file: string) => resolve(environment.startedIn, file)
  const cart = readBag(readText(at(request.cart)), request.cart)
  const { screenshot: file } = request
  const picture = file === undefined ? undefined : { file, chromium: findChromium(environment.chromium) }

  const { steps, shown } = await handOver(request.option, cart, request.baseUrl)
  process.stdout.write(request.isJson ? `${visibleJson(handOverJson(steps))}\n` : handOverText(steps))
  if (picture) await takePicture(shown, picture.file, at(picture.file), picture.chromium)
  if (!steps.some(({ step }) => step === 'answer')) return NOTHING
  return shown && shown.status >= 200 && shown.status <= 299 ? SHOWN : REFUSED
}

/** The bag has been handed over: what goes wrong now is said, and what came of it stays so. */
async function takePicture(shown: Answer | undefined, name: string, file: string, chromium: string): Promise<void> {
  try {
    if (!shown) throw new Error('the web view shows nothing')
    writeFileSync(file, await screenshot(shown, chromium))
    console.error(`the page is in ${visible(name)}`)
  } catch (error) {
    console.error(`there is no picture: ${visible(String((error as Error).message.split('\n')[0]))}`)
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new BagError(`${file}: ${(error as Error).message}`)
  }
}

try {
  process.exitCode = await main(process.argv.slice(2))
} catch (error) {
  const isExpected = [UsageError, BagError, NoChromium, EnvironmentError].some(kind => error instanceof kind)
  const lines = String((error as Error).message).split('\n')
  console.error(isExpected ? lines.map(visible).join('\n') : error)
  if (error instanceof UsageError) console.error(`\n${USAGE}`)
  process.exitCode = NOTHING
}

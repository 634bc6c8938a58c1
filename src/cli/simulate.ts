// `npm run simulate`: sends one bag to any merchant site as platform and app do, and prints each step.
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Cart } from '../cart/cart.ts'
import { OperatorError, type Problem } from '../errors.ts'
import { findChromium } from '../kit/browser/launch-chromium.ts'
import { screenshot } from '../kit/browser/web-view.ts'
import type { DescribedField } from '../kit/client/app-request.ts'
import { headerValue, responseText, type WebResponse } from '../kit/client/send-request.ts'
import { readBag, type Step, simulateTransfer } from '../kit/client/simulate-transfer.ts'
import { requestSettings } from '../kit/conformance/profile.ts'
import { visible, visibleJson } from '../start/visible-text.ts'
import { curlLine } from '../transfer/curl-command.ts'
import { transferOptions } from '../transfer/index.ts'
import type { TransferOption, WebRequest } from '../transfer/option.ts'
import { CREDENTIAL_FLAGS, CREDENTIAL_USAGE, readCredentials } from './read-credentials.ts'
import { type Command, onlyArgument, runCommand, SWITCH, TEXT_FLAG, UsageError } from './run-command.ts'

const NAMES = transferOptions.map(({ name }) => name).join(', ')

const FLAGS = {
  option: TEXT_FLAG,
  cart: TEXT_FLAG,
  platform: TEXT_FLAG,
  json: SWITCH,
  screenshot: TEXT_FLAG,
  ...CREDENTIAL_FLAGS
}

export const simulate: Command<typeof FLAGS> = {
  usage: `npm run simulate -- URL --option ${NAMES} --cart bag.json [--platform URL]
                    [--token-from VARIABLE | …] [--json] [--screenshot FILE]

  URL             the address that the platform is given, {base_url} in the contract
  --option        how the cart reaches it: ${transferOptions.map(({ name, title }) => `${name} (${title})`).join(', ')}
  --cart          a file such as { "items": [{ "sku": "MUG", "quantity": 2 }], "currency": "GBP" }; a reference may be
                  given, else a new one is made
  --platform      with option ucp: the https address of the platform's profile, if the site knows only some

${CREDENTIAL_USAGE}

  --json          print every step as JSON
  --screenshot    write a picture of the page as a phone shows it (PNG)

exit code: 0 the page is shown, 1 the transfer was refused or iOS refuses the description, 2 there was no answer at all,
or nothing could be sent
`,
  flags: FLAGS,
  failed: 2,
  run: async ({ values, positionals }, { environment, print, printError }) => {
    const baseUrl = onlyArgument(positionals, 'URL')
    if (!/^https?:\/\/[^/?#\s]+[^\s#]*$/i.test(baseUrl) || !URL.canParse(baseUrl)) {
      throw new UsageError(
        `${JSON.stringify(baseUrl)} is not an address; give one such as https://shop.example/app/cart`
      )
    }
    const option = transferOptions.find(({ name }) => name.toLowerCase() === values.option?.toLowerCase())
    if (!option) throw new UsageError(`--option is ${JSON.stringify(values.option) ?? 'missing'}; give one of ${NAMES}`)
    if (values.cart === undefined) throw new UsageError('give --cart and a file')
    if (values.platform !== undefined && option.answer !== 'protocol') {
      throw new UsageError(`option ${option.name} names no platform: leave out --platform`)
    }
    const credentials = readCredentials(values, option)
    const { startedIn, chromium } = environment()
    const cart = readBag(resolve(startedIn, values.cart))
    const executablePath = values.screenshot === undefined ? '' : findChromium(chromium)

    const { steps, shown } = await simulateTransfer(requestFor(option, cart, baseUrl, values.platform), option.answer, {
      ...(credentials && { credentials })
    })
    const withTexts = steps.map(step =>
      step.step === 'answer' ? { ...step, answer: { ...step.answer, body: responseText(step.answer) } } : step
    )
    await print(values.json ? `${visibleJson(withTexts)}\n` : transferText(steps))
    if (values.screenshot !== undefined) {
      printError(await takeScreenshot(shown, values.screenshot, startedIn, executablePath))
    }
    if (!steps.some(({ step }) => step === 'answer')) return 2
    return shown && shown.status >= 200 && shown.status <= 299 ? 0 : 1
  }
}

/** @throws OperatorError if the option has no way to write the bag */
function requestFor(option: TransferOption, cart: Cart, baseUrl: string, platform: string | undefined): WebRequest {
  try {
    return option.request(cart, baseUrl, requestSettings({ platform }))
  } catch (error) {
    throw new OperatorError((error as Problem).message)
  }
}

/** The bag has been sent by now: a screenshot that fails is reported, but does not change the result. */
async function takeScreenshot(
  shown: WebResponse | undefined,
  name: string,
  folder: string,
  executablePath: string
): Promise<string> {
  try {
    if (!shown) throw new Error('the web view shows nothing')
    writeFileSync(resolve(folder, name), await screenshot(shown, executablePath))
    return `the page is in ${visible(name)}`
  } catch (error) {
    return `no screenshot: ${visible(String((error as Error).message.split('\n')[0]))}`
  }
}

/** How much of a body is shown, in characters. */
const MAX_SHOWN = 2000

export function transferText(steps: Step[]): string {
  const texts = steps.map((step, i) => {
    const [title, ...lines] = stepLines(step)
    return `${i + 1}. ${title}\n${lines.map(line => `   ${visible(line)}`.trimEnd().concat('\n')).join('')}\n`
  })
  return texts.join('')
}

function stepLines(step: Step): string[] {
  switch (step.step) {
    case 'request':
      return [`The ${step.sender} sends`, ...requestLines(step.request)]
    case 'answer':
      return ['The merchant site answers', ...answerLines(step.answer)]
    case 'description':
      return ['The app reads the description', ...step.fields.map(fieldLine)]
    case 'failure':
      return ['It ends here', step.says]
  }
}

function requestLines(request: WebRequest): string[] {
  const { method, url, headers, body } = request
  return [
    `${method} ${url} (${url.length} characters)`,
    ...headers.map(({ name, value }) => `${name}: ${value}`),
    ...(body === undefined ? [] : ['', ...bodyLines(body)]),
    '',
    curlLine(request)
  ]
}

function answerLines(answer: WebResponse): string[] {
  const { status, statusText, milliseconds, body, headers } = answer
  const text = responseText(answer)
  const isPage = headerValue(headers, 'content-type')?.startsWith('text/html') === true
  return [
    `${status} ${statusText}, ${Math.round(milliseconds)} ms, ${body.length} bytes`,
    ...headers.map(({ name, value }) => `${name}: ${value}`),
    '',
    ...(isPage ? [`a page with the title ${JSON.stringify(titleOf(text))}`] : bodyLines(text))
  ]
}

function bodyLines(text: string): string[] {
  const lines = text.slice(0, MAX_SHOWN).split(/\r?\n/)
  return text.length > MAX_SHOWN ? [...lines, `… and ${text.length - MAX_SHOWN} characters more`] : lines
}

function titleOf(html: string): string {
  return /<title[^>]*>([^<]*)/i.exec(html)?.[1]?.trim() ?? ''
}

const MARKS: Record<DescribedField['verdict'], string> = { used: ' ', doubtful: '?', ignored: '-', refused: '!' }

function fieldLine({ at, value, verdict, says }: DescribedField): string {
  return `${MARKS[verdict]} ${at} ${value}: ${verdict === 'used' ? '' : `${verdict}. `}${says}`
}

if (import.meta.main) await runCommand(simulate)

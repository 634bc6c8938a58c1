// Merchant files for tests of their settings: a valid one, changed at a key, and what it is refused for.
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ValuePointer } from '@sinclair/typebox/value'
import type { Test } from 'tap'
import { destinations } from '../../src/integrations/destination/index.ts'
import { paymentProviders } from '../../src/integrations/payment/index.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { MerchantFileError } from '../../src/merchant/merchant-file.ts'
import { findPageMistakes } from '../../src/pages/check-pages.ts'
import { transferOptions } from '../../src/transfer/index.ts'
import { merchantFile } from '../build.ts'
import { readMerchantFiles } from '../read-merchants.ts'

export const VALID = merchantFile('1', {
  publicUrl: 'https://shop.example/app',
  transfer: {
    description: {
      headers: [{ name: 'X-Channel', value: 'app' }],
      cookies: [{ name: 'channel', value: 'app', path: '/' }]
    }
  }
})

/** Values by the path of their key, such as `checkout.path` or `delivery[0].id`; undefined leaves it out. */
export type Settings = Record<string, unknown>

/** A file with some settings changed. */
export function changed(settings: Settings, file: object = VALID): object {
  const copy = structuredClone(file)
  for (const [path, value] of Object.entries(settings)) {
    const pointer = path.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll(']', '').replace(/[.[]/g, '/')
    ValuePointer.Set(copy, `/${pointer}`, structuredClone(value))
  }
  return copy
}

export type Content = string | Uint8Array | object

/** The environment variables that the files may name. */
export type Variables = Record<string, string>

/** Reads files with these contents, named a.json, b.json and so on, in the test's folder. */
export function readContents(t: Test, contents: Content[], variables: Variables = {}): Merchant[] {
  const folder = t.testdirName
  if (!existsSync(folder)) t.testdir({})
  const files = contents.map((content, i) => {
    const file = join(folder, `${String.fromCharCode(97 + i)}.json`)
    const isRaw = typeof content === 'string' || content instanceof Uint8Array
    writeFileSync(file, isRaw ? content : JSON.stringify(content, null, 2))
    return file
  })
  return readMerchantFiles(files, {
    options: transferOptions,
    destinations,
    providers: paymentProviders,
    variables,
    findPageMistakes
  })
}

/** What files are refused for, without the folder in the path. */
export function mistakesIn(t: Test, contents: Content[], variables?: Variables): string[] {
  try {
    readContents(t, contents, variables)
    return []
  } catch (error) {
    if (!(error instanceof MerchantFileError)) throw error
    return error.message.replaceAll(`${t.testdirName}/`, '').split('\n')
  }
}

/** A value that is refused, what would be right, and where the mistake is found, if not at the key itself. */
export type Refused = [value: unknown, remedy: string, place?: string]

/** What else is in the file. */
export type Surroundings = { settings?: Settings; file?: object; variables?: Variables }

/** Checks that each value is refused with one mistake, which names file, line, key and remedy, and reveals no secret. */
export function refuses(
  t: Test,
  key: string,
  cases: Refused[],
  { settings, file, variables }: Surroundings = {}
): void {
  for (const [value, remedy, place = key] of cases) {
    const content = changed({ ...settings, [key]: value }, file)
    const found = mistakesIn(t, [content], variables)
    const rule = `${key}: ${JSON.stringify(value)?.slice(0, 60)}`
    const [, line, problem = ''] = /^a\.json:(\d+): (.*)$/.exec(found.join('\n')) ?? []
    t.ok(problem.startsWith(`${place}: `) && problem.includes(remedy), rule, { found, place, remedy })
    const text = JSON.stringify(content, null, 2).split('\n')[Number(line) - 1]
    const isNamed = !problem.includes('missing; ') && !place.endsWith(']')
    if (isNamed) t.ok(text?.includes(`"${place.split('.').at(-1)}"`), `${rule}: line ${line}`)
    for (const secret of Object.values(variables ?? {})) {
      if (secret.length > 5) t.notOk(problem.includes(secret), `${rule}: no secret is shown`)
    }
  }
}

/** Checks that each value is accepted. */
export function accepts(
  t: Test,
  key: string,
  values: unknown[],
  { settings, file, variables }: Surroundings = {}
): void {
  for (const value of values) {
    const content = changed({ ...settings, [key]: value }, file)
    t.strictSame(mistakesIn(t, [content], variables), [], `${key}: ${JSON.stringify(value)?.slice(0, 60)}`)
  }
}

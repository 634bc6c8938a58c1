// Which merchant files the server serves: those on its command line, or the demo merchants.
import { readdirSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { OperatorError } from '../errors.ts'

/**
 * @param startedIn the folder that paths on the command line are relative to
 * @throws OperatorError
 */
export function merchantArguments(startedIn: string): string[] {
  try {
    const { positionals } = parseArgs({ allowPositionals: true, options: {} })
    return positionals.map(file => resolve(startedIn, file))
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}; give the paths of merchant files, and nothing else`)
  }
}

/** @param folder of the demo merchants */
export function demoFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter(name => /(?<!\.schema)\.json$/.test(name) && name !== 'minimal.json')
    .sort()
    .map(name => relative(process.cwd(), join(folder, name)))
}

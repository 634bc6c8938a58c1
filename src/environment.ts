// The environment, read and checked in one place: where to listen, where to store, how much to log.
import { isIP } from 'node:net'
import { OperatorError } from './errors.ts'

export type Environment = {
  host: string
  /** 0 lets the system choose. */
  port: number
  /** The path of the SQLite file. */
  database: string
  logLevel: string
  /** Whether there is a simulator page; if absent, the merchants' addresses decide. */
  simulator?: 'on' | 'off'
  /** The path of a Chromium. */
  chromium?: string
  /** The folder that paths on the command line are relative to; npm changes the current one. */
  startedIn: string
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** Every invalid variable, one per line: its name, its value and what would be right. */
export class EnvironmentError extends OperatorError {}

/** Merchant files name the variable that holds a secret, never the secret. */
export function readSecret(name: string): string | undefined {
  return process.env[name]
}

/** @throws EnvironmentError */
export function readEnvironment(variables: Record<string, string | undefined> = process.env): Environment {
  const mistakes: string[] = []
  const {
    HOST = '127.0.0.1',
    PORT = '3000',
    DATABASE_URL = 'sqlite:data/cart-transfer.sqlite',
    LOG_LEVEL = 'info',
    SIMULATOR,
    CHROMIUM
  } = variables
  const refuse = (name: string, value: string, right: string) =>
    mistakes.push(`${name} is ${JSON.stringify(value)}; it must be ${right}`)

  if (!isIP(HOST) && !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(HOST)) refuse('HOST', HOST, 'an address or a host name')
  if (!/^\d{1,5}$/.test(PORT) || Number(PORT) > 65_535) refuse('PORT', PORT, 'a whole number from 0 to 65535')
  if (!/^sqlite:./.test(DATABASE_URL)) {
    const scheme = DATABASE_URL.replace(/:.*/s, ':…')
    refuse('DATABASE_URL', scheme, '"sqlite:" and a path, such as "sqlite:data/shop.sqlite"')
  }
  if (!LOG_LEVELS.includes(LOG_LEVEL)) refuse('LOG_LEVEL', LOG_LEVEL, `one of ${LOG_LEVELS.join(', ')}`)
  if (SIMULATOR !== undefined && SIMULATOR !== 'on' && SIMULATOR !== 'off') {
    refuse('SIMULATOR', SIMULATOR, '"on" or "off"')
  }
  if (mistakes.length > 0) throw new EnvironmentError(mistakes.join('\n'))
  return {
    host: HOST,
    port: Number(PORT),
    database: DATABASE_URL.slice('sqlite:'.length),
    logLevel: LOG_LEVEL,
    ...(SIMULATOR && { simulator: SIMULATOR as 'on' | 'off' }),
    ...(CHROMIUM && { chromium: CHROMIUM }),
    startedIn: variables.INIT_CWD ?? process.cwd()
  }
}

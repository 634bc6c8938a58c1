// npm run test:ucp: our answers to UCP platforms, judged by the specification's schemas and by spck's checks.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OperatorError } from '../../src/errors.ts'
import { CART, NEWEST, type UcpVersion } from '../../src/ucp/versions.ts'
import { readFlags } from '../script-flags.ts'
import { EXCUSED, findDeviations, runSpck } from './spck.ts'
import { judgeOf } from './specification.ts'
import { collectAnswers, type Players, type UcpAnswer } from './ucp-answers.ts'
import { startUcpShop } from './ucp-shop.ts'

const USAGE = `npm run test:ucp -- [--spec PATH] [--spck PATH]

Judges all that a UCP platform is answered, by REST and MCP, in each version: by the JSON Schemas of the specification, and by
the checks of spck, which need python3.

--spec PATH  a clone of github.com/Universal-Commerce-Protocol/ucp; by default it is fetched
--spck PATH  a clone of github.com/vishkaty/ucp-conformance; by default it is fetched`

/** The specification as each version is cut. */
const SPECIFICATIONS: Record<UcpVersion, string> = {
  '2026-08-25': 'fdcf8934d1b6bfaf54d4d80e66db00f2ba67fad1',
  '2026-04-08': 'a2d8bf0b8f5a6fc790f677899c2c7da0684fe33d'
}
const SPCK = 'b712f937d06d8de9acd48a97a1194957b5f90aaf'

const { spec, spck } = await readFlags(USAGE, { spec: { type: 'string' }, spck: { type: 'string' } })

const folder = mkdtempSync(join(tmpdir(), 'test-ucp-'))
const closers: (() => unknown)[] = [() => rmSync(folder, { recursive: true })]
const t = { teardown: (close: () => unknown) => void closers.unshift(close) }

function run(command: string, args: string[], input?: Buffer): Buffer {
  const { status, stdout, stderr, error } = spawnSync(command, args, { input, maxBuffer: 2 ** 28 })
  if (status !== 0) throw new OperatorError(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`)
  return stdout
}

/** @returns a clone, which is fetched unless one is given */
function cloneOf(repository: string, given: string | undefined): string {
  if (given !== undefined) return given
  const path = join(folder, repository.replace('/', '+'))
  run('git', ['clone', '-q', '--bare', `https://github.com/${repository}`, path])
  return path
}

/** @returns a folder with this part of a clone, as of a commit */
function extract(clone: string, commit: string, part: string): string {
  const target = join(folder, commit)
  mkdirSync(target)
  run('tar', ['-x', '-C', target], run('git', ['-C', clone, 'archive', commit, part]))
  return target
}

/** What the specification says of a protocol error of REST. */
const isProtocolError = (body: unknown) =>
  ['code', 'content'].every(name => typeof (body as Record<string, unknown>)[name] === 'string')

async function judgeAnswers(): Promise<string[]> {
  const clone = cloneOf('Universal-Commerce-Protocol/ucp', spec)
  const versions = Object.keys(SPECIFICATIONS) as UcpVersion[]
  const judges = versions.map(version =>
    judgeOf(version, join(extract(clone, SPECIFICATIONS[version], 'source'), 'source'))
  )
  const judgeOfNewest = judges[versions.indexOf(NEWEST)] as (typeof judges)[number]
  const playersOf = (version: UcpVersion): Players => {
    const addressOf = (name: string) => `https://judge.example/${version}/${name}.json`
    return { platform: addressOf('platform'), cartless: addressOf('cartless'), stranger: addressOf('stranger') }
  }
  const known = versions.flatMap(version => {
    const { platform, cartless } = playersOf(version)
    const profileOf = (capability: string) =>
      JSON.stringify({
        ucp: { version, services: {}, capabilities: { [capability]: [{ version }] }, payment_handlers: {} }
      })
    return [
      [platform, profileOf(CART)],
      [cartless, profileOf('dev.ucp.shopping.checkout')]
    ]
  })
  const { origin } = await startUcpShop(t, Object.fromEntries(known))
  const wrong: string[] = []
  for (const [i, version] of versions.entries()) {
    const answers = await collectAnswers(origin, version, playersOf(version))
    const problemOf = ({ schema, body }: UcpAnswer) => {
      if (schema === 'protocol-error') return isProtocolError(body) ? undefined : 'it has no code and content'
      const judge = schema === 'mcp' || schema === 'rpc-error' ? judgeOfNewest : judges[i]
      return judge?.(schema, body)
    }
    const found = answers.flatMap(answer => {
      const problem = problemOf(answer)
      return problem === undefined ? [] : [`${version} ${answer.name}: ${problem}: ${JSON.stringify(answer.body)}`]
    })
    console.log(
      `UCP ${version}: ${answers.length - found.length} of ${answers.length} answers are valid by its schemas`
    )
    wrong.push(...found)
  }
  return wrong
}

async function judgeBySpck(): Promise<string[]> {
  const clone = cloneOf('vishkaty/ucp-conformance', spck)
  const checks = await runSpck(t, extract(clone, SPCK, 'conformance'))
  const passed = checks.filter(({ status }) => status === 'clean-pass')
  console.log(`spck: ${passed.length} checks passed; these are excused:`)
  for (const [id, reason] of Object.entries(EXCUSED)) console.log(`  ${id}: ${reason}`)
  return findDeviations(checks)
}

try {
  const wrong = [...(await judgeAnswers()), ...(await judgeBySpck())]
  for (const line of wrong) console.error(line)
  process.exitCode = wrong.length > 0 ? 1 : 0
} catch (error) {
  if (!(error instanceof OperatorError)) throw error
  console.error(error.message)
  process.exitCode = 1
} finally {
  for (const close of closers) await close()
}

// What a run has seen, as a section of src/integrations/destination/README.md, where --write puts it.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { markdownTable, rewritePart } from '../../src/cli/markdown.ts'
import { ROOT } from '../node-process.ts'
import type { Verdict } from './conform.ts'
import type { Merchant } from './merchants.ts'

export type ShopReport = {
  /** The shop, with its version. */
  title: string
  at: string
  conformance: { merchant: Merchant; verdict: Verdict }[]
  cases: { title: string; passed: boolean; seen: string }[]
}

const FILE = join(ROOT, 'src/integrations/destination/README.md')

export const hasPassed = ({ conformance, cases }: ShopReport) =>
  conformance.every(({ verdict }) => /^passed\b/.test(verdict.contract)) && cases.every(({ passed }) => passed)

export function reportText({ title, at, conformance, cases }: ShopReport): string {
  const rows = new Map<string, { options: string[]; cells: string[] }>()
  for (const { merchant, verdict } of conformance) {
    const cells = [verdict.contract, verdict.goodPractice]
    const key = [merchant.way, ...cells].join()
    const row = rows.get(key) ?? { options: [], cells: [merchant.way, '', ...cells] }
    row.options.push(merchant.option)
    row.cells[1] = row.options.join(', ')
    rows.set(key, row)
  }
  const failures = cases.filter(({ passed }) => !passed).map(({ title, seen }) => `- FAILED: ${title}: ${seen}`)
  const passes = cases.length - failures.length
  return [
    `### ${title}`,
    `\`npm run test:shops\`, ${at}, Node ${process.version}`,
    markdownTable([
      ['how the page gets the cart', 'options', 'contract', 'good practice'],
      ...Array.from(rows.values(), ({ cells }) => cells)
    ]),
    [`${passes} cases passed.`, ...failures].join('\n')
  ].join('\n\n')
}

/** Puts the text in the place of that of the same shop, whatever its version was. */
export function writeReport(text: string): void {
  const shopOf = (section: string) => /^### (\S+)/.exec(section)?.[1]
  const written = rewritePart(readFileSync(FILE, 'utf8'), 'npm run test:shops -- --write', before => {
    const sections = before.split(/^(?=### )/m).map(section => section.trim())
    const others = sections.filter(section => section !== '' && shopOf(section) !== shopOf(text))
    return [...others, text].sort().join('\n\n')
  })
  writeFileSync(FILE, written)
}

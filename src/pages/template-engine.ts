// Eta, with our templates or a merchant's own. Ours print bytes: strings with one character for each byte of UTF-8, in which
// every part of a page is encoded by itself, most of them once. Text with a single character beyond Latin-1 (🌐, ’) is two
// bytes wide, so that measuring, joining and encoding it takes long: bare node:http sends 11 kB of it in 66 µs, as bytes
// in 26.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import { FRAGMENT_FUNCTION, NO_FRAGMENTS, renderFragment } from './fragment.ts'
import { VIEWS_FOLDER, viewFile } from './view-files.ts'

/** Renders pages; `encoding` is that of the strings which Eta makes. */
export type TemplateEngine = { eta: Eta; encoding: 'latin1' | 'utf8' }

/** What is bytes already where a template prints it raw. */
const RENDERED = /^(include|fragment)\(|^it\.body$/

const NOT_ASCII = /[^\0-\x7f]/
/** What is printed as it is, as nearly everything is. */
const PLAIN = /^[^&<>"'\x80-\uffff]*$/

/** For our templates. */
export function byteEngine(): TemplateEngine {
  const eta = openEta()
  Object.assign(eta, { renderFragment: renderFragment.bind(undefined, eta) })
  const { escapeFunction } = eta.config
  eta.configure({
    functionHeader: FRAGMENT_FUNCTION,
    escapeFunction: value => {
      const text = String(value)
      return PLAIN.test(text) ? text : toBytes(escapeFunction(text))
    },
    filterFunction: value => toBytes(String(value)),
    plugins: [
      {
        processAST: parts =>
          parts.map(part => {
            if (typeof part === 'string') return toBytes(part)
            if (part.t !== 'r' || RENDERED.test(part.val)) return part
            return { ...part, val: `this.config.filterFunction(${part.val})` }
          })
      }
    ]
  })
  return { eta, encoding: 'latin1' }
}

/** For templates that may print anything raw. @param folder its files come before ours */
export function textEngine(folder?: string): TemplateEngine {
  return { eta: openEta(folder), encoding: 'utf8' }
}

export function renderBytes({ eta, encoding }: TemplateEngine, template: string, data: object): Buffer {
  return Buffer.from(eta.render(template, data), encoding)
}

function toBytes(text: string): string {
  return NOT_ASCII.test(text) ? Buffer.from(text).toString('latin1') : text
}

function openEta(folder?: string): Eta {
  const eta = new Eta({ views: VIEWS_FOLDER, cache: true, functionHeader: NO_FRAGMENTS })
  const files = new Map<string, string>()
  for (const name of readdirSync(VIEWS_FOLDER)) {
    const file = viewFile(name, folder)
    files.set(name, file).set(name.replace(/\.eta$/, ''), file)
  }
  eta.resolvePath = template => files.get(template) ?? join(VIEWS_FOLDER, template)
  return eta
}

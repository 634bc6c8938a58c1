// Reads a feed in XML: each `item` of RSS 2.0 or `entry` of Atom is a row. Attributes are in Google's namespace, usually
// `g:`; those that RSS and Atom have themselves, such as `title`, count where Google's are absent. The parser loads no
// external entities and expands none that a document declares. An element within a value is a part of its text.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Tag } from 'sax'
import { FeedError, type FeedRow, type FileChunks, LONGEST_ROW, type RowHandlers } from './feed-row.ts'

const GOOGLE = 'http://base.google.com/ns/1.0'
const ATOM = 'http://www.w3.org/2005/Atom'

/** Bytes that are read between two pauses. */
const SLICE = 64 * 1024

/** Deeper elements would only fill memory. */
const MAX_DEPTH = 100

const MAX_ATTRIBUTES = 100

/** What decides about the price: given twice and differently, it is not clear what to charge. */
const ONCE = new Set(['id', 'price', 'sale_price', 'sale_price_effective_date', 'availability'])

const PRICES = new Set(['price', 'sale_price'])

/** Elements of HTML that begin a line. */
const LINES = new Set(['br', 'p', 'div', 'li'])

type XmlItem = {
  line: number
  /** How deep its element is nested. */
  depth: number
  /** Characters of the names and texts in it. */
  size: number
  google: Map<string, string>
  others: Map<string, string>
  problem?: string
}

/** @throws FeedError naming the line if it is not well-formed, which makes all that follows unreadable */
export async function readXml(chunks: FileChunks, beginning: string, handlers: RowHandlers): Promise<void> {
  const decoder = decoderFor(beginning)
  // Loaded with the first feed in XML.
  const { default: sax } = await import('sax')
  const parser = sax.parser(true)
  const fail = (reason: string): never => {
    throw new FeedError(`line ${parser.line + 1}: ${reason}`)
  }
  /** The namespaces of each open element by prefix; that of the default is ''. */
  const open: Map<string, string>[] = []
  let attributes = 0
  let item: XmlItem | undefined
  /** The attribute being read: where it goes, its name and its text. */
  let attribute: { values: Map<string, string>; name: string; text: string } | undefined
  let isEmpty = true

  parser.onerror = ({ message }) => fail(String(message.split('\n', 1)[0]))
  parser.onattribute = () => {
    attributes += 1
    if (attributes > MAX_ATTRIBUTES) fail(`a tag has more than ${MAX_ATTRIBUTES} attributes`)
  }
  parser.onopentag = tag => {
    const [local = '', prefix = ''] = tag.name.split(':').reverse()
    const namespaces = namespacesIn(tag as Tag, open.at(-1))
    const uri = namespaces.get(prefix)
    attributes = 0
    if (prefix !== '' && uri === undefined) fail(`the prefix of <${tag.name}> is not declared`)
    if (open.push(namespaces) > MAX_DEPTH) fail(`more than ${MAX_DEPTH} elements inside each other`)
    if (item) {
      separate(local)
      if (open.length !== item.depth + 1 || (uri === ATOM && local === 'id')) return
      if (!hasRoom(item, local.length)) return
      attribute = { values: uri === GOOGLE ? item.google : item.others, name: local.toLowerCase(), text: '' }
    } else if (local === 'item' || local === 'entry') {
      isEmpty = false
      item = { line: parser.line + 1, depth: open.length, size: 0, google: new Map(), others: new Map() }
    }
  }
  const addText = (text: string) => {
    if (item && attribute && hasRoom(item, text.length)) attribute.text += text
  }
  /** Otherwise `<net>9</net><vat>19</vat>` would be 919, and `Mug<br/>blue` one word. */
  const separate = (element: string) => {
    if (!attribute || /\s$/.test(attribute.text)) return
    if (PRICES.has(attribute.name) || (attribute.name === 'title' && LINES.has(element.toLowerCase()))) addText(' ')
  }
  parser.ontext = addText
  parser.oncdata = addText
  parser.onclosetag = tag => {
    if (item && attribute && open.length === item.depth + 1) {
      const { values, name } = attribute
      const trimmed = attribute.text.trim()
      const text = PRICES.has(name) ? trimmed.replace(/[ \t\r\n]+/g, ' ') : trimmed
      const earlier = values.get(name)
      if (earlier === undefined) values.set(name, text)
      else if (earlier !== text && ONCE.has(name)) item.problem ??= `${name} is given twice`
      attribute = undefined
    } else if (item?.depth === open.length) {
      endItem(item, handlers)
      item = undefined
    } else separate(tag.slice(tag.indexOf(':') + 1))
    open.pop()
  }
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += SLICE) {
      parser.write(decoder.decode(chunk.subarray(at, at + SLICE), { stream: true }))
      await nextTurn()
    }
  }
  parser.write(decoder.decode()).close()
  if (isEmpty) throw new FeedError('it has no <item>, as RSS 2.0 has, and no <entry>, as Atom has')
}

/** Whether an item may have this many characters more; if not, it is no row, and what follows in it is not kept. */
function hasRoom(item: XmlItem, length: number): boolean {
  item.size += length
  if (item.size > LONGEST_ROW) item.problem = `it is longer than ${LONGEST_ROW} characters`
  return item.problem === undefined
}

function namespacesIn({ attributes }: Tag, inherited = new Map<string, string>()): Map<string, string> {
  const declared = Object.entries(attributes).filter(([name]) => /^xmlns(:|$)/.test(name))
  if (declared.length === 0) return inherited
  return new Map([...inherited, ...declared.map(([name, uri]) => [name.slice('xmlns:'.length), uri] as const)])
}

function decoderFor(beginning: string) {
  const [, encoding = 'utf-8'] = /^<\?xml[^>]*\bencoding\s*=\s*["']([^"'>]*)["']/.exec(beginning) ?? []
  const shown = JSON.stringify(encoding.slice(0, 40))
  try {
    const decoder = new TextDecoder(encoding)
    // What is in UTF-16 has not been taken for XML.
    if (!decoder.encoding.startsWith('utf-16')) return decoder
  } catch {
    throw new FeedError(`its encoding ${shown} is not known; save it as UTF-8`)
  }
  throw new FeedError(`it says that its encoding is ${shown}, but its bytes are not; write "utf-8" there`)
}

function endItem({ line, google, others, problem }: XmlItem, { onRow, onSkipped }: RowHandlers): void {
  const row: FeedRow = name => google.get(name) || others.get(name) || undefined
  const isBroken = [google, others].some(values => [...values.values()].some(text => text.includes('\ufffd')))
  if (problem !== undefined) onSkipped(line, problem, row('id'))
  else if (isBroken) onSkipped(line, 'it holds bytes that are not text in its encoding', row('id'))
  else onRow(line, row)
}

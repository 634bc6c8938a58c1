// JSON text that remembers on which line each key is.
import { type DocumentNode, parse, type StringNode, type ValueNode } from '@humanwhocodes/momoa'

/** A place in a JSON document, from its root. */
export type Key = (string | number)[]

export type JsonSource = {
  value: unknown
  /** The line, counted from 1, of the deepest part of this key that exists. */
  lineOf: (key: Key) => number
  /** Keys that occur more than once in their object. */
  repeated: Key[]
}

/** @throws SyntaxError if it is not JSON, with the position in its message */
export function readJsonSource(text: string): JsonSource {
  const value = JSON.parse(text)
  const document: DocumentNode = parse(text, { mode: 'json' })
  const repeated: Key[] = []
  findRepeated(document.body, [], repeated)
  return { value, lineOf: key => lineOf(document.body, key), repeated }
}

function membersOf(node: ValueNode): { name: string | number; line: number; value: ValueNode }[] {
  if (node.type === 'Array') {
    return node.elements.map(({ value }, i) => ({ name: i, line: value.loc.start.line, value }))
  }
  if (node.type !== 'Object') return []
  return node.members.map(({ name, value, loc }) => ({ name: (name as StringNode).value, line: loc.start.line, value }))
}

function lineOf(root: ValueNode, key: Key): number {
  let node = root
  let line = node.loc.start.line
  for (const part of key) {
    const member = membersOf(node).find(({ name }) => name === part)
    if (!member) break
    ;({ line, value: node } = member)
  }
  return line
}

function findRepeated(node: ValueNode, key: Key, found: Key[]): void {
  const seen = new Set<string | number>()
  for (const { name, value } of membersOf(node)) {
    if (seen.has(name)) found.push([...key, name])
    seen.add(name)
    findRepeated(value, [...key, name], found)
  }
}

// Parts of documents that a program writes, between `<!-- written by COMMAND -->` and `<!-- end -->`.
const END = '<!-- end -->'

/**
 * @param rewrite gets what stands there now, and returns what is to stand there
 * @throws Error if the document has no such part
 */
export function rewritePart(document: string, command: string, rewrite: (before: string) => string): string {
  const begin = `<!-- written by ${command} -->`
  const from = document.indexOf(begin) + begin.length
  const to = document.indexOf(END, from)
  if (from < begin.length || to < 0) throw new Error(`the document has no part from "${begin}" to "${END}"`)
  return `${document.slice(0, from)}\n\n${rewrite(document.slice(from, to))}\n\n${document.slice(to)}`
}

export function markdownTable([head = [], ...rows]: string[][]): string {
  return [head, head.map(() => '---'), ...rows].map(row => `| ${row.join(' | ')} |`).join('\n')
}

// SQL that each connection prepares once: planning it anew each time takes longer than running it. It names the columns
// that it reads: a server that runs goes on while a newer version adds others.
import { createHash } from 'node:crypto'

export type Statement = { name: string; text: string; isWrite: boolean }

/** The name follows from the text, so that two versions of this server may share the connections of a proxy. */
export function statement(text: string): Statement {
  return {
    name: createHash('sha1').update(text).digest('base64url'),
    text,
    isWrite: /^\s*(INSERT|UPDATE|DELETE)\b/m.test(text)
  }
}

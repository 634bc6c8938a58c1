// Where templates and style sheets stand: in views/, and before it in a merchant's own folder.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const VIEWS = join(import.meta.dirname, '../../views')

/** The path of a view; a file of the same name in a merchant's own folder wins. */
export function viewFile(name: string, own?: string): string {
  const file = own === undefined ? undefined : join(own, name)
  return file !== undefined && existsSync(file) ? file : join(VIEWS, name)
}

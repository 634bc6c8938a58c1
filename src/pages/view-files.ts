// Where templates and style sheets are: in views/, unless a merchant's own folder overrides them.
import { existsSync } from 'node:fs'
import { join } from 'node:path'

export const VIEWS_FOLDER = join(import.meta.dirname, '../../views')

/** The path of a view; a file of the same name in the merchant's own folder comes first. */
export function viewFile(name: string, folder?: string): string {
  const override = folder === undefined ? undefined : join(folder, name)
  return override !== undefined && existsSync(override) ? override : join(VIEWS_FOLDER, name)
}

// The templates of pages: Eta with the files of views/, each replaced by a merchant's own file of the same name, rendered
// by @fastify/view.
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import view from '@fastify/view'
import { Eta } from 'eta'
import type { FastifyInstance } from 'fastify'

export const VIEWS_FOLDER = join(import.meta.dirname, '../../views')

/** A file of the same name in the merchant's own folder comes first. */
export function viewFile(name: string, folder?: string): string {
  const override = folder === undefined ? undefined : join(folder, name)
  return override !== undefined && existsSync(override) ? override : join(VIEWS_FOLDER, name)
}

/**
 * In our templates `fragment(name, values)` renders another with nothing but these values, which takes half as long as an
 * `include` with everything of the page. A merchant's own may use everything, so in them it is an `include`.
 * @param folder its files come before ours
 */
export function openTemplates(folder?: string): Eta {
  const render = folder === undefined ? 'this.render' : 'include'
  const eta = new Eta({
    views: VIEWS_FOLDER,
    cache: true,
    functionHeader: `const fragment = (name, values) => ${render}(name, values)`
  })
  const files = new Map<string, string>()
  for (const name of readdirSync(VIEWS_FOLDER)) {
    const file = viewFile(name, folder)
    files.set(name, file).set(name.replace(/\.eta$/, ''), file)
  }
  eta.resolvePath = template => files.get(template) ?? join(VIEWS_FOLDER, template)
  return eta
}

export async function registerViews(app: FastifyInstance, eta: Eta): Promise<void> {
  await app.register(view, { engine: { eta }, root: VIEWS_FOLDER, viewExt: 'eta', production: true })
}

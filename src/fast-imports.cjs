// Finds modules with one call to the file system. For each import, Node looks whether the file is there, whether it or a
// folder above is a link, and which package.json it belongs to. A path relative to a module that was found needs the first
// only, and nearly 500 of a server's 750 modules are found by one, TypeBox's among them. A start, in 11 pairs, without the
// look at the file, which made no difference: 417 ms before, 354 after. Hooks that were registered before do not see these
// imports; those registered afterwards do.
const { lstatSync } = require('node:fs')
const { registerHooks } = require('node:module')
const { fileURLToPath } = require('node:url')

const FORMATS = { ts: 'module-typescript', mjs: 'module' }

registerHooks({
  resolve(specifier, context, nextResolve) {
    const [, extension] = /^\.\.?\/[\w./-]+\.(ts|mjs)$/.exec(specifier) ?? []
    if (extension !== undefined && context.parentURL?.startsWith('file:')) {
      const url = new URL(specifier, context.parentURL)
      // Node resolves links, and says who imports a file that is not there.
      const isFile = lstatSync(fileURLToPath(url), { throwIfNoEntry: false })?.isFile()
      if (isFile) return { url: url.href, format: FORMATS[extension], shortCircuit: true }
    }
    return nextResolve(specifier, context)
  }
})

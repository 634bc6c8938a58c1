// Finds modules without asking the file system. For each import, Node looks whether the file is there, whether it is a link,
// and which package.json it belongs to. A path relative to a module that was found needs none of that, and nearly 500 of
// a server's 750 modules are found by one, TypeBox's among them. A start, in 11 pairs: 417 ms before, 354 after.
const { registerHooks } = require('node:module')

const FORMATS = { ts: 'module-typescript', mjs: 'module' }

registerHooks({
  resolve(specifier, context, nextResolve) {
    const [, extension] = /^\.\.?\/.*\.(ts|mjs)$/.exec(specifier) ?? []
    if (extension === undefined) return nextResolve(specifier, context)
    return { url: new URL(specifier, context.parentURL).href, format: FORMATS[extension], shortCircuit: true }
  }
})

// The npm scripts load this first. A Node that is too old cannot read TypeScript, but it can read this: plain JavaScript
// of 2015. package.json has the version, by which npm warns too.
const numbersIn = text => text.match(/\d+/g).map(Number)
const needed = numbersIn(require('../package.json').engines.node)
const actual = numbersIn(process.version)

if ((actual[0] - needed[0] || actual[1] - needed[1] || actual[2] - needed[2]) < 0) {
  console.error(
    `cart-transfer needs Node ${needed.join('.')} or newer, and ${process.execPath} is ${actual.join('.')}: ` +
      'install a newer one. (For development, "npm ci" brings one along; "npm ci --omit=dev" does not.)'
  )
  process.exit(1)
}

// Before any other module is loaded: with what is compiled already, a start takes half as long. NODE_COMPILE_CACHE
// names another folder; one that cannot be written is done without.
require('node:module').enableCompileCache(`${__dirname}/../node_modules/.cache/node`)

// The npm scripts load this after the check of Node's version: the variables of `.env` in the project's folder, if there
// is one. What is set already stays. It does what Node's own --env-file-if-exists does, of which an older Node knows
// nothing but "bad option", and which says on standard error whenever there is no such file.
const { existsSync } = require('node:fs')

if (existsSync('.env')) {
  try {
    process.loadEnvFile('.env')
  } catch (error) {
    console.error(`cart-transfer cannot read .env: ${error.message}`)
    process.exit(1)
  }
}

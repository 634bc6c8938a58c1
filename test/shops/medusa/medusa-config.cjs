// The configuration of the Medusa that is tried, in the folder where it is installed.
const { defineConfig } = require('@medusajs/framework/utils')

const anyOrigin = '*'

module.exports = defineConfig({
  admin: { disable: true },
  projectConfig: {
    databaseUrl: process.env.DATABASE_URL,
    http: {
      storeCors: anyOrigin,
      adminCors: anyOrigin,
      authCors: anyOrigin,
      jwtSecret: 'of-a-test',
      cookieSecret: 'of-a-test'
    }
  }
})

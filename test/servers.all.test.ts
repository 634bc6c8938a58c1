import { loadTests } from './load-tests.ts'

// What starts the server as a process.
await loadTests(import.meta.dirname, '{npm-start,orders-once,server,server-*}')

import { loadTests } from './load-tests.ts'

// What starts the server and other programs as processes.
await loadTests(import.meta.dirname, '{npm-start,orders-once,script-flags,server,server-*}')

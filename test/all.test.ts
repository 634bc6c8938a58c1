import { loadTests } from './load-tests.ts'

// What starts no server.
await loadTests(import.meta.dirname, '{!(npm|rooms|server)*,shops/*}')

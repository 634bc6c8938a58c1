import { loadTests } from './load-tests.ts'

// What starts no server.
await loadTests(import.meta.dirname, '{!(npm|orders-once|rooms|server)*,shops/*}')

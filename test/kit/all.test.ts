import { loadTests } from '../load-tests.ts'

// What plays the app and the payment provider in Chromium; the rest of the kit is in test/all.test.ts.
await loadTests(import.meta.dirname, '{browser,conformance,payment}/all')

import { loadTests } from '../load-tests.ts'

await loadTests(import.meta.dirname)

import { loadTests } from '../../load-tests.ts'

await loadTests(import.meta.dirname, [
  'check',
  'detail-text',
  'edit-request',
  'final-response',
  'limit-checks',
  'profile'
])

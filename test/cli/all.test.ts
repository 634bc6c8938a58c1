import { loadTests } from '../load-tests.ts'

await loadTests(import.meta.dirname, [
  'conform-report',
  'order-csv',
  'orders-arguments',
  'period',
  'progress-bar',
  'reconcile-report',
  'simulate-arguments',
  'terminal-text',
  'transfer-text'
])

import { loadTests } from '../load-tests.ts'

await loadTests(import.meta.dirname, [
  'backup',
  'conform-report',
  'credentials',
  'health-check',
  'migrate',
  'new-shop',
  'order-csv',
  'orders-request',
  'period',
  'progress-bar',
  'reconcile-report',
  'simulate-arguments',
  'terminal-text',
  'transfer-text'
])

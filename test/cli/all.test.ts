import { loadTests } from '../load-tests.ts'

await loadTests(import.meta.dirname, [
  'add-shop',
  'backup',
  'conform-report',
  'credentials',
  'open-catalogue',
  'order-csv',
  'orders-request',
  'period',
  'progress-bar',
  'reconcile-report',
  'simulate-arguments',
  'start-message',
  'terminal-text',
  'transfer-text'
])

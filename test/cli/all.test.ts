import { loadTests } from '../load-tests.ts'

await loadTests(import.meta.dirname, [
  'backup',
  'conform-report',
  'credentials',
  'demo-shop',
  'migrate',
  'new-shop',
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

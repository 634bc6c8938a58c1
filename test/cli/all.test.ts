import { loadTests } from '../load-tests.ts'

await loadTests(import.meta.dirname, [
  'add-shop',
  'backup',
  'conform-report',
  'health-check',
  'migrate',
  'order-text',
  'reconcile-report',
  'run-command',
  'terminal-text'
])

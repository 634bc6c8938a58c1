import { loadTests } from './load-tests.ts'

await loadTests(import.meta.dirname, [
  'app',
  'architecture',
  'check-node',
  'documents',
  'environment',
  'errors',
  'golden',
  'money',
  'one-cart-every-option',
  'openapi/agreement',
  'openapi/merchant-document',
  'orders-once',
  'own-shop',
  'secrets'
])

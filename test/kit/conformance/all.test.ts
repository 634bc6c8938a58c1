import { loadTests } from '../../load-tests.ts'

await loadTests(import.meta.dirname, [
  'comparison',
  'detail-text',
  'edit-request',
  'large-carts',
  'option-traits',
  'profile',
  'responses'
])

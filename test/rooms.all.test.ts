import { loadTests } from './load-tests.ts'

// The other rooms that need no process of their own.
await loadTests(
  import.meta.dirname,
  '{cart,checkout,integrations/{destination,outgoing,payment},judges,merchant,messages,reconcile,transfer,ucp}/all'
)

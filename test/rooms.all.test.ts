import { loadTests } from './load-tests.ts'

// The rooms that need no process of their own.
await loadTests(
  import.meta.dirname,
  '{cart,checkout,integrations/{destination,payment},kit/{client,demo,simulator},merchant,messages,reconcile,start}/all'
)

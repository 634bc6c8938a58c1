import { loadTests } from './load-tests.ts'

// The rooms that need no process of their own.
await loadTests(
  import.meta.dirname,
  '{{cart,checkout,integrations/{destination,outgoing,payment},kit/{client,demo,fault-injection,simulator},merchant,messages,reconcile,start,transfer}/all,bench/*}'
)

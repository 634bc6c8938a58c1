import { loadTests } from './load-tests.ts'

// The rooms that need no process of their own.
await loadTests(
  import.meta.dirname,
  '{{cart,checkout,demo,destination,kit/{client,simulator},merchant,messages,metrics,orders,outgoing,payment,reconcile,rehearsal,start,tracing,webhook}/all,bench/*}'
)

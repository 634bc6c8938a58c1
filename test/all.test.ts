import { loadTests } from './load-tests.ts'

// What starts no server, and the rooms that need no process of their own.
await loadTests(import.meta.dirname, '{!(npm|server)*,{openapi,shops}/*}')
await loadTests(
  import.meta.dirname,
  '{cart,checkout,demo,destination,kit/{client,simulator},merchant,messages,metrics,orders,outgoing,payment,reconcile,rehearsal,start,tracing,webhook}/all'
)

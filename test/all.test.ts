import { loadTests } from './load-tests.ts'

// The top of `test/` but for what starts programs, and rooms that take as long together as the others do.
await loadTests(
  import.meta.dirname,
  '{!(npm|orders-once|rooms|script-flags|server)*,{bench,shops}/*,{kit/{client,demo,fault-injection,simulator},start}/all}'
)

// A shop that responds to bags as a test says, for example with a description that no app can use.
import { type FaultInjection, openFaultInjection } from '../../../src/kit/fault-injection/fault-injection.ts'
import type { Description } from '../../../src/transfer/description.ts'
import { jsonDescription } from '../../../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../../../src/transfer/option.ts'

/** Option 1 with another description. */
export function describedOtherwise(describe: () => object): TransferOption[] {
  return [{ ...jsonDescription, describe: () => describe() as Description }]
}

/** Has every request of the simulator answered by these bytes, and its connection closed. */
export function answeredBy(response: string): FaultInjection {
  return { ...openFaultInjection(), play: socket => void socket.end(response) }
}

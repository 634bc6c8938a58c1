// The legs of a bag's way between app and shop, for the simulator's picture: which there are with an option, and which
// of them a step belongs to.
import type { TransferOption } from '../../transfer/option.ts'
import type { Step } from '../client/simulate-transfer.ts'

export type Leg = 'bag' | 'description' | 'request' | 'page' | 'order'

export type LegView = {
  leg: Leg
  to: 'shop' | 'app'
  /** Whether the platform's server passes it on. */
  byPlatform: boolean
  says: string
}

const BAG = {
  json: 'The bag, as JSON',
  form: 'The bag, as a form',
  query: 'The bag, in a web address',
  other: 'The bag'
}

export function legsOf({ answer, encoding }: Pick<TransferOption, 'answer' | 'encoding'>): LegView[] {
  const byPlatform = answer === 'description'
  const described: LegView[] = [
    { leg: 'description', to: 'app', byPlatform, says: 'The description of a web request' },
    { leg: 'request', to: 'shop', byPlatform: false, says: 'The request that it describes' }
  ]
  return [
    { leg: 'bag', to: 'shop', byPlatform, says: BAG[encoding] },
    ...(byPlatform ? described : []),
    { leg: 'page', to: 'app', byPlatform: false, says: 'The checkout page' },
    { leg: 'order', to: 'app', byPlatform: false, says: 'The confirmation of the order' }
  ]
}

/**
 * The leg of a step; a failure belongs to that of the step before it.
 * @param answer what the merchant's option is answered with
 */
export function legOf(
  step: Exclude<Step, { step: 'description' }>,
  next: Step | undefined,
  answer: TransferOption['answer']
): Leg | undefined {
  if (step.step === 'failure') return undefined
  const sent = answer === 'description' ? 'request' : 'bag'
  if (step.step === 'request') return step.sender === 'platform' ? 'bag' : sent
  if (step.to === 'platform') return 'description'
  // A redirect is still on the way to the page.
  return next?.step === 'request' ? sent : 'page'
}

// The legs of a bag's way between app and shop, for the simulator's picture: which there are with an option, and which
// of them a step belongs to.
import type { TransferOption } from '../../transfer/option.ts'
import type { DescribedField } from '../client/described-field.ts'
import type { Sender, Step } from '../client/simulate-transfer.ts'

export type Leg = 'bag' | 'description' | 'request' | 'page' | 'order'

export type LegView = {
  leg: Leg
  to: 'shop' | 'app'
  /** Whether the platform's server passes it on. */
  byPlatform: boolean
  says: string
}

const BAG: Record<string, string> = {
  'application/json': 'The bag, as JSON',
  'application/x-www-form-urlencoded': 'The bag, as a form',
  query: 'The bag, in a web address'
}

export function legsOf({ answer, encoding }: Pick<TransferOption, 'answer' | 'encoding'>): LegView[] {
  const byPlatform = answer === 'description'
  const described: LegView[] = [
    { leg: 'description', to: 'app', byPlatform, says: 'The description of a web request' },
    { leg: 'request', to: 'shop', byPlatform: false, says: 'The request that it describes' }
  ]
  return [
    { leg: 'bag', to: 'shop', byPlatform, says: BAG[encoding] ?? 'The bag' },
    ...(byPlatform ? described : []),
    { leg: 'page', to: 'app', byPlatform: false, says: 'The checkout page' },
    { leg: 'order', to: 'app', byPlatform: false, says: 'The confirmation of the order' }
  ]
}

export type LegOptions = {
  previous: Step | undefined
  next: Step | undefined
  /** What the merchant's option is answered with. */
  answer: TransferOption['answer']
  /** Who sends the first request, if somebody has edited it. */
  edited: Sender | undefined
}

/** The leg of a step; undefined for a failure on the leg of the step before it. */
export function legOf(
  step: Exclude<Step, { step: 'description' }>,
  { previous, next, answer, edited }: LegOptions
): Leg | undefined {
  const sent = answer === 'description' ? 'request' : 'bag'
  if (step.step === 'failure') {
    // Nothing was sent.
    if (!previous) return edited === 'web view' ? sent : 'bag'
    // The description is fine, but what it describes could not be sent.
    return previous.step === 'description' && !isRefused(previous.fields) ? 'request' : undefined
  }
  if (step.step === 'request') return step.sender === 'platform' ? 'bag' : sent
  if (step.to === 'platform') return 'description'
  // A redirect is still on the way to the page, followed or not.
  return next ? sent : 'page'
}

/** Whether iOS refuses a description with these fields. */
export function isRefused(fields: DescribedField[]): boolean {
  return fields.some(({ verdict }) => verdict === 'refused')
}

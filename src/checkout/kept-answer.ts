// Answers that are kept under the key that a platform sent with its request: a repeat gets the same answer, and changes
// nothing. What a request changes and the answer to it are stored together, or neither is.
import type { NewCheckout, StoredCheckout } from './checkout-store.ts'

export type PlatformAnswer = { status: number; body: string }

/** `scope` is a digest of the key and of what it is good for, `digest` one of what was sent. Times are UTC, ISO 8601. */
export type AnswerKey = { merchantId: string; scope: string; digest: string; at: string }

export type KeptAnswer = PlatformAnswer & { digest: string }

/** Thrown if another request with the same key has been answered meanwhile. Then nothing of this one is stored. */
export class AnsweredMeanwhile extends Error {
  readonly answer: KeptAnswer

  constructor(answer: KeptAnswer) {
    super('another request with the same key has been answered')
    this.answer = answer
  }
}

export type AnswerStore = {
  findAnswer: (merchantId: string, scope: string) => Promise<KeptAnswer | undefined>
  /** Keeps the answer to a request that changes nothing. @throws AnsweredMeanwhile */
  keepAnswer: (key: AnswerKey, answer: PlatformAnswer) => Promise<void>
  /**
   * Stores a checkout as `addCheckout` or, if it leads to the shop, `finishHandoff` does, and with it the answer. A checkout
   * that has the same cart gets what came along with this one.
   * @param key if absent, no answer is kept
   * @param isUpdate whether there has to be one under the reference, which nobody has cancelled
   * @returns undefined if there is none, or as `finishHandoff` does; then, or if it has an order, no answer is kept
   * @throws AnsweredMeanwhile
   */
  addAnswered: (
    checkout: NewCheckout,
    key: AnswerKey | undefined,
    answer: (stored: StoredCheckout) => PlatformAnswer,
    isUpdate?: boolean
  ) => Promise<StoredCheckout | undefined>
  /**
   * Supersedes a cart by none, and keeps a record of that and the answer.
   * @param checkout the last one that was sent under its reference, which may wait for a payment to end
   * @returns whether it did: not if it is being paid, has an order, or is no longer the last @throws AnsweredMeanwhile
   */
  cancelCheckout: (
    checkout: StoredCheckout,
    at: string,
    key: AnswerKey | undefined,
    answer: PlatformAnswer
  ) => Promise<boolean>
  /** Deletes answers that were kept before a time. @returns how many */
  deleteAnswers: (merchantId: string, before: string, limit: number) => Promise<number>
}

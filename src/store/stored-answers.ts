// Answers to the requests of platforms, each kept under its key in the transaction of what it says.
import {
  AnsweredMeanwhile,
  type AnswerKey,
  type AnswerStore,
  type KeptAnswer,
  type PlatformAnswer
} from '../checkout/kept-answer.ts'
import { type Database, type Result, statement, type Work } from './database.ts'
import { SET_CART } from './ordered-carts.ts'
import { addCheckout, cancelCheckout, finishHandoff, lockNewest, recordTransfer } from './stored-checkouts.ts'

const SELECT = 'SELECT digest, status, body FROM idempotency_keys WHERE merchant_id = $1 AND scope = $2'
const INSERT = `INSERT INTO idempotency_keys (merchant_id, scope, digest, status, body, created_at)
  VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (merchant_id, scope) DO NOTHING`
const DELETE_OLD = `WITH old AS (
    SELECT ctid AS place FROM idempotency_keys WHERE merchant_id = $1 AND created_at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED
  )
  DELETE FROM idempotency_keys WHERE ctid IN (SELECT place FROM old)`

export function storedAnswers({ of, checkDurable }: Database): AnswerStore {
  return {
    findAnswer: async (merchantId, scope) => {
      const found = answerFrom(await of(merchantId).read(SELECT, [merchantId, scope]))
      if (found) checkDurable()
      return found
    },
    keepAnswer: (key, answer) => of(key.merchantId).transaction(() => keep(key, answer)),
    addAnswered: (checkout, key, answer, isUpdate) =>
      of(checkout.merchantId, checkout.cart.reference).transaction(function* () {
        const { merchantId, cart } = checkout
        if (isUpdate && !(yield* lockNewest(merchantId, cart.reference)).newest) return undefined
        const stored = yield* checkout.handover ? finishHandoff(checkout) : addCheckout(checkout)
        if (!stored || stored.orderNumber !== undefined) return stored
        if (stored !== checkout) yield statement(SET_CART, [stored.token, JSON.stringify(cart)])
        if (key) yield* keep(key, answer(stored))
        return stored
      }),
    cancelCheckout: (checkout, at, key, answer) =>
      of(checkout.merchantId, checkout.cart.reference).transaction(function* () {
        const isCancelled = yield* cancelCheckout(checkout, at)
        if (!isCancelled) return false
        const { merchantId, option, cart } = checkout
        const record = { merchantId, option, reference: cart.reference, at, outcome: 'cancelled' } as const
        yield statement(...recordTransfer({ ...record, mistakes: [] }))
        if (key) yield* keep(key, answer)
        return true
      }),
    deleteAnswers: async (merchantId, ...batch) =>
      (await of(merchantId).write(DELETE_OLD, [merchantId, ...batch])).count
  }
}

/** @throws AnsweredMeanwhile, which undoes the transaction */
function* keep({ merchantId, scope, digest, at }: AnswerKey, { status, body }: PlatformAnswer): Work<void> {
  if ((yield statement(INSERT, [merchantId, scope, digest, status, body, at])).count > 0) return
  throw new AnsweredMeanwhile(answerFrom(yield statement(SELECT, [merchantId, scope])) as KeptAnswer)
}

function answerFrom({ rows: [row] }: Result): KeptAnswer | undefined {
  return row && { digest: String(row.digest), status: Number(row.status), body: String(row.body) }
}

// The record of a transfer: its outcome, kept so that two lists of orders can be reconciled.

/** Holds nothing about a person, and at most 1 kB. */
export type TransferRecord = {
  merchantId: string
  /** Absent if it could not be read: such a transfer is only counted. */
  reference?: string
  /** The option by which the cart arrived. */
  option: string
  /** UTC, ISO 8601. */
  at: string
  outcome: 'accepted' | 'repeated' | 'refused'
  problem?: string
  /** The codes of its mistakes, each once. */
  mistakes: string[]
}

export type TransferStore = {
  /** Records a repeat or a refusal; an accepted transfer needs no record while its checkout is there. */
  addTransfer: (record: TransferRecord) => Promise<void>
  /**
   * Deletes the oldest records from before a time, up to `limit`, and the counts of earlier days.
   * @returns how many records
   */
  deleteTransfers: (merchantId: string, before: string, limit: number) => Promise<number>
}

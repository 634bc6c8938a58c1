// How each part of the store reaches its database.

/** Turns an unreachable database into StoreUnavailable. */
export type Access = {
  /** Runs at once, whoever else is writing. */
  read: <T>(work: () => T) => Promise<T>
  /** As `read`, but rejects what is found in a file that was deleted or replaced: for a cart that is taken again. */
  readDurable: <T>(work: () => T) => Promise<T>
  /** Runs in the next commit. */
  write: <T>(work: () => T) => Promise<T>
}

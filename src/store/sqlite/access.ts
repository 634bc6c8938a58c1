// How each part of the store reaches its database.

/** Turns an unreachable database into StoreUnavailable. */
export type Access = {
  /** Runs at once, whoever else is writing. */
  read: <T>(work: () => T) => Promise<T>
  /** As `read`, but rejects what is found in a file that was deleted or replaced: for a cart that is taken again. */
  readDurable: <T>(work: () => T) => Promise<T>
  /**
   * Runs in the next commit.
   * @param find finds the result if there is nothing to write: while nothing can be written, it is tried instead
   */
  write: <T>(work: () => T, find?: () => T | undefined) => Promise<T>
}

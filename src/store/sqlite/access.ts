// How each part of the store reaches its database.

/** Reads run at once; writes run in the next commit. Both turn an unreachable database into StoreUnavailable. */
export type Access = {
  read: <T>(work: () => T) => Promise<T>
  write: <T>(work: () => T) => Promise<T>
}

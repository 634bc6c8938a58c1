// How a part of the store reaches its database.

/** How a part of the store reaches the file: reads at once, writes with the next commit. */
export type Access = {
  read: <T>(work: () => T) => Promise<T>
  write: <T>(work: () => T) => Promise<T>
}

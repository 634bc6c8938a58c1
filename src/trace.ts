// Work as a part of a trace, for rooms that do not know who traces.

/** Runs work under a name that is the same for every request. */
export type Trace = <T>(name: string, work: () => Promise<T>) => Promise<T>

export const untraced: Trace = (_name, work) => work()

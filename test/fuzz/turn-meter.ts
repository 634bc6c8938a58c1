// Measures how long the event loop is held: the CPU time of its turns, to a millisecond. CPU time, as a turn takes
// no longer when other processes have the core meanwhile.

/** Turns of the loop, in milliseconds: the longest, and all of them together. */
export type Turns = { longest: number; total: number }

export type TurnMeter = {
  /** Those since the last call. */
  read: () => Turns
  stop: () => void
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Turns are measured together with those up to so many milliseconds before: a loop without a pause would use a core. */
const INTERVAL = 1

/** Keeps the loop turning until it is stopped. @param clock the CPU time used so far, in milliseconds */
export function startTurnMeter(clock = cpuTime): TurnMeter {
  let isOn = true
  let longest = 0
  let total = 0
  let before = clock()
  const measure = () => {
    const now = clock()
    longest = Math.max(longest, now - before)
    total += now - before
    before = now
  }
  const turn = () => {
    measure()
    if (isOn) setTimeout(turn, INTERVAL)
  }
  turn()
  return {
    read: () => {
      measure()
      const turns = { longest, total }
      longest = total = 0
      return turns
    },
    stop: () => {
      isOn = false
    }
  }
}

/** Runs something in this process, and measures its turns. */
export async function measureTurns(run: () => Promise<unknown>, clock = cpuTime): Promise<Turns> {
  const meter = startTurnMeter(clock)
  try {
    await run()
    return meter.read()
  } finally {
    meter.stop()
  }
}

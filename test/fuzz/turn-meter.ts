// Measures how long the event loop is held: the CPU time of its longest turn, to a millisecond. CPU time, as a turn takes
// no longer when other processes have the core meanwhile.

export type TurnMeter = {
  /** The longest turn since the last call, in milliseconds. */
  longest: () => number
  stop: () => void
}

function cpuTime(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

/** Turns are measured together with those up to so many milliseconds before: a loop without a pause would use a core. */
const INTERVAL = 1

/** Keeps the loop turning until it is stopped. */
export function startTurnMeter(): TurnMeter {
  let isOn = true
  let longest = 0
  let before = cpuTime()
  const measure = () => {
    const now = cpuTime()
    longest = Math.max(longest, now - before)
    before = now
  }
  const turn = () => {
    measure()
    if (isOn) setTimeout(turn, INTERVAL)
  }
  turn()
  return {
    longest: () => {
      measure()
      const result = longest
      longest = 0
      return result
    },
    stop: () => {
      isOn = false
    }
  }
}

/** Runs something in this process, and measures its turns. */
export async function measureTurns(run: () => Promise<unknown>): Promise<number> {
  const meter = startTurnMeter()
  try {
    await run()
    return meter.longest()
  } finally {
    meter.stop()
  }
}

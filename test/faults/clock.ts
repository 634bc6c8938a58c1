// A clock that jumps: preloaded into a server, it shows another time as soon as it is told. Timers go on as they do when the
// clock of a machine is set.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerProcess } from '../server-process.ts'
import { until } from '../until.ts'

export type Clock = {
  /** JavaScript that runs before the server. */
  preload: string
  /** Sets the clocks of these servers to so many milliseconds from the right time. */
  shift: (servers: ServerProcess[], milliseconds: number) => Promise<void>
}

export function clockIn(folder: string): Clock {
  const file = join(folder, 'clock')
  writeFileSync(file, '0')
  const preload = `
    import { readFileSync } from 'node:fs'
    const RealDate = Date
    let shift = 0
    const read = () => {
      shift = Number(readFileSync(${JSON.stringify(file)}, 'utf8'))
      process.stderr.write('the clock is ' + shift + ' ms off\\n')
    }
    read()
    process.on('SIGWINCH', read)
    globalThis.Date = class extends RealDate {
      constructor(...given) {
        if (given.length === 0) super(RealDate.now() + shift)
        else super(...given)
      }
      static now() {
        return RealDate.now() + shift
      }
    }`
  return {
    preload,
    shift: async (servers, milliseconds) => {
      writeFileSync(file, String(milliseconds))
      const said = `the clock is ${milliseconds} ms off\n`
      for (const { child, output } of servers) {
        const before = output().err.length
        child.kill('SIGWINCH')
        await until('the clock to be set', () => output().err.slice(before).includes(said))
      }
    }
  }
}

// Loaded with --import into a process: when it ends, the most memory it ever had, in bytes, and the seconds that it
// computed stand in the file that PEAK_FILE names.
import { writeFileSync } from 'node:fs'

process.once('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  writeFileSync(String(process.env.PEAK_FILE), JSON.stringify([maxRSS * 1024, (userCPUTime + systemCPUTime) / 1e6]))
})

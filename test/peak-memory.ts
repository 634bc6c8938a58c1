// Loaded into a process with --import: at exit, writes its peak memory in bytes and its CPU time in seconds to the file
// named by PEAK_FILE.
import { writeFileSync } from 'node:fs'

process.once('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  writeFileSync(String(process.env.PEAK_FILE), JSON.stringify([maxRSS * 1024, (userCPUTime + systemCPUTime) / 1e6]))
})

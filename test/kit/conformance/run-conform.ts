// Runs `npm run conform` as a process.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../../..')

export type Ran = { code: number; stdout: string; stderr: string }
export type Run = {
  folder: string
  args: string[]
  env?: Record<string, string>
  preload?: string
  onStart?: (child: ChildProcess) => void
}

export async function runConform({ folder, args, env = {}, preload, onStart }: Run): Promise<Ran> {
  const words = preload ? ['--import', `data:text/javascript,${encodeURIComponent(preload)}`] : []
  const child = spawn(process.execPath, [...words, join(ROOT, 'src/cli/conform.ts'), ...args], {
    cwd: ROOT,
    env: { ...process.env, INIT_CWD: folder, ...env }
  })
  onStart?.(child)
  const read = async (stream: NodeJS.ReadableStream) => {
    let text = ''
    for await (const chunk of stream.setEncoding('utf8')) text += chunk
    return text
  }
  const [stdout, stderr, [code]] = await Promise.all([read(child.stdout), read(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

// A mistyped flag of a script that runs for minutes is refused before it begins, as one of our commands is.
import { join } from 'node:path'
import t from 'tap'
import { runNode } from './node-process.ts'

const scripts = { bench: 'bench', faults: 'faults', fuzz: 'fuzz', 'test:payment': 'kit/payment', 'test:ucp': 'judges' }

for (const [name, folder] of Object.entries(scripts)) {
  t.test(`npm run ${name}`, async t => {
    const script = join(import.meta.dirname, folder, 'run.ts')
    const usage = `npm run ${name} -- [`
    const mistyped = `--halp is not a flag of this command; did you mean --help?\n\n${usage}`
    t.match(await runNode([script, '--halp']), { code: 2, stdout: '', stderr: mistyped })
    if (name !== 'bench') return
    // The same for all.
    t.match(await runNode([script, 'twice']), { code: 2, stdout: '', stderr: `twice is not a flag\n\n${usage}` })
    t.match(await runNode([script, '--help']), { code: 0, stdout: usage, stderr: '' })
  })
}

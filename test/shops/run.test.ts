// What `npm run test:shops` makes of its arguments. It installs nothing here.
import t from 'tap'
import { runHere } from '../cli/run-here.ts'
import { testShops } from './run.ts'

t.test('the name of a shop is its argument; what is none, or a flag that there is not, is answered', async t => {
  const mistakes: [args: string[], problem: string][] = [
    [['medus'], 'there is no shop "medus"; give one of vendure, medusa, woocommerce'],
    [['vendure', 'hook'], 'there is no shop "hook"; give one of vendure, medusa, woocommerce'],
    [['--only', 'medusa'], '--only is not a flag of this command'],
    [['medusa', '--qiuck'], '--qiuck is not a flag of this command; did you mean --quick?']
  ]
  for (const [args, problem] of mistakes) {
    t.strictSame(await runHere(testShops, args, {}), {
      code: 2,
      stdout: '',
      stderr: `${problem}\n\n${testShops.usage}`
    })
  }
  t.match(
    testShops.usage,
    /^npm run test:shops -- \[NAME\] \[--quick\] \[--write\]\n\n {2}NAME {5}one shop: vendure, medusa, woocommerce; by default all\n/
  )
})

// What `npm run test:shops` makes of its arguments. It installs nothing here.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { runHere } from '../cli/run-here.ts'
import { testShops } from './run.ts'
import { ShopLeftOut } from './shop.ts'
import { find, missingPrograms, SOURCES } from './woocommerce/parts.ts'

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

t.test('what WooCommerce lacks on this machine is said by name', async t => {
  const programs = ['mariadbd (Debian: mariadb-server)', 'mariadb-install-db (Debian: mariadb-server)']
  t.strictSame(missingPrograms('/nowhere'), ['php (Debian: php-cli)', ...programs])
  const folder = t.testdir({ bin: {}, wordpress: { 'wp-load.php': '' } })
  const bin = join(folder, 'bin')
  writeFileSync(join(bin, 'php'), '#!/bin/sh\necho Core\necho SimpleXML\n', { mode: 0o755 })
  t.strictSame(missingPrograms(bin), [
    ...programs,
    "PHP's module mysqli (Debian: php-mysql)",
    "PHP's module mbstring (Debian: php-mbstring)",
    "PHP's module curl (Debian: php-curl)"
  ])
  const given = (path: string) => find(SOURCES[0], { WORDPRESS: join(folder, path) }, folder)
  t.equal(await given('wordpress'), join(folder, 'wordpress'))
  const problem = `WORDPRESS is ${join(folder, 'none')}, where there is no wp-load.php`
  await t.rejects(given('none'), new ShopLeftOut(problem))
})

// When a server has the simulator page, and what it logs and prints about it.
import t from 'tap'
import { merchantFile } from './build.ts'
import { shopFolder, startShop } from './running-shop.ts'

t.test('the simulator is on if every merchant is on loopback or SIMULATOR=on, and the log has the reason', async t => {
  const folder = shopFolder(t, { 'public.json': merchantFile('1', { publicUrl: 'https://shop.example/app' }) })
  const path = '/simulator'
  const cases: [file: string, env: Record<string, string>, isOn: boolean, logged: object][] = [
    ['shop.json', {}, true, { level: 30, path, reason: 'every merchant is on loopback', msg: 'simulator on' }],
    ['public.json', {}, false, { level: 30, reason: /"shop" is not on loopback; SIMULATOR=on/, msg: 'simulator off' }],
    ['public.json', { SIMULATOR: 'on' }, true, { level: 40, path, msg: /anyone who can reach it can send bags/ }]
  ]
  for (const [file, env, isOn, logged] of cases) {
    const what = `${file} ${JSON.stringify(env)}`
    const { origin, logs, output, stop } = await startShop(t, { folder, args: [file], env, coverage: !isOn })
    t.equal((await fetch(`${origin}${path}`)).status, isOn ? 200 : 404, what)
    t.match(await stop(), { code: 0 })
    t.match(
      logs().filter(({ msg }) => /^simulator/.test(String(msg))),
      [logged],
      what
    )
    const [, printed] = /\nSimulator: .*\n {2}(.*)\n/.exec(output().err) ?? []
    t.equal(printed, isOn ? `${origin}${path}` : undefined, what)
  }
})

// When a server has the simulator page, what it logs and prints about it, and the key in the address that it prints.
import { join } from 'node:path'
import t from 'tap'
import { merchantFile } from './build.ts'
import { shopFolder, startShop } from './running-shop.ts'

const printedAddress = (text: string) => /\nSimulator: .*\n {2}(.*)\n/.exec(text)?.[1] ?? ''

/** A `preload` that prints what is loaded of what this shop needs only for its simulator, or not at all. */
const PRINT_LOADED = `
  import { registerHooks } from 'node:module'
  registerHooks({
    load: (url, context, load) => {
      if (/\\/src\\/(kit|http\\/ucp)\\//.test(url)) console.error('loaded', url)
      return load(url, context)
    }
  })`

t.test('the simulator is on if every merchant is on loopback or SIMULATOR=on, and the log has the reason', async t => {
  const folder = shopFolder(t, { 'public.json': merchantFile('1', { publicUrl: 'https://shop.example/app' }) })
  const path = '/simulator'
  const addresses: string[] = []
  const cases: [file: string, env: Record<string, string>, isOn: boolean, logged: object][] = [
    ['shop.json', {}, true, { level: 30, path, reason: 'every merchant is on loopback', msg: 'simulator on' }],
    ['public.json', {}, false, { level: 30, reason: /"shop" is not on loopback; SIMULATOR=on/, msg: 'simulator off' }],
    ['public.json', { SIMULATOR: 'on' }, true, { level: 40, path, msg: /anyone who has its key can send carts/ }]
  ]
  for (const [file, env, isOn, logged] of cases) {
    const what = `${file} ${JSON.stringify(env)}`
    const { origin, logs, output, stop } = await startShop(t, {
      folder,
      args: [file],
      env,
      coverage: !isOn,
      preload: PRINT_LOADED
    })
    t.equal((await fetch(`${origin}${path}`)).status, 404, what)
    t.equal(
      /^loaded /m.test(output().err),
      isOn,
      `${what}: nothing that plays the other side, or serves UCP, is loaded without need`
    )
    const address = printedAddress(output().err)
    t.match(address, isOn ? new RegExp(`^${origin}${path}\\?key=[0-9a-f]{48}$`) : /^$/, what)
    if (isOn) t.equal((await fetch(address, { redirect: 'manual' })).status, 303, what)
    t.match(await stop(), { code: 0 })
    t.match(
      logs().filter(({ msg }) => /^simulator/.test(String(msg))),
      [logged],
      what
    )
    if (isOn) t.notOk(output().out.includes(address.slice(-32)), 'the log does not have the key')
    if (isOn) addresses.push(address)
  }
  t.not(addresses[0]?.slice(-32), addresses[1]?.slice(-32), 'each start has another key')
})

t.test('SIMULATOR_KEY fixes the key', async t => {
  const key = `${'k'.repeat(32)}+/~=`
  const folder = shopFolder(t, { key: `${key}\n` })
  const { output } = await startShop(t, { folder, env: { SIMULATOR_KEY_FILE: join(folder, 'key') } })
  const address = printedAddress(output().err)
  const { status, headers } = await fetch(address, { redirect: 'manual' })
  const cookie = String(headers.get('set-cookie')).replace(/;.*/, '')
  t.equal(status, 303)
  t.equal((await fetch(new URL('/simulator', address), { headers: { cookie } })).status, 200)
  t.equal(new URL(address).searchParams.get('key'), key)
})

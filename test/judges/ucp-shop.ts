// A shop that takes UCP carts of the platforms that others play, as a process of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { FEED, merchantFile } from '../build.ts'
import { type Cleanup, type RunningServer, startServer } from '../server-process.ts'

/**
 * @param profiles of the platforms, as JSON, by their addresses: the server has a copy of each, and fetches none
 * @param origin under which platforms reach it, if that is not its own
 */
export function startUcpShop(t: Cleanup, profiles: Record<string, string>, origin = ''): Promise<RunningServer> {
  const folder = mkdtempSync(join(tmpdir(), 'ucp-shop-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const platforms = Object.entries(profiles).map(([profile, text], i) => {
    writeFileSync(join(folder, `platform-${i}.json`), text)
    return { profile, copy: `platform-${i}.json` }
  })
  const shop = merchantFile('ucp', { publicUrl: `${origin}/shop`, transfer: { path: '/ucp', platforms } })
  writeFileSync(join(folder, 'shop.json'), JSON.stringify(shop))
  writeFileSync(join(folder, 'feed.tsv'), FEED)
  return startServer(t, { folder, args: ['shop.json'] })
}

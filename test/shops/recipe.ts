// The code that the README of a destination gives to report orders with, as a shop has it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../node-process.ts'

/** @param file what its first line says @param ordersUrl what it says instead of the address in the README */
export function recipe(shop: string, file: string, ordersUrl: string): string {
  const readme = readFileSync(join(ROOT, 'src/integrations/destination', shop, 'README.md'), 'utf8')
  const code = readme.split('```ts\n').find(block => block.startsWith(`// ${file}\n`))
  if (code === undefined) throw new Error(`the README of ${shop} has no ${file}`)
  return code.slice(0, code.indexOf('```')).replace('https://app.acme.example/orders', ordersUrl)
}

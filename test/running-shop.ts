// A shop for a real server, and what shoppers do there.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'
import { FEED, merchantFile } from './build.ts'
import { type Command, type RunningServer, startServer } from './server-process.ts'

/** A folder with these merchant files, by default one of option 1 at /shop, and their feed with a picture. */
export function shopFolder(t: Test, files: Record<string, object | string> = {}, feed: string = FEED): string {
  const folder = t.testdir({ 'feed.tsv': feed, pictures: { 'mug.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>' } })
  for (const [name, content] of Object.entries({ 'shop.json': merchantFile('1', { publicUrl: '/shop' }), ...files })) {
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2))
  }
  return folder
}

/** Starts a server with that shop. */
export function startShop(
  t: Test,
  { folder = shopFolder(t), ...command }: Partial<Command> = {}
): Promise<RunningServer> {
  return startServer(t, { folder, args: ['shop.json'], ...command })
}

export function bagOf(reference: string, sku = 'MUG', quantity = 1): string {
  return JSON.stringify({ items: [{ sku, quantity }], currency: 'GBP', reference })
}

export function sendBag(origin: string, bag: string): Promise<Response> {
  return fetch(`${origin}/shop/cart`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: bag })
}

/** Sends a bag. @returns the path of its checkout */
export async function openCheckout(origin: string, bag: string): Promise<string> {
  const { url, body } = (await (await sendBag(origin, bag)).json()) as { url: string; body: string }
  return `${new URL(url).pathname}/${body.slice('token='.length)}`
}

/** Orders what a page of a checkout shows. @param at its address on the server that gets the form */
export async function sendOrder(page: string, at = page): Promise<Response> {
  const [, digest = ''] = /name=digest value=([\w-]+)/.exec(await (await fetch(page)).text()) ?? []
  const typed = { email: 'ada@example.com', name: 'Ada', address1: '1 Quay', city: 'Whitby', postcode: 'YO21 1AA' }
  return fetch(at, { method: 'POST', body: new URLSearchParams({ digest, ...typed }), redirect: 'manual' })
}

// Acts as a shopper's browser in tests: reads the form of a checkout page and submits it as a browser without scripts.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Test } from 'tap'
import type { Item } from '../../src/cart/cart.ts'
import type { Merchant } from '../../src/merchant/merchant.ts'
import { type Build, build, type MerchantChanges, merchantFile, uuid } from '../build.ts'
import { elements, unescapeHtml } from './read-page.ts'

export const BAG: Item[] = [
  { sku: 'MUG', quantity: 2 },
  { sku: 'CLOCK', quantity: 1 }
]

/** What a shopper types into the form of a British shop. None of these values occur elsewhere in the tests. */
export const ADA = {
  email: 'ada.lovelace@analytical.example',
  name: 'Ada King-Noel',
  organization: 'Engine & Sons',
  address1: '12 St James’s Square',
  address2: 'Ockham Wing',
  city: 'Marylebone',
  postcode: 'SW1Y 4JH',
  phone: '+44 20 7946 0958'
}

/** The personal data of ADA that must not leak, as plain text and as a form encodes it. */
export const PERSONAL = Object.values(ADA).flatMap(text => [text, encodeURIComponent(text)])

export type Form = { action: string; fields: Record<string, string> }

/** The form of a page as it would be submitted untouched. */
export function formOf(html: string): Form | undefined {
  const all = elements(html)
  const form = all.find(({ name }) => name === 'form')
  if (!form) return undefined
  const fields: Record<string, string> = {}
  let select: string | undefined
  for (const { name, attributes } of all) {
    const { name: key, value = '', type } = attributes
    if (name === 'select') select = key
    if (name === 'option' && select !== undefined && ('selected' in attributes || !(select in fields))) {
      fields[select] = value
    }
    if (name !== 'input' || key === undefined || (type === 'radio' && !('checked' in attributes))) continue
    fields[key] = value
  }
  return { action: form.attributes.action ?? '', fields }
}

/** The address of a confirmation for whoever has not just placed the order. */
export function stable(address: unknown): string {
  return String(address).replace(/&attempt=[0-9a-f]{32}/, '')
}

/** The JSON block that apps read from a confirmation. */
export function orderBlock(html: string): unknown {
  const [, json = ''] = /<script type="application\/json" id="order">(.*?)<\/script>/s.exec(html) ?? []
  return JSON.parse(json)
}

export function titleOf(html: string): string {
  return unescapeHtml(/<title>(.*?)<\/title>/s.exec(html)?.[1] ?? '')
}

export type Shop = Awaited<ReturnType<typeof openShop>>

/** A shop with one merchant. The default reference of a cart is `uuid()`, which every option accepts. */
export async function openShop(
  t: Test,
  optionName: string,
  changes: MerchantChanges & Record<string, unknown> = {},
  parts: Build = {}
) {
  const built = await build(t, { merchants: [merchantFile(optionName, changes)], ...parts })
  const { app, store, changeOffer } = built
  const merchant = built.merchants[0] as Merchant
  const [{ option, transfer }] = merchant.ways
  const file = join(built.folder, 'data/test.sqlite')
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }

  /** Sends a cart through the merchant's option. */
  const send = (items = BAG, reference = uuid(), currency = 'GBP') => {
    const request = option.request({ items, currency, reference }, merchant.path + transfer.path)
    return app.inject({
      method: request.method as 'GET',
      url: request.url,
      headers: Object.fromEntries((request.headers ?? []).map(({ name, value }) => [name, value])),
      ...(request.body !== undefined && { payload: request.body })
    })
  }
  const page = (token: string) => app.inject(`${merchant.path}${merchant.checkout.path}/${token}`)
  return {
    ...built,
    merchant,
    file,
    send,
    page,
    /** Sends a cart. @returns the token of the reference's newest checkout */
    transfer: async (items = BAG, reference = uuid(), currency = 'GBP') => {
      await send(items, reference, currency)
      return String((await store.newestCheckout(merchant.id, reference))?.token)
    },
    /** The form of the checkout's page. */
    form: async (token: string): Promise<Form> => {
      const form = formOf((await page(token)).body)
      if (!form) throw new Error('the page has no form')
      return form
    },
    get: (url: string, language: string) => app.inject({ url, headers: { 'accept-language': language } }),
    /** Submits a form, filled in with ADA by default. */
    submit: ({ action, fields }: Form, typed: Record<string, string> = ADA, language = '') =>
      app.inject({
        method: 'POST',
        url: action,
        headers: { ...headers, 'accept-language': language },
        payload: `${new URLSearchParams({ ...fields, ...typed })}`
      }),
    /** Posts this body to the checkout's own address. */
    post: (token: string, payload: string) =>
      app.inject({ method: 'POST', url: `${merchant.path}${merchant.checkout.path}/${token}`, headers, payload }),
    change: changeOffer,
    /** The rows of the orders table. */
    orders: () => readOrders(file)
  }
}

/** The rows of the orders table in a file, sorted by reference. */
export function readOrders(file: string): Record<string, unknown>[] {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 5000 })
  const rows = db.prepare('SELECT * FROM orders ORDER BY reference').all()
  db.close()
  return rows
}

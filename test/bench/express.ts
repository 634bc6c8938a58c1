// What a user would write instead: option 2B in Express 5, EJS and Node's SQLite, as a good engineer with a week would.
// It checks the same fields, looks up the same products, syncs each cart to disk before it answers, and renders a page
// of the same size; it logs nothing. `node express.ts PORT FEED DATABASE`, with NODE_ENV=production.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import express, { type Request, type Response } from 'express'

type Product = { sku: string; title: string; image: string; pence: number; inStock: boolean }
type Line = { product: Product; quantity: number }
type Cart = { reference: string; lines: Line[] }

const [port, feed, database] = process.argv.slice(2)

const COUNTRIES = ['Ireland', 'United Kingdom', 'United States']
const FIELDS = [
  { name: 'email', label: 'Email address', type: 'email', autocomplete: 'email', required: true },
  { name: 'name', label: 'Full name', type: 'text', autocomplete: 'shipping name', required: true },
  { name: 'organization', label: 'Company (optional)', type: 'text', autocomplete: 'shipping organization' },
  { name: 'address1', label: 'Address', type: 'text', autocomplete: 'shipping address-line1', required: true },
  { name: 'address2', label: 'Flat, building (optional)', type: 'text', autocomplete: 'shipping address-line2' },
  { name: 'city', label: 'Town or city', type: 'text', autocomplete: 'shipping address-level2', required: true },
  { name: 'postcode', label: 'Postcode', type: 'text', autocomplete: 'shipping postal-code', required: true },
  { name: 'phone', label: 'Phone number (optional)', type: 'tel', autocomplete: 'tel' }
]
const DELIVERIES = [
  { id: 'standard', label: 'Royal post, 3 to 5 days', pence: 450 },
  { id: 'express', label: 'Courier, next working day', pence: 995 }
]
const MAX_ITEMS = 500
const MAX_URL = 2048

function readProducts(file: string): Map<string, Product> {
  const products = new Map<string, Product>()
  const [head = '', ...rows] = readFileSync(file, 'utf8').split('\n')
  const columns = head.split('\t')
  const at = (name: string) => columns.indexOf(name)
  const [id, title, image, stock, price, sale] = [
    'id',
    'title',
    'image_link',
    'availability',
    'price',
    'sale_price'
  ].map(at)
  for (const row of rows) {
    const fields = row.split('\t')
    const field = (column: number | undefined) => fields[column ?? -1] ?? ''
    const sku = field(id)
    const pence = Math.round(Number.parseFloat(field(sale) || field(price)) * 100)
    products.set(sku, { sku, title: field(title), image: field(image), pence, inStock: field(stock) === 'in_stock' })
  }
  return products
}

function openDatabase(file: string): DatabaseSync {
  const db = new DatabaseSync(file)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  db.exec(`CREATE TABLE IF NOT EXISTS checkouts (
    token TEXT PRIMARY KEY, reference TEXT NOT NULL UNIQUE, lines TEXT NOT NULL, created_at TEXT NOT NULL
  )`)
  return db
}

const products = readProducts(String(feed))
const db = openDatabase(String(database))
const insertCheckout = db.prepare(
  `INSERT INTO checkouts (token, reference, lines, created_at) VALUES (?, ?, ?, ?)
   ON CONFLICT (reference) DO UPDATE SET lines = excluded.lines RETURNING token`
)
const format = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' })
const money = (pence: number) => format.format(pence / 100)

/** Reads the cart of a query, with every mistake in it. */
function readCart(query: Request['query']): { cart: Cart; mistakes: string[] } {
  const mistakes: string[] = []
  const lines: Line[] = []
  const indexes = new Set<number>()
  for (const name of Object.keys(query)) {
    const match = /^item_(0|[1-9]\d*)_(sku|quantity)$/.exec(name)
    if (match) indexes.add(Number(match[1]))
  }
  if (indexes.size === 0) mistakes.push('items: a cart holds at least one item')
  if (indexes.size > MAX_ITEMS) mistakes.push(`items: at most ${MAX_ITEMS}`)
  for (let i = 0; i < indexes.size; i++) {
    const { [`item_${i}_sku`]: sku, [`item_${i}_quantity`]: quantity } = query
    if (typeof sku !== 'string' || typeof quantity !== 'string') {
      mistakes.push(`item_${i}: sku and quantity are required, once each, and indexes have no gap`)
      continue
    }
    if (!/^[1-9]\d{0,3}$/.test(quantity)) mistakes.push(`item_${i}_quantity: a whole number from 1 to 9999`)
    const product = products.get(sku)
    if (!product) mistakes.push(`item_${i}_sku: there is no product ${sku}`)
    else if (!product.inStock) mistakes.push(`item_${i}_sku: ${sku} is out of stock`)
    else lines.push({ product, quantity: Number(quantity) })
  }
  const { currency, reference } = query
  if (currency !== 'GBP') mistakes.push('currency: GBP')
  const isReference = typeof reference === 'string' && /^[!-~]{1,32}$/.test(reference)
  if (!isReference) mistakes.push('reference: 1 to 32 printable ASCII characters')
  return { cart: { reference: isReference ? reference : '', lines }, mistakes }
}

const app = express()
app.disable('x-powered-by')
app.set('etag', false)
app.set('query parser', 'simple')
app.set('view engine', 'ejs')
app.set('views', import.meta.dirname)
app.locals.css = readFileSync(join(import.meta.dirname, '../../views/page.css'), 'utf8')
app.locals.countries = COUNTRIES
app.locals.fields = FIELDS

app.get('/cart', (request: Request, response: Response) => {
  response.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; img-src https:; form-action 'self'",
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'SAMEORIGIN'
  })
  if (request.originalUrl.length > MAX_URL) return void response.status(414).json({ mistakes: ['the URL is too long'] })
  const { cart, mistakes } = readCart(request.query)
  if (mistakes.length > 0) return void response.status(400).json({ mistakes })
  const stored = JSON.stringify(
    cart.lines.map(({ product, quantity }) => ({ sku: product.sku, quantity, pence: product.pence }))
  )
  const row = insertCheckout.get(
    randomBytes(16).toString('base64url'),
    cart.reference,
    stored,
    new Date().toISOString()
  )
  const subtotal = cart.lines.reduce((sum, { product, quantity }) => sum + product.pence * quantity, 0)
  response.render('express', {
    token: row?.token,
    reference: cart.reference,
    count: cart.lines.reduce((sum, { quantity }) => sum + quantity, 0),
    lines: cart.lines.map(({ product, quantity }) => ({
      ...product,
      quantity,
      unitPrice: money(product.pence),
      lineTotal: money(product.pence * quantity)
    })),
    subtotal: money(subtotal),
    total: money(subtotal + Number(DELIVERIES[0]?.pence)),
    deliveries: DELIVERIES.map(({ id, label, pence }) => ({
      id,
      label,
      price: money(pence),
      total: money(subtotal + pence)
    }))
  })
})

app.listen(Number(port), '127.0.0.1')

// Fills a fresh Medusa by its Admin API: two regions, two sales channels, and products of every kind that a cart can meet.
export const ADMIN = { email: 'admin@shop.example', password: 'not-a-secret' }

export type Seeded = {
  publishableKey: string
  /** By currency. */
  regions: Record<string, string>
}

type Variant = {
  sku?: string
  stock?: number
  prices?: string[]
  allow_backorder?: boolean
  manage_inventory?: boolean
}

/** By title. Those without a stock are not counted, apart from the one that is always on back order. */
const products: Record<string, Variant[]> = {
  Shirt: [
    { sku: 'SHIRT-S', stock: 1_000_000 },
    { sku: 'SHIRT-M', stock: 1_000_000 },
    { sku: 'SHIRT-TWO', stock: 2 },
    { sku: 'SHIRT-GONE', stock: 0 },
    { sku: 'SHIRT-BACK', manage_inventory: true, allow_backorder: true },
    { sku: 'SHIRT-FREE' },
    { sku: 'SHIRT-EUR', prices: ['eur'] },
    { sku: 'A+b & c/ü#1,2' },
    {}
  ],
  Draft: [{ sku: 'DRAFT-1' }],
  Elsewhere: [{ sku: 'ELSE-1' }]
}

/** @param url of a Medusa whose administrator is ADMIN */
export async function seed(url: string): Promise<Seeded> {
  const { token } = await post<{ token: string }>(url, '/auth/user/emailpass', ADMIN)
  const admin = <Created>(path: string, body: object) => post<Created>(url, `/admin/${path}`, body, token)
  type Id = { id: string }

  const { stores } = await get<{ stores: Id[] }>(url, '/admin/stores', token)
  const currencies = [{ currency_code: 'eur', is_default: true }, { currency_code: 'usd' }]
  for (const { id } of stores) await admin(`stores/${id}`, { supported_currencies: currencies })
  const { sales_channel: app } = await admin<{ sales_channel: Id }>('sales-channels', { name: 'App' })
  const { sales_channel: other } = await admin<{ sales_channel: Id }>('sales-channels', { name: 'Other' })
  const key = { title: 'App', type: 'publishable' }
  const { api_key: apiKey } = await admin<{ api_key: Id & { token: string } }>('api-keys', key)
  await admin(`api-keys/${apiKey.id}/sales-channels`, { add: [app.id] })
  const region = async (name: string, currency: string, countries: string[]) => {
    const body = { name, currency_code: currency, countries, payment_providers: ['pp_system_default'] }
    return (await admin<{ region: Id }>('regions', body)).region.id
  }
  const regions = { EUR: await region('Europe', 'eur', ['de', 'fr']), USD: await region('States', 'usd', ['us']) }
  const { stock_location: location } = await admin<{ stock_location: Id }>('stock-locations', { name: 'Warehouse' })
  await admin(`stock-locations/${location.id}/sales-channels`, { add: [app.id] })
  type Zoned = { fulfillment_set: { service_zones: Id[] } }
  const sets = `stock-locations/${location.id}/fulfillment-sets?fields=*fulfillment_sets`
  const { stock_location: delivering } = await admin<{ stock_location: { fulfillment_sets: Id[] } }>(sets, {
    name: 'Delivery',
    type: 'shipping'
  })
  await admin(`stock-locations/${location.id}/fulfillment-providers`, { add: ['manual_manual'] })
  const zone = { name: 'Germany', geo_zones: [{ type: 'country', country_code: 'de' }] }
  const zones = `fulfillment-sets/${delivering.fulfillment_sets[0]?.id}/service-zones`
  const { fulfillment_set: set } = await admin<Zoned>(zones, zone)
  type Profiles = { shipping_profiles: Id[] }
  const { shipping_profiles: profiles } = await get<Profiles>(url, '/admin/shipping-profiles', token)
  const profile = { shipping_profile_id: profiles[0]?.id }
  await admin('shipping-options', {
    ...profile,
    name: 'Post',
    service_zone_id: set.service_zones[0]?.id,
    provider_id: 'manual_manual',
    price_type: 'flat',
    type: { label: 'Post', description: 'Post', code: 'post' },
    prices: [{ currency_code: 'eur', amount: 4.9 }]
  })

  for (const [title, variants] of Object.entries(products)) {
    await admin('products', {
      ...profile,
      title,
      status: title === 'Draft' ? 'draft' : 'published',
      options: [{ title: 'Variant', values: variants.map(({ sku = 'None' }) => sku) }],
      variants: variants.map(({ sku, stock, prices = ['eur', 'usd'], manage_inventory = false, ...others }) => ({
        ...others,
        title: sku ?? 'None',
        ...(sku !== undefined && { sku }),
        options: { Variant: sku ?? 'None' },
        manage_inventory: manage_inventory || stock !== undefined,
        prices: prices.map(currency_code => ({ currency_code, amount: 19.99 }))
      })),
      sales_channels: [{ id: title === 'Elsewhere' ? other.id : app.id }]
    })
  }
  const off = { type: 'percentage', target_type: 'items', allocation: 'across', value: 10 }
  const promotion = { type: 'standard', status: 'active', is_automatic: false, application_method: off }
  const ended = { name: 'Old', campaign_identifier: 'old', starts_at: '2025-01-01', ends_at: '2026-01-01' }
  await admin('promotions', { ...promotion, code: 'SUMMER10' })
  await admin('promotions', { ...promotion, code: 'OLD', campaign: ended })
  type InventoryItem = Id & { sku: string }
  const { inventory_items: items } = await get<{ inventory_items: InventoryItem[] }>(
    url,
    '/admin/inventory-items',
    token
  )
  const variants = Object.values(products).flat()
  for (const { id, sku } of items) {
    const stocked_quantity = variants.find(variant => variant.sku === sku)?.stock
    if (stocked_quantity === undefined) continue
    await admin(`inventory-items/${id}/location-levels`, { location_id: location.id, stocked_quantity })
  }
  return { publishableKey: apiKey.token, regions }
}

function post<Answer>(url: string, path: string, body: object, token?: string): Promise<Answer> {
  return ask(url, path, token, { method: 'POST', body: JSON.stringify(body) })
}

function get<Answer>(url: string, path: string, token: string): Promise<Answer> {
  return ask(url, path, token, {})
}

async function ask<Answer>(url: string, path: string, token: string | undefined, init: RequestInit): Promise<Answer> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const headers = { 'content-type': 'application/json', ...authorization }
  const response = await fetch(url + path, { ...init, headers })
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
  return (await response.json()) as Answer
}

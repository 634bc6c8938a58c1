// The profile of a merchant: what platforms read of it, by each version.
import t from 'tap'
import { businessProfile } from '../../src/ucp/business-profile.ts'

const ADDRESSES = {
  profile: 'https://shop.example/.well-known/ucp',
  endpoint: 'https://shop.example/app/ucp',
  permalink: 'https://shop.example/app/buy'
}

const servicesOf = (version: string) => ({
  'dev.ucp.shopping': [
    {
      version,
      spec: `https://ucp.dev/${version}/specification/overview`,
      transport: 'rest',
      schema: `https://ucp.dev/${version}/services/shopping/rest.openapi.json`,
      endpoint: 'https://shop.example/app/ucp'
    },
    {
      version,
      spec: `https://ucp.dev/${version}/specification/overview`,
      transport: 'mcp',
      schema: `https://ucp.dev/${version}/services/shopping/mcp.openrpc.json`,
      endpoint: 'https://shop.example/app/ucp/mcp'
    }
  ]
})

t.test('the newest version names the others', async t => {
  const version = '2026-08-25'
  t.strictSame(businessProfile(ADDRESSES), {
    ucp: {
      version,
      supported_versions: { '2026-04-08': 'https://shop.example/.well-known/ucp/2026-04-08' },
      services: servicesOf(version),
      capabilities: {
        'dev.ucp.shopping.cart': [
          {
            version,
            spec: 'https://ucp.dev/2026-08-25/specification/shopping/cart',
            schema: 'https://ucp.dev/2026-08-25/schemas/shopping/cart.json'
          }
        ],
        'dev.ucp.shopping.permalink': [
          {
            version,
            spec: 'https://ucp.dev/2026-08-25/specification/permalink',
            schema: 'https://ucp.dev/2026-08-25/schemas/shopping/permalink.json',
            config: { endpoint: 'https://shop.example/app/buy' }
          }
        ]
      },
      payment_handlers: {}
    }
  })
  const { permalink: _, ...others } = ADDRESSES
  t.notMatch(businessProfile(others), { ucp: { capabilities: { 'dev.ucp.shopping.permalink': [] } } })
})

t.test('an older version is complete by itself, without what it does not know', async t => {
  const version = '2026-04-08'
  t.strictSame(businessProfile(ADDRESSES, version), {
    ucp: {
      version,
      services: servicesOf(version),
      capabilities: {
        'dev.ucp.shopping.cart': [
          {
            version,
            spec: 'https://ucp.dev/2026-04-08/specification/cart',
            schema: 'https://ucp.dev/2026-04-08/schemas/shopping/cart.json'
          }
        ]
      },
      payment_handlers: {}
    }
  })
})

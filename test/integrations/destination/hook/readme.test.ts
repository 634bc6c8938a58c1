// The examples of the hook's README work as they stand.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readHandoff } from '../../../../src/integrations/destination/destination.ts'
import { readRefusal } from '../../../../src/integrations/destination/hook/hook.ts'
import { destinations } from '../../../../src/integrations/destination/index.ts'
import { paymentProviders } from '../../../../src/integrations/payment/index.ts'
import { signMessage } from '../../../../src/secrets.ts'
import { transferOptions } from '../../../../src/transfer/index.ts'
import { ROOT } from '../../../node-process.ts'
import { readMerchantFiles } from '../../../read-merchants.ts'

const README = readFileSync(join(ROOT, 'src/integrations/destination/hook/README.md'), 'utf8')
const [, REQUEST = ''] = /^```http\n(.*?)^```/ms.exec(README) ?? []
const [merchant = '', handover = '', refusal = ''] = Array.from(
  README.matchAll(/^ *```json\n(.*?)^ *```/gms),
  ([, json = '']) => json
)
const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

t.test('the merchant file can be started', async t => {
  const file = join(t.testdir({}), 'acme.json')
  writeFileSync(file, merchant)
  const read = (secret?: string) =>
    readMerchantFiles([file], {
      options: transferOptions,
      destinations,
      providers: paymentProviders,
      variables: { ACME_SHOP_SECRET: secret }
    })
  t.match(read(SECRET), [{ destination: { adapter: { name: 'hook' }, secret: SECRET } }])
  t.throws(() => read(), { message: /secretVariable: the environment variable ACME_SHOP_SECRET is not set/ })
})

const [head = '', lines = ''] = REQUEST.split('\n\n')
const body = lines.replaceAll('\n', '')

t.test('the request is signed with the secret that it gives', async t => {
  const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(head)?.[1] ?? ''
  const [, secret = ''] = /signed with `(whsec_\w+)`/.exec(README) ?? []
  const id = header('webhook-id')
  t.match(JSON.parse(body), { type: 'cart.transfer', key: id, items: [{ sku: 'MUG', quantity: 2 }, {}] })
  t.equal(header('Idempotency-Key'), id)
  const signature = signMessage(secret, { id, timestamp: header('webhook-timestamp'), body })
  t.equal(header('webhook-signature'), signature)
})

t.test('the answers are read as it says', async t => {
  t.match(readHandoff(JSON.parse(handover), new Date()), {
    lines: [
      { sku: 'MUG', quantity: 2 },
      { sku: 'CLOCK', quantity: 1 }
    ],
    currency: 'EUR',
    description: { httpMethod: 'GET' }
  })
  t.match(readRefusal(JSON.parse(refusal), JSON.parse(body)).mistakes, [
    { code: 'out-of-stock', line: 1 },
    { code: 'quantity-too-large', line: 0, limit: { units: 1 } }
  ])
})

// `npm run stand-in`: prints what the merchant file and the environment need, and tells the shop what is paid.
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import t from 'tap'
import { executeCommand } from '../../src/cli/run-command.ts'
import { standIn } from '../../src/cli/stand-in.ts'
import { httpFetch } from '../../src/integrations/outgoing/http-client.ts'
import { paymentProviders } from '../../src/integrations/payment/index.ts'
import type { PaymentProvider } from '../../src/integrations/payment/provider.ts'
import { connectProviders } from '../../src/integrations/payment/provider-call.ts'
import { noopObserver } from '../../src/observer.ts'
import { SILENT } from '../any-context.ts'
import { listen } from '../listen.ts'
import { runNode } from '../node-process.ts'
import { runHere } from './run-here.ts'

t.test('a shop can be paid with what it prints', async t => {
  const told = Promise.withResolvers<[url: string, signature: unknown, body: Buffer]>()
  const answers = [200, 401]
  const { port } = await listen(t, async (request, response) => {
    const { url, headers } = request
    told.resolve([String(url), headers['stripe-signature'], Buffer.concat(await request.toArray())])
    response.statusCode = answers.shift() ?? 500
    if (response.statusCode < 500) response.end()
    else request.socket.destroy()
  })
  const stdout = new PassThrough({ encoding: 'utf8' })
  const stderr = new PassThrough({ encoding: 'utf8' })
  const streams = { stdin: new PassThrough(), stdout, stderr }
  const ended = executeCommand(standIn, [`http://127.0.0.1:${port}/acme/`, '--port=0'], streams, {})
  const [text] = await once(stdout, 'data')
  const settings = JSON.parse(/"payment": (\{.*?\})/s.exec(text)?.[1] ?? '')
  const variable = (name: string) => new RegExp(`^ *${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  const provider = paymentProviders.find(({ name }) => name === settings.provider) as PaymentProvider
  const [secret, webhookSecret] = [variable(settings.secretVariable), variable(settings.webhookSecretVariable)]
  t.strictSame([provider.secret.isValid(secret), provider.webhookSecret.isValid(webhookSecret)], [true, true])
  const payment = { provider, settings, secret, webhookSecrets: [webhookSecret] }
  const parts = { fetch: httpFetch, clock: () => new Date(), logger: SILENT, observer: noopObserver }
  const gateway = connectProviders([{ id: 'acme', payment }], parts).get('acme')
  const open = (id: string) =>
    gateway?.open({
      ...{
        id,
        merchantId: 'acme',
        orderNumber: 'AAAA-AAAA',
        reference: 'r1',
        currency: 'GBP',
        total: 100
      },
      ...{ lines: [{ title: 'Mug', quantity: 1, unitPrice: 100 }], email: 'a@b.example', language: 'en-GB' },
      ...{ paidUrl: 'http://127.0.0.1/paid', cancelledUrl: 'http://127.0.0.1/back' },
      expiresAt: new Date(Date.now() + 60 * 60_000)
    })
  const opened = await open('AAAA-AAAA-1')
  const body = new URLSearchParams({ action: 'pay' })
  const pay = (url?: string) => fetch(String(url), { method: 'POST', body, redirect: 'manual' })
  const [[said], { status }] = await Promise.all([once(stderr, 'data'), pay(opened?.url)])
  t.equal(status, 303)
  const address = `http://127.0.0.1:${port}/acme/payments/stripe`
  t.equal(said, `checkout.session.completed told: ${address} answered 200\n`)
  const [url, signature, sent] = await told.promise
  t.equal(url, '/acme/payments/stripe')
  t.equal(await gateway?.readPaymentWebhook({ 'stripe-signature': signature }, sent, new Date()), opened?.providerId)
  for (const [id, words] of [
    ['AAAA-AAAA-2', 'answered 401; does it have the webhook secret above?'],
    ['AAAA-AAAA-3', `not told: no answer from ${address}`]
  ] as const) {
    const page = await open(id)
    const [[text]] = await Promise.all([once(stderr, 'data'), pay(page?.url)])
    t.match(text, words)
  }
  process.emit('SIGTERM')
  t.equal(await ended, 0)
  t.notOk(settings.apiUrl.endsWith(':4242'))
})

t.test('it needs one shop on this machine', async t => {
  for (const args of [[], ['https://shop.example/acme'], ['http://127.0.0.1/a', 'http://127.0.0.1/b']]) {
    const { code, stderr } = await runHere(standIn, args, {})
    t.match([code, stderr], [2, /^give the address of one shop on this machine, such as/])
  }
})

t.test('it needs a port', async t => {
  for (const port of ['abc', '65536', '-1']) {
    const { code, stderr } = await runHere(standIn, ['http://127.0.0.1/a', `--port=${port}`], {})
    t.match([code, stderr], [2, `--port is "${port}"; give a free one`])
  }
})

t.test('it is a command of its own', async t => {
  const { code, stdout } = await runNode(['src/cli/stand-in.ts', '--help'], { coverage: true })
  t.match([code, stdout], [0, /^npm run stand-in -- SHOP/])
})

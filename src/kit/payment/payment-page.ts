// The page where a shopper pays, or would: without scripts, and with nothing from elsewhere.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import type { CheckoutPayment, PaymentAction } from './checkout-account.ts'
import { writeAmount } from './currencies.ts'

const FOLDER = join(import.meta.dirname, '../../../views/payment')

type PageContent = CheckoutPayment & {
  /** The buttons. */
  actions: PaymentAction[]
  successUrl: string
  shopName: string | undefined
}

export function paymentPage(content: PageContent): { html: string; policy: string } {
  const { session, currency, successUrl, intent } = content
  const style = readFileSync(join(FOLDER, 'page.css'), 'utf8')
  const inWords = (amount: number) => writeAmount(amount, currency, session.locale?.replace('auto', 'en') ?? 'en')
  const isDeclined = session.status === 'open' && intent?.last_payment_error != null
  const html = new Eta({ views: FOLDER }).render('pay', { ...content, style, inWords, isDeclined })
  const hash = createHash('sha256').update(style).digest('base64')
  // The redirect after the form is a target of it, too.
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; form-action 'self' ${new URL(successUrl).origin}; base-uri 'none'; frame-ancestors 'none'`
  return { html, policy }
}

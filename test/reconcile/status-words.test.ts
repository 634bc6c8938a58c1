// The words that shops write for the state of an order, and what each counts as.
import t from 'tap'
import { statusReader } from '../../src/reconcile/status-words.ts'

/** By what they mean, with a comma between them. */
const cases = {
  cancelled: `
    Cancelled, canceled, wc-cancelled, wc-failed, Voided, Denied, declined, Chargeback, Disputed, expired,
    requires_payment_method, checkout-draft, paypal_reversed, Suspected Fraud, Payment error, Storniert,
    Abgebrochen, Abgelehnt, Rückgebucht, Ru\u0308ckgebucht, FEHLGESCHLAGEN, Bestellung storniert, Annulé, Annule,
    Erreur de paiement, Cancelado, Annullato, Geannuleerd, Anulowane`,
  refunded: `
    refunded, wc-refunded, closed, Returned, charge_refunded, Erstattet, Rückerstattet, Zurückerstattet,
    Zahlung erstattet, Remboursement, Reembolso, Rimborsato, Terugbetaling, Zwrot`,
  placed: `
    paid, pending, wc-on-hold, wc-processing, partially_refunded, authorized, holded, Awaiting Fulfillment,
    Partially Shipped, requires_capture, succeeded, On backorder (paid), Bezahlt, In Bearbeitung,
    Zahlung eingegangen, Payment  accepted, Preparation in progress, Waiting for PayPal payment, Overdue, Expédié,
    Preparación en proceso, Consegna in corso, Betaling aanvaard, Płatność zaakceptowana`
}

t.test('known words, in any case, with or without accents', async t => {
  const unknown: string[] = []
  const read = statusReader(new Map(), word => unknown.push(word))
  for (const [status, words] of Object.entries(cases))
    for (const word of words.split(',')) t.equal(read(word), status, word)
  t.strictSame(unknown, [])
})

t.test('a word that is not known counts as placed, and is told each time', async t => {
  const unknown: string[] = []
  const read = statusReader(new Map(), word => unknown.push(word))
  t.strictSame(['Weg', 'constructor', '6', 'Weg'].map(read), ['placed', 'placed', 'placed', 'placed'])
  t.strictSame(unknown, ['Weg', 'constructor', '6', 'Weg'])
})

t.test("a shop's own words count before all others", async t => {
  const own = new Map([
    ['weg', 'refunded'],
    ['Closed', 'placed']
  ] as const)
  const read = statusReader(own, word => t.fail(word))
  t.strictSame(['WEG', 'closed', 'refunded'].map(read), ['refunded', 'placed', 'refunded'])
})

// What the words mean that shops write for the state of an order or its payment. A word that is not here is never guessed.

/** What counts when lists are compared. */
export const LISTED_STATUSES = ['placed', 'cancelled', 'refunded'] as const
export type ListedStatus = (typeof LISTED_STATUSES)[number]

/**
 * As Shopify, WooCommerce, Magento, BigCommerce, PrestaShop, Stripe and PayPal write them. An order that is not paid yet stands,
 * and so does one that is refunded in part; one that is disputed or suspected of fraud does not until that ends. `closed` is
 * Magento's word for refunded in full.
 */
const WORDS: Record<ListedStatus, string> = {
  cancelled: `
    cancelled, canceled, order cancelled, order canceled, cancelled by customer, cancelled by merchant, auto cancelled, void,
    voided, declined, denied, rejected, refused, reversed, paypal reversed, failed, failure, payment failed, payment error,
    payment declined, payment denied, payment rejected, payment voided, payment cancelled, payment canceled, payment expired,
    authorization expired, authorization failed, dispute lost, withdrawn, aborted, unsuccessful, not completed, blocked,
    expired, timed out, chargeback, charge back, charged back, disputed, needs response, under review, lost, fraud,
    suspected fraud, restocked, incomplete, abandoned, invalid, draft, checkout draft, auto draft, trash, deleted,
    requires payment method, requires confirmation, requires action,
    storniert, storno, bestellung storniert, abgebrochen, annulliert, abgelehnt, verweigert, zurückgewiesen, widerrufen,
    ungültig, zurückgezogen, rückabgewickelt, gescheitert, nicht erfolgreich, zahlung storniert, zahlung verweigert,
    fehlgeschlagen, zahlung fehlgeschlagen, zahlung abgelehnt, zahlung abgebrochen, zahlung abgelaufen, zahlungsfehler,
    fehler bei der bezahlung, abgelaufen, verfallen, gelöscht, entwurf, rückgebucht, rückbuchung, rückbuchung (chargeback),
    rücklastschrift, rückbelastung, rückbelastet, angefochten, betrugsverdacht, gesperrt,
    annulé, annulée, commande annulée, échoué, échouée, échec, refusé, refusée, erreur de paiement, expiré, expirée,
    cancelado, cancelada, anulado, anulada, fallido, rechazado, error en el pago, error de pago, caducado,
    annullato, annullata, fallito, rifiutato, errore di pagamento, scaduto,
    geannuleerd, mislukt, geweigerd, betalingsfout, verlopen,
    anulowane, anulowano, anulowany, nieudane, odrzucone, błąd płatności,
    falhado, falhou, malsucedido, recusado, erro de pagamento, erro no pagamento, estornado`,
  refunded: `
    refunded, refund, fully refunded, charge refunded, payment refunded, refund pending, pending refund, returned, closed,
    erstattet, rückerstattet, zurückerstattet, vollständig erstattet, voll erstattet, zahlung erstattet, erstattung,
    rückerstattung, rückzahlung, gutgeschrieben, retour, retourniert, zurückgesendet, geschlossen,
    remboursé, remboursée, remboursement, reembolsado, reembolsada, reembolso, devuelto, rimborsato, rimborso, terugbetaald,
    terugbetaling, zwrot, zwrócone, devolvido`,
  placed: `
    placed, new, open, pending, pending payment, payment pending, awaiting payment, unpaid, not paid, overdue, authorized,
    authorised, waiting capture, waiting for paypal payment, waiting for credit card payment,
    waiting for local payment method payment, preparation in progress,
    paid, partially paid, partial payment, partially refunded, partial refund, no payment required, processing, in process,
    in progress, processed, created, confirmed, accepted, approved, on hold, holded, payment review, pending paypal,
    paypal canceled reversal, canceled reversal, manual verification required, awaiting fulfillment, awaiting shipment,
    awaiting pickup, unfulfilled, unshipped, partial, partially fulfilled, pending fulfillment, scheduled, ready for pickup,
    fulfilled, shipped, partially shipped, in transit, out for delivery, picked up, delivered, complete,
    completed, archived, succeeded, success, captured, uncaptured,
    requires capture, won, warning needs response, warning under review, warning closed, prevented, payment accepted,
    remote payment accepted, processing in progress, on backorder (paid), on backorder (not paid), awaiting bank wire payment,
    awaiting check payment, awaiting cheque payment, awaiting cash on delivery validation, awaiting paypal payment,
    authorized. to be captured by merchant, partially returned, partially cancelled, partially canceled, return in progress,
    return requested, return failed, no return, inspection complete, request declined,
    neu, offen, ausstehend, zahlung ausstehend, zahlung offen, unbezahlt, nicht bezahlt, autorisiert, bezahlt,
    teilweise bezahlt, teilbezahlt, teilweise erstattet, teilerstattet, teilweise rückerstattet, in bearbeitung,
    bestellung in bearbeitung, in wartestellung, wartend, angehalten, zurückgestellt, bestätigt, angenommen, versendet,
    versandt, bestellung versandt, teilweise versandt, teilweise versendet, geliefert, ausgeliefert, bestellung ausgeliefert,
    zugestellt, erfüllt, teilweise erfüllt, nicht erfüllt, ausgeführt, teilweise ausgeführt, nicht ausgeführt,
    teilweise storniert, teilstorniert, teilweise retour, teilretour, fertiggestellt, abgeschlossen, erledigt, erfolgreich,
    zahlung eingegangen, zahlung akzeptiert, zahlung erhalten, warten auf zahlungseingang, warten auf zahlungseingang von bank,
    warten auf zahlungseingang von paypal, artikel nicht auf lager (bezahlt), artikel nicht auf lager,
    zahlung ausserhalb von prestashop eingegangen, vollständig abgeschlossen,
    en attente, en attente de paiement, en attente de paiement par chèque, en attente de virement bancaire,
    en attente de paiement paypal, paiement accepté, paiement à distance accepté, en cours, en cours de préparation,
    en cours de réapprovisionnement, expédié, livré, payé, payée, terminée, terminé, remboursement partiel,
    pendiente, pendiente de pago, pago aceptado, pago a distancia aceptado, preparación en proceso, procesando, en proceso,
    en espera, pedido en espera, enviado, entregado, pagado, completado, pago mediante cheque pendiente,
    pago mediante paypal pendiente, pago por transferencia bancaria pendiente, reembolso parcial,
    in attesa, in attesa di pagamento, in attesa di pagamento con assegno, in attesa di pagamento con bonifico bancario,
    in attesa di pagamento con paypal, in attesa di rifornimento, pagamento accettato, preparazione in corso, in lavorazione,
    consegna in corso, spedito, consegnato, pagato, completato, rimborso parziale,
    in afwachting, in afwachting van betaling, in afwachting van betaling per cheque, in afwachting van bankoverschrijving,
    in afwachting van betaling via paypal, betaling aanvaard, betaling op afstand aanvaard, wordt momenteel voorbereid,
    in behandeling, in de wacht, verzonden, afgeleverd, betaald, voltooid, afgerond, gedeeltelijk terugbetaald,
    gedeeltelijke terugbetaling,
    oczekujące, oczekiwanie płatności czekiem, oczekiwanie na płatność przelewem bankowym, oczekiwanie na płatność paypal,
    płatność zaakceptowana, płatność przyjęta, przygotowanie w toku, w trakcie realizacji, wysłane, dostarczone, opłacone,
    zrealizowane, brak towaru, częściowy zwrot,
    pagamento aceite, pagamento aprovado, em processamento, em espera, pendente, concluído, entregue, pago`
}

/** @param own what words mean in this shop, before all others @param onUnknown called for each that is not known, as it was written first, and counts as placed */
export function statusReader(
  own: ReadonlyMap<string, ListedStatus>,
  onUnknown: (word: string) => void
): (word: string) => ListedStatus {
  const known = new Map<string, ListedStatus>()
  for (const [status, words] of Object.entries(WORDS)) {
    for (const word of words.split(',')) known.set(plainWord(word), status as ListedStatus)
  }
  for (const [word, status] of own) known.set(plainWord(word), status)
  const firstWritten = new Map<string, string>()
  return word => {
    const plain = plainWord(word)
    const status = known.get(plain)
    if (status !== undefined) return status
    const written = firstWritten.get(plain) ?? word
    firstWritten.set(plain, written)
    onUnknown(written)
    return 'placed'
  }
}

/** Without case, accents, the prefix of WooCommerce, and whatever is between words: `wc-on_hold` is `on hold`. */
function plainWord(word: string): string {
  const plain = word.trim().toLowerCase().replace(/^wc-/, '').normalize('NFD').replace(/\p{M}/gu, '')
  return plain.replace(/[\s_-]+/g, ' ')
}

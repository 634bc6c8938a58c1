// A merchant as if read from its file, for tests that need one but are about something else.
import type { Merchant, Way } from '../src/merchant/merchant.ts'
import { defaultTheme } from '../src/merchant/theme.ts'
import { jsonDescription } from '../src/transfer/json-description/json-description.ts'
import type { TransferOption } from '../src/transfer/option.ts'

export function anyWay(transfer: Partial<Way['transfer']> = {}, option: TransferOption = jsonDescription): Way {
  const { name } = option
  return {
    name,
    option,
    transfer: { option: name, path: '/cart', maxItems: 500, maxQuantity: 9999, keepRecordsDays: 90, ...transfer }
  }
}

export function anyMerchant(changes: Partial<Merchant> = {}): Merchant {
  return {
    id: 'shop',
    name: 'The Shop',
    locale: 'en-GB',
    locales: [],
    messages: {},
    currencies: ['GBP'],
    path: '/shop',
    ways: [anyWay()],
    checkout: {
      path: '/checkout',
      continueShoppingUrl: 'shop://continue',
      expiresAfterMinutes: 1440,
      deleteAfterDays: 30,
      completeTitle: 'Order complete',
      giftNote: false,
      appInjectsStyles: false
    },
    texts: {},
    templateTexts: {},
    countries: { GBP: ['GB'] },
    delivery: {},
    catalogue: {
      feeds: [{ address: '/nowhere/feed.tsv', key: ['catalogue', 'feed'] }],
      refreshMinutes: 15,
      timeoutSeconds: 300,
      maxMegabytes: 1024,
      maxShrink: 50,
      freeProducts: false
    },
    pictures: '/nowhere/pictures',
    theme: defaultTheme(),
    links: {},
    ...changes
  }
}

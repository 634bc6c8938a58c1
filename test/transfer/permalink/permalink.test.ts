// UCP's permalink: the examples of its specification, what is accepted, what is refused and how, what is passed on.
import t from 'tap'
import { permalink } from '../../../src/transfer/permalink/permalink.ts'
import { cartIn, passedOn, refusalOf } from '../links.ts'

const MUG = { sku: 'MUG', quantity: 1 }
const GID = '~Z2lkOi8vc2hvcGlmeS9Qcm9kdWN0VmFyaWFudC83MDg4MTQxMg'
const token = (id: string | Buffer) => `~${Buffer.from(id).toString('base64url')}`
const line = (sku: string, quantity: number) => ({ sku, quantity })

/** docs/specification/permalink.md of github.com/Universal-Commerce-Protocol/ucp, below /buy/. */
const DOCUMENTED: [link: string, cart: object, passedOn?: string][] = [
  ['sku_123:2,sku_456:1', { items: [line('sku_123', 2), line('sku_456', 1)] }],
  ['sku_123:2', { items: [line('sku_123', 2)] }],
  [`${GID}:1`, { items: [line('gid://shopify/ProductVariant/70881412', 1)] }],
  ['sku_123:1?continue_to=/collections/spring', { items: [line('sku_123', 1)] }],
  [
    'sku_123:1?context/postal_code=94105&context/payment/0/handler=com.example.wallet&buyer/email=alice%40example.com&attribution/utm_source=social',
    {
      items: [line('sku_123', 1)],
      buyer: { email: 'alice@example.com', address: { postcode: '94105' } },
      attribution: { utm_source: 'social' }
    },
    'utm_source=social'
  ],
  [
    'sku_123:1?discounts/codes/0=SAVE10&discounts/codes/1=WELCOME',
    { items: [line('sku_123', 1)], codes: ['SAVE10', 'WELCOME'] }
  ],
  ['sku_123:1?line_items/0/selling_plan=plan_monthly', { items: [line('sku_123', 1)] }],
  [
    'sku_123:1?utm_source=social&ref=creator_42&gclid=1',
    { items: [line('sku_123', 1)], attribution: { utm_source: 'social', gclid: '1' } },
    'utm_source=social&ref=creator_42&gclid=1'
  ],
  [
    'sku_123:1?attribution/ref=creator_42&attribution/utm_source=social',
    { items: [line('sku_123', 1)], attribution: { ref: 'creator_42', utm_source: 'social' } },
    'ref=creator_42&utm_source=social'
  ],
  ['sku_123:2?line_items/0/quantity=5', { items: [line('sku_123', 2)] }],
  [
    'sku_123:1?continue_to=/collections/spring&buyer/email=alice%40example.com&buyer/unknown=foo&attribution/utm_source=email&utm_medium=sms&color=black&access_token=secret',
    {
      items: [line('sku_123', 1)],
      buyer: { email: 'alice@example.com' },
      attribution: { utm_source: 'email', utm_medium: 'sms' }
    },
    'utm_source=email&utm_medium=sms&color=black'
  ],
  ['sku_123:1', { items: [line('sku_123', 1)] }],
  [
    'sku_123:1,sku_456:2?continue_to=/collections/spring&discounts/codes/0=SPRING10&attribution/utm_source=email',
    {
      items: [line('sku_123', 1), line('sku_456', 2)],
      codes: ['SPRING10'],
      attribution: { utm_source: 'email' }
    },
    'utm_source=email'
  ],
  [
    `sku_kit:3,${GID}:2?discounts/codes/0=VIP20&discounts/codes/1=WELCOME&buyer/email=alice%40foo.com&buyer/phone_number=123-456-7890&context/address_country=US&context/postal_code=94105&context/language=en-US&attribution/ref=creator_42&attribution/utm_source=social&context/payment/0/handler=com.example.wallet`,
    {
      items: [line('sku_kit', 3), line('gid://shopify/ProductVariant/70881412', 2)],
      buyer: { email: 'alice@foo.com', phone: '123-456-7890', country: 'US', address: { postcode: '94105' } },
      codes: ['VIP20', 'WELCOME'],
      attribution: { ref: 'creator_42', utm_source: 'social' }
    },
    'ref=creator_42&utm_source=social'
  ],
  [
    'sku_123:1?fulfillment/methods/0/type=pickup&fulfillment/methods/0/selected_destination_id=loc_1375',
    { items: [line('sku_123', 1)] }
  ],
  [
    'sku_123:1?buyer/email=alice%40example.com&buyer/first_name=Alice',
    {
      items: [line('sku_123', 1)],
      buyer: { email: 'alice@example.com', address: { name: 'Alice' } }
    }
  ]
]

t.test('the examples of the specification are read as it says', async t => {
  for (const [link, cart, query = ''] of DOCUMENTED) {
    const { reference, ...found } = cartIn(permalink, link)
    t.match(reference, /^[0-9a-f]{32}$/, `${link}: a reference is made`)
    t.strictSame(found, { currency: 'GBP', ...cart }, link)
    t.equal(passedOn(permalink, link), query, `${link}: passed on`)
  }
  t.strictSame(
    refusalOf(permalink, '?context/postal_code=94105&continue_to=/'),
    [['items items-empty', 'A cart holds at least one item.']],
    'without items there is no cart to open'
  )
})

t.test('ids stand as they are, or as base64url', async t => {
  const ids = ['a/b', ':', ',', '%2F', '~', ' ', 'ソ-☕', '𝒳', '\ufeff', 'a?b&c=d', '..', 'MUG', '__proto__']
  const path = ids.map(id => `${token(id)}:1`).join(',')
  t.strictSame(
    cartIn(permalink, path).items,
    ids.map(id => line(id, 1))
  )
  t.strictSame(cartIn(permalink, `MUG:1,${token('MUG')}:2,MUG:3`).items, [
    line('MUG', 1),
    line('MUG', 2),
    line('MUG', 3)
  ])
  t.match(cartIn(permalink, 'SKU_MUG:1', { itemId: 'SKU_{sku}' }), { items: [MUG] })
})

const entry = (sent: string) => `"${sent}" is not the id of an item, a colon and a quantity, such as "sku_123:2".`
const id = (sent: string) =>
  `"${sent}" is not the id of an item; it is letters, digits, ".", "_" and "-", or "~" and the base64url of any other id, without padding.`

t.test('whatever breaks the grammar is refused, and every entry of it named', async t => {
  const where = '/discounts/codes/'
  const index = 'Codes are numbered 0, 1, 2 and so on, without gaps and leading zeros.'
  const repeated = 'Several parameters mean this field, with its first "/" or without; it is ambiguous.'
  const cases: [link: string, ...mistakes: [where: string, detail: string | RegExp][]][] = [
    ['', ['items items-empty', 'A cart holds at least one item.']],
    ['?reference=r', ['items items-empty', 'A cart holds at least one item.']],
    ['a:1,', ['items[1] value-malformed', entry('')]],
    ['a:1,,b:1', ['items[1] value-malformed', entry('')]],
    ['a', ['items[0] value-malformed', entry('a')]],
    ['a:1:2', ['items[0] value-malformed', entry('a:1:2')]],
    ['a%3A1', ['items[0] value-malformed', entry('a%3A1')]],
    [':1', ['items[0] value-malformed', id('')]],
    ['a%20b:1', ['items[0] value-malformed', id('a%20b')]],
    ['a+b:1', ['items[0] value-malformed', id('a+b')]],
    ['a~b:1', ['items[0] value-malformed', id('a~b')]],
    ['a/b:1', ['items[0] value-malformed', id('a/b')]],
    ['~:1', ['items[0] value-malformed', id('~')]],
    ['~YQ==:1', ['items[0] value-malformed', id('~YQ==')]],
    ['~YR:1', ['items[0] value-malformed', id('~YR')]],
    ['~Y:1', ['items[0] value-malformed', id('~Y')]],
    ['~YW+x:1', ['items[0] value-malformed', id('~YW+x')]],
    ['~%59Q:1', ['items[0] value-malformed', id('~%59Q')]],
    [`${token(Buffer.from([0x80]))}:1`, ['items[0] encoding-malformed', /not UTF-8: 0x80/]],
    [`${token(Buffer.from([0xed, 0xa0, 0x80]))}:1`, ['items[0] encoding-malformed', /not UTF-8: 0xED/]],
    [`${token('a\0')}:1`, ['items[0] sku-invalid', /holds a control character/]],
    [`${token('a\u0085')}:1`, ['items[0] sku-invalid', /holds a control character/]],
    [`${'x'.repeat(129)}:1`, ['items[0] sku-invalid', /longer than 128/]],
    ['a:0', ['items[0] quantity-invalid', /out of range/]],
    ['a:01', ['items[0] quantity-invalid', /without sign, space, leading zero/]],
    ['a:10000', ['items[0] quantity-invalid', /out of range/]],
    ['a:1/', ['items[0] quantity-invalid', /^"1\/" is not a quantity/]],
    ['a:1?buyer/email=a&buyer/email=a', ['/buyer/email field-repeated', repeated]],
    ['a:1?buyer/email=a&/buyer/email=b', ['/buyer/email field-repeated', repeated]],
    ['a:1?buyer%2Femail=a&%2Fbuyer/email=b', ['/buyer/email field-repeated', repeated]],
    ['a:1?buyer/unknown=a&//buyer/unknown=b', ['/buyer/unknown field-repeated', repeated]],
    ['a:1?line_items/0/quantity=1&/line_items/0/quantity=1', ['/line_items/0/quantity field-repeated', repeated]],
    ['a:1?continue_to=/a&continue_to=/b', ['/continue_to field-repeated', repeated]],
    ['a:1?reference=r&/reference=r', ['/reference field-repeated', repeated]],
    ['a:1?reference=a+b', ['/reference reference-invalid', /holds " "/]],
    ['a:1?buyer/email=%zz', ['/buyer/email encoding-malformed', /a % that two/]],
    ['a:1?buyer/first_name=a%0Ab', ['/buyer/first_name encoding-malformed', 'The value holds a control character.']],
    ['a:1?%FF=1', ['%FF encoding-malformed', /^The name holds/]],
    ['a:1?discounts/codes/1=A', [`${where}1 index-malformed`, index]],
    ['a:1?discounts/codes/00=A', [`${where}00 index-malformed`, index]],
    ['a:1?discounts/codes/-=A&discounts/codes/0=B', [`${where}- index-malformed`, index]],
    ['a:1?discounts/codes/0=%C3', [`${where}0 encoding-malformed`, /not UTF-8/]],
    [`a:1?discounts/codes/0=${'x'.repeat(256)}`, [`${where}0 value-malformed`, /at most 255 characters/]],
    [
      `a:1?${Array.from({ length: 11 }, (_, i) => `discounts/codes/${i}=A`).join('&')}`,
      [`${where}10 value-malformed`, 'A bag has at most 10 discount codes.']
    ],
    [
      'a:1,b,~YR:2,c:x',
      ['items[1] value-malformed', entry('b')],
      ['items[2] value-malformed', id('~YR')],
      ['items[3] quantity-invalid', /"x" is not a quantity/]
    ]
  ]
  for (const [link, ...mistakes] of cases) {
    const found = refusalOf(permalink, link)
    t.match(found, mistakes, link)
    t.equal(found.length, mistakes.length, link)
  }
})

t.test('a preference of where to go, and what is not read, are no reason to refuse a cart', async t => {
  const unread = [
    ...['continue_to=//evil.example', 'continue_to=https://evil.example', 'continue_to=%5C', 'continue_to=%0D%0A'],
    ...['buyer=x', '/', '//', 'buyer/', 'currency=USD', 'totals/0/amount=1', 'id=x', 'buyer/~2=x', 'discounts/codes=A'],
    ...['line_items/0/item/id=OTHER', 'line_items/7/quantity=%zz', 'context/currency=USD', '__proto__/a=1']
  ]
  const cart = { reference: 'r-1', currency: 'GBP', items: [MUG] }
  for (const one of unread) {
    t.strictSame(cartIn(permalink, `MUG:1?reference=r-1&${one}`), cart, one)
    t.notMatch(passedOn(permalink, `MUG:1?${one}`), /evil|%0D|buyer|USD|OTHER|totals/, one)
  }
})

t.test('the buyer has the names of the order form', async t => {
  const at = 'fulfillment/methods/0/destinations/0/'
  const whole = [
    'street_address=1+High+St',
    'extended_address=Flat+2',
    'address_locality=Whitby',
    'address_region=',
    'postal_code=YO21'
  ]
  const address = [...whole, 'address_country=GB', 'first_name=A', 'last_name=B', 'phone_number=1']
    .map(one => at + one)
    .join('&')
  const cases: [what: string, query: string, buyer: object | undefined][] = [
    [
      'an address supersedes what is said of the buyer and of the place',
      `${address}&buyer/first_name=C&context/postal_code=X&context/address_region=CA&context/address_country=US`,
      {
        phone: '1',
        country: 'GB',
        address: { name: 'A B', address1: '1 High St', address2: 'Flat 2', city: 'Whitby', postcode: 'YO21' }
      }
    ],
    ['the phone of the buyer before that of the address', `buyer/phone_number=2&${address}`, { phone: '2' }],
    ['the name of the buyer', 'buyer/first_name=Ada&buyer/last_name=Lovelace', { address: { name: 'Ada Lovelace' } }],
    ['half a name', 'buyer/last_name=Lovelace', { address: { name: 'Lovelace' } }],
    ['a place', 'context/address_region=CA&context/address_country=US', { country: 'US', address: { state: 'CA' } }],
    ['a country that is no code', 'context/address_country=USA', undefined],
    ['nothing', 'buyer/email=&buyer/phone_number', undefined],
    ['what no field has room for', `buyer/email=${'x'.repeat(255)}`, undefined]
  ]
  for (const [what, query, buyer] of cases) t.match(cartIn(permalink, `MUG:1?${query}`).buyer, buyer as object, what)
})

t.test('attribution that the link calls so comes first; of what is ambiguous, neither is kept', async t => {
  const cases: [query: string, attribution: object | undefined, passedOn: string][] = [
    ['utm_source=a&attribution/utm_source=b', { utm_source: 'b' }, 'utm_source=b'],
    ['attribution/x=1&/attribution/x=2&utm_term=3', { utm_term: '3' }, 'utm_term=3'],
    ['attribution/access_token=1&attribution/lang=de', { access_token: '1', lang: 'de' }, ''],
    ['attribution/a%2Fb=1&attribution/a~1b=1&attribution/=1&attribution=1', undefined, 'a%2Fb=1&a%7E1b=1'],
    ['attribution/x=%zz&attribution/y=%0A', undefined, 'y=%0A'],
    ['ref=1', undefined, 'ref=1']
  ]
  t.equal(passedOn(permalink, 'MUG:1?%zz=1&ref=1'), 'ref=1', 'a name that cannot be read')
  for (const [query, attribution, query2] of cases) {
    t.strictSame(cartIn(permalink, `MUG:1?${query}`).attribution, attribution, query)
    t.equal(passedOn(permalink, `MUG:1?${query}`), query2, query)
  }
  t.strictSame(
    cartIn(permalink, 'MUG:1?ref=1', { attribution: ['ref'] }).attribution,
    { ref: '1' },
    'named by the merchant'
  )
})

t.test("the platform's half writes the permalink of a cart, with all that came along", async t => {
  const cart = {
    reference: 'r-1',
    currency: 'GBP',
    items: [line('sku_123', 2), line('a/b', 1)],
    buyer: {
      email: 'a@b.example',
      phone: '+44 1',
      country: 'GB',
      address: { name: 'A B', city: 'Whitby', address1: '1 High St' }
    },
    codes: ['A', 'B C'],
    attribution: { ref: 'x/y' }
  }
  const { url, ...rest } = permalink.request(cart, 'https://shop.example/buy')
  t.strictSame(rest, { method: 'GET', headers: [] })
  t.equal(
    url,
    'https://shop.example/buy/sku_123:2,~YS9i:1?buyer/email=a%40b.example&buyer/phone_number=%2B44%201&buyer/first_name=A%20B&' +
      'fulfillment/methods/0/destinations/0/street_address=1%20High%20St&' +
      'fulfillment/methods/0/destinations/0/address_locality=Whitby&' +
      'fulfillment/methods/0/destinations/0/address_country=GB&discounts/codes/0=A&discounts/codes/1=B%20C&' +
      'attribution/ref=x/y&reference=r-1'
  )
  t.strictSame(cartIn(permalink, url.replace('https://shop.example/buy/', '')), cart)
})

// A list in every format it may have, and every way it can be invalid.
import t from 'tap'
import type { ListRow } from '../../src/reconcile/list-entry.ts'
import type { ColumnNames } from '../../src/reconcile/list-reading.ts'
import type { ListField } from '../../src/reconcile/list-row.ts'
import { readList } from '../../src/reconcile/read-list.ts'
import { statusReader } from '../../src/reconcile/status-words.ts'

type Read = {
  rows: ListRow[]
  leftOut: number
  unknownWords: string[]
  mistakes: [number, string][]
  unasked: ListField[]
  uncompared: [fields: ListField[], columns: string[]] | []
}

/** Reads a list that arrives in chunks of this many bytes; a mistake that ends the reading begins with `the list:`. */
async function read(
  list: string | Uint8Array,
  columns: ColumnNames = {},
  chunk = 64 * 1024,
  mayLackReferences = false
): Promise<Read> {
  const bytes = typeof list === 'string' ? new TextEncoder().encode(list) : list
  async function* chunks() {
    for (let i = 0; i < bytes.length; i += chunk) yield bytes.subarray(i, i + chunk)
  }
  const result: Read = { rows: [], leftOut: 0, unknownWords: [], mistakes: [], unasked: [], uncompared: [] }
  const failed = await readList(chunks(), {
    columns,
    mapPrefix: 'orders.',
    mayLackReferences,
    readStatus: statusReader(new Map(), word => result.unknownWords.push(word)),
    onLeftOut: () => {
      result.leftOut += 1
    },
    onUnasked: field => result.unasked.push(field),
    onUncompared: (...uncompared) => {
      result.uncompared = uncompared
    },
    onRow: row => result.rows.push(row),
    onMistake: (line, problem) => result.mistakes.push([line, problem])
  })
  if (failed) result.mistakes.push([failed.line, `the list: ${failed.message}`])
  return result
}

const row = (line: number, more: Partial<ListRow> = {}): ListRow => ({ line, reference: 'r1', ...more })
const pair = (sku: string, quantity: number) => ({ sku, quantity })

const lists: [string, string, ListRow[], ColumnNames?][] = [
  ['only references', 'reference\nr1\n', [row(2)]],
  ['no trailing line break', 'reference\nr1', [row(2)]],
  ['Windows line breaks and a byte order mark', '\ufeffreference,total\r\nr1,5\r\n', [row(2, { total: '5' })]],
  ['semicolons', 'reference;total\nr1;5\n', [row(2, { total: '5' })]],
  [
    'semicolons and decimal commas, or decimal points',
    'reference;total\nr1;147,90\nr1;0,125\nr1;1234,5678\nr1;147.90\n',
    ['147.9', '0.125', '1234.5678', '147.9'].map((total, i) => row(i + 2, { total }))
  ],
  [
    'three decimals of a currency that has them',
    'reference;total;currency\nr1;1,234;KWD\n',
    [row(2, { total: '1.234', currency: 'KWD' })]
  ],
  ['three decimals without semicolons', 'reference,total\nr1,1.234\n', [row(2, { total: '1.234' })]],
  [
    'columns left alone',
    'reference,total,items,sku,quantity\nr1,x,y,MUG,1\n',
    [row(2, { item: pair('MUG', 1) })],
    { total: '', items: '' }
  ],
  ['names left alone', '{"reference":"r1","total":"x","items":{}}', [row(1)], { total: '', items: '' }],
  ['tabs', 'reference\ttotal\nr1\t5\n', [row(2, { total: '5' })]],
  [
    'every column, and unknown ones',
    'city,Total,currency,ORDER, reference \nÀ,0147.90,gbp, N1 , r1 \n',
    [row(2, { order: 'N1', currency: 'GBP', total: '147.9' })]
  ],
  ['empty cells count as absent', 'reference,order,currency,total,items\nr1,, ,,\n', [row(2)]],
  [
    'quoted cells, whose line breaks count as lines',
    'reference,note,total\n"r1","a\nb ""c"", d",5\nr2,,6\n',
    [row(2, { total: '5' }), row(4, { reference: 'r2', total: '6' })]
  ],
  [
    'Windows line breaks in quoted cells count once',
    'reference,note,total\r\nr1,"a\r\nb\r\nc",5\r\nr2,"d\r\n",6\r\nr3,,7\r\n',
    [row(2, { total: '5' }), row(5, { reference: 'r2', total: '6' }), row(7, { reference: 'r3', total: '7' })]
  ],
  [
    'the status of an order, as shops write it',
    'reference,status\nr1,wc-Cancelled\nr1,canceled\nr1,failed\nr1,refunded\nr1,processing\nr1,\n',
    [
      ...(['cancelled', 'cancelled', 'cancelled', 'refunded', 'placed'] as const).map((status, i) =>
        row(i + 2, { status })
      ),
      row(7)
    ]
  ],
  [
    'a filled column "Cancelled at", which counts before the status',
    `reference,status,Cancelled At\n${['2026-11-20 10:00:00 +0000', 'yes'].map(time => `r1,paid,${time}\n`).join('')}r1,refunded,\n${['-', '0000-00-00 00:00:00', 'NULL', 'false'].map(time => `r1,,${time}\n`).join('')}`,
    [
      ...(['cancelled', 'cancelled', 'refunded'] as const).map((status, i) => row(i + 2, { status })),
      ...[5, 6, 7, 8].map(line => row(line))
    ]
  ],
  [
    'quantities with decimals that are zeros',
    'reference,sku,quantity\nr1,MUG,2.0000\nr1,MUG,"2,00"\nr1,MUG,2.000\nr1,MUG,02\n',
    [2, 3, 4, 5].map(line => row(line, { item: pair('MUG', 2) }))
  ],
  ['the same with semicolons', 'reference;sku;quantity\nr1;MUG;2,00\n', [row(2, { item: pair('MUG', 2) })]],
  [
    'the same in joined items',
    'reference,items\nr1,MUG:2.0000;LAMP:1.00\n',
    [row(2, { items: [pair('MUG', 2), pair('LAMP', 1)] })]
  ],
  ['the line that tells Excel the separator', 'sep=;\r\nreference;total\r\nr1;5\r\n', [row(3, { total: '5' })]],
  [
    'titles above the names, with other separators and a stray quotation mark',
    '\ufeffOrders, "March\nMade by: us; them\n\n"Reference";"Total; net"\nr1;5\n',
    [row(5, { total: '5' })],
    { total: 'total; net' }
  ],
  [
    'surplus empty cells, or a surplus separator after the names',
    'reference,total,\nr1,5,,\nr1,5\n',
    [row(2, { total: '5' }), row(3, { total: '5' })]
  ],
  [
    'a quotation mark as text, where columns are separated by tabs',
    'reference\tnote\ttotal\nr1\t"Rope" 9"\t5\n',
    [row(2, { total: '5' })]
  ],
  [
    'a cell of several lines with separators, as in prose or JSON',
    'reference,total,note\nr1,5,"Ring, twice, please,\nor not, as you like"\nr1,6,"{""a"":1,""b"":2}\n1,2,3,4"\n',
    [row(2, { total: '5' }), row(4, { total: '6' })]
  ],
  ['carriage returns as line breaks', 'reference;total\rr1;5\r', [row(2, { total: '5' })]],
  ['empty lines count as lines but not as rows', 'reference,total\n\n,\nr1,5\n\n', [row(4, { total: '5' })]],
  ['a quotation mark inside a cell', 'reference,note\nr1,5" pipe\n', [row(2)]],
  [
    'one row per item',
    'reference,sku,quantity\nr1,MUG,2\nr1, LAMP,1\n',
    [row(2, { item: pair('MUG', 2) }), row(3, { item: pair(' LAMP', 1) })]
  ],
  ['an order without items in a list of item rows', 'reference,sku,quantity\nr1,,\n', [row(2)]],
  ['joined items', 'reference,items\nr1,MUG:2;LAMP:1\n', [row(2, { items: [pair('MUG', 2), pair('LAMP', 1)] })]],
  ...['; ', ' ', '|', ',', '\n', ' | '].map((between): [string, string, ListRow[]] => [
    `joined items with ${JSON.stringify(between)} between`,
    `reference,items\nr1,"MUG:2${between}A B:C:1${between}"\n`,
    [row(2, { items: [pair('MUG', 2), pair('A B:C', 1)] })]
  ]),
  [
    'SKUs with the separators of items, and colons',
    'reference,items\nr1,"a;b,c|d e:2;ソ:☕:1;x:1y:3"\n',
    [row(2, { items: [pair('a;b,c|d e', 2), pair('ソ:☕', 1), pair('x:1y', 3)] })]
  ],
  [
    'mapped columns, ignoring case and outer spaces; a column with the default name is then ignored',
    'Order total,reference,Merchant Ref\n5,x,r1\n',
    [row(2, { total: '5' })],
    { reference: 'merchant ref', total: ' order total' }
  ],
  [
    'JSON lines',
    '{"reference":"r1","order":"N1","currency":"GBP","total":"25.00","items":[{"sku":"MUG","quantity":2}],"x":{}}\n\n{"reference":"r2","total":147.9}',
    [
      row(1, { order: 'N1', currency: 'GBP', total: '25', items: [pair('MUG', 2)] }),
      row(3, { reference: 'r2', total: '147.9' })
    ]
  ],
  [
    'JSON lines with joined items, with item rows, and with empty values',
    ' {"reference":"r1","items":"MUG:2"}\r\n{"reference":"r1","sku":" MUG","quantity":2}\r\n{"reference":"r1","total":null,"order":" ","sku":""}\r\n',
    [row(1, { items: [pair('MUG', 2)] }), row(2, { item: pair(' MUG', 2) }), row(3)]
  ],
  ['JSON lines after a byte order mark', '\ufeff{"reference":"r1"}', [row(1)]],
  ['JSON lines with mapped names', '{"ref":"r1","reference":"x"}', [row(1)], { reference: 'ref' }],
  ['JSON lines with numbers as references', '{"reference":12}', [row(1, { reference: '12' })]],
  ['JSON lines with an empty list of items', '{"reference":"r1","items":[]}', [row(1, { items: [] })]],
  ['a JSON array', ' [{"reference":"r1","total":5},\n{"reference":"r1"}]\n', [row(1, { total: '5' }), row(2)]],
  [
    'a JSON array that is indented, after a byte order mark',
    '\ufeff[\n  {\n    "reference": "r1",\n    "items": [{ "sku": "MUG", "quantity": "2.00" }]\n  }\n]',
    [row(1, { items: [pair('MUG', 2)] })]
  ],
  [
    'a time of cancellation in JSON, by any of its names',
    '{"reference":"r1","cancelled_at":null}\n{"reference":"r1","canceled_at":1795860000}\n{"reference":"r1","cancelled":false}\n{"reference":"r1","cancelled":true}',
    [row(1), row(2, { status: 'cancelled' }), row(3), row(4, { status: 'cancelled' })]
  ],
  ['JSON lines do not read the prototype', '{"reference":"r1"}', [row(1)], { order: 'constructor' }]
]

for (const [name, list, rows, columns] of lists) {
  t.test(`read: ${name}`, async t => {
    const { unasked, uncompared, ...found } = await read(list, columns)
    t.strictSame(found, { rows, mistakes: [], leftOut: 0, unknownWords: [] })
    t.strictSame(await read(list, columns, 64), { ...found, unasked, uncompared }, 'in small chunks too')
  })
}

const header = 'reference,order,currency,total,sku,quantity\n'
const mistakes: [string, string, number, RegExp, ColumnNames?][] = [
  ['nothing', '', 1, /^the list: the list is empty/],
  ['only empty lines', '\n\r\n', 1, /the list is empty/],
  ['a cell too long to quote', `${header}r1,,,${'x'.repeat(100)},,\n`, 2, /the total is "x{60}…"/],
  ['only whitespace', ' \n\n', 1, /^the list: the list is empty/],
  [
    'no reference column',
    'ref,Order total\nr1,5\n',
    1,
    /^the list: no column is named "reference"; there are "ref", "Order total"; say which it is: --map "orders\.reference=COLUMN"$/
  ],
  [
    'no reference column below a title',
    'All orders\n\nRef;Sum\nr1;5\n',
    3,
    /^the list: no column is named "reference"; there are "Ref", "Sum"; say which it is/
  ],
  [
    'a mapped column that is missing',
    'reference\nr1\n',
    1,
    /^the list: no column is named "Sum" \(for total\); there are "reference"; say which it is: --map "orders\.total=COLUMN"$/,
    { total: 'Sum' }
  ],
  [
    'no reference in a line of JSON',
    '{"reference":"r1"}\n{"ref":"r2","x":{}}',
    2,
    /^no column is named "reference"; there are "ref", "x"; say which it is: --map "orders\.reference=COLUMN"$/
  ],
  [
    'an object without names',
    '{}',
    1,
    /^no column is named "reference"; there are none; say which it is: --map "orders\.reference=COLUMN"$/
  ],
  ['two columns with one name', 'reference,Reference\nr1,r2\n', 1, /two columns are named "reference"/],
  [
    'a SKU without a quantity column',
    'reference,sku,Qty\nr1,MUG,1\n',
    1,
    /^the list: sku needs quantity beside it; there are "reference", "sku", "Qty"; say which it is: --map "orders\.quantity=COLUMN", or ignore sku: --map orders\.sku=$/
  ],
  [
    'a quantity without a SKU column',
    'reference,quantity\nr1,1\n',
    1,
    /^the list: quantity needs sku beside it; there are "reference", "quantity"; say which it is: --map "orders\.sku=COLUMN", or ignore quantity: --map orders\.quantity=$/
  ],
  [
    'items in both forms',
    'reference,items,sku,quantity\n',
    1,
    /^the list: items are either in a column of their own or in sku and quantity; ignore one: --map orders\.items=$/
  ],
  ['an empty reference', `${header}r1,,,,,\n,N1,,,,\n`, 3, /the reference is empty/],
  ['too few cells', `${header}r1,N1\n`, 2, /2 cells where the line with the names has 6/],
  ['too many cells', 'reference\nr1,N1\n', 2, /2 cells where the line with the names has 1/],
  [
    'a number too long for JSON',
    '{"reference":12345678901234567890123456789012}',
    1,
    /reference is the number .*; give text/
  ],
  ['a number that is not whole', '{"reference":"r1","order":1.5}', 1, /order is the number 1\.5; give text/],
  ['no currency', `${header}r1,,£,,,\n`, 2, /the currency is "£"; give an ISO 4217 code/],
  ...['1,50', '£5', '-5', '5.', '.5', '1e3', '1 000', 'NaN'].map((total): [string, string, number, RegExp] => [
    `a total of ${total}`,
    `${header}r1,,,"${total}",,\n`,
    2,
    /the total is .*; give a decimal such as 147\.99/
  ]),
  ...['1.234,56', '1 234,56', "1'234,56", '1.234', '1,234', '1.234.567', '1,234.56'].map(
    (total): [string, string, number, RegExp] => [
      `a total of ${total} where columns are separated by semicolons`,
      `reference;total;currency\nr1;${total};EUR\n`,
      2,
      /the total is .*; give a decimal such as 147\.99, without a thousands separator/
    ]
  ),
  ['a separator of thousands or decimals', 'reference;total\nr1;1,234\n', 2, /without a thousands separator/],
  ['the same without a known currency', 'reference;total;currency\nr1;1,234;XXX\n', 2, /without a thousands/],
  ['a thousands separator', `${header}r1,,,"1,234.56",,\n`, 2, /the total is "1,234\.56".*without a thousands/],
  ...['0', '-1', '1.5', 'two', '10000', '1e3', ''].map((quantity): [string, string, number, RegExp] => [
    `a quantity of "${quantity}"`,
    `${header}r1,,,,MUG,${quantity}\n`,
    2,
    /the quantity is .*; give a whole number from 1 to 9999/
  ]),
  ['a quantity without a SKU', `${header}r1,,,,,1\n`, 2, /a quantity without a SKU/],
  ['joined items without a quantity', 'reference,items\nr1,MUG\n', 2, /the items have "MUG"; give SKU:quantity pairs/],
  ['joined items, the second wrong', 'reference,items\nr1,MUG:2;LAMP\n', 2, /the items have "LAMP"/],
  ['joined items without a SKU', 'reference,items\nr1,:2\n', 2, /the items have ":2"/],
  ['joined items with a quantity of 0', 'reference,items\nr1,MUG:0\n', 2, /the quantity is "0"/],
  ...[',', ';', '\t'].map((delimiter): [string, string, number, RegExp] => [
    `a quotation mark that would take in the next row, where columns are separated by ${JSON.stringify(delimiter)}`,
    'reference,note,total\nr1,"a,5\nr2,b,6\nr3,9",7\nr4,,8\n'.replaceAll(',', delimiter),
    2,
    /^a quotation mark is opened and never closed$/
  ]),
  [
    'a quotation mark that is not doubled',
    'reference,note\nr1,"5" pipe"\nr2,\n',
    2,
    /^a quotation mark within a quoted field/
  ],
  [
    'the same in the line of the names',
    'reference,"no"te"\nr1,\n',
    1,
    /^the list: a quotation mark within a quoted field/
  ],
  [
    'a title that takes in the names',
    '"Orders,reference\n\n",total\nr1,5\n',
    1,
    /^the list: no column is named "reference"; there are "Orders,reference\\n\\n", "total"/
  ],
  [
    'UTF-16',
    'r\0e\0f\0',
    1,
    /^the list: it is no text in UTF-8, but UTF-16, a spreadsheet or an archive; save it as CSV, UTF-8$/
  ],
  ['a broken JSON array', '[{"reference":"r1"},', 1, /^the list: it is not JSON: /],
  ['something else in a JSON array', '[{"reference":"r1"},["r2"]]', 2, /^it is not a JSON object$/],
  [
    'an object of several lines',
    '{\n"reference":"r1"}\n',
    1,
    /^the list: it is not JSON: .*; give one object a line, or an array of objects$/
  ],
  [
    'a quantity in JSON that is not whole',
    '{"reference":"r1","sku":"MUG","quantity":2.5}',
    1,
    /^the quantity is "2.5"; give a whole/
  ],
  ['a quantity of two thousand, or two', 'reference,sku,quantity\nr1,MUG,"2,000"\n', 2, /^the quantity is "2,000"/],
  ['the same with semicolons', 'reference;sku;quantity\nr1;MUG;2.000\n', 2, /^the quantity is "2.000"/],
  ['a quantity in joined items that is not whole', 'reference,items\nr1,MUG:2.5\n', 2, /^the quantity is "2.5"/],
  [
    'an unclosed quotation mark',
    'reference,note\nr1,a\nr2,"b\nr3,c\n',
    3,
    /^a quotation mark is opened and never closed$/
  ],
  [
    'a row that is too long',
    `reference,note\nr1,"${'x'.repeat(300_000)}"\n`,
    2,
    /^it is longer than 262144 characters$/
  ],
  ['not JSON', '{"reference":"r1"}\n{"reference":\n', 2, /it is not JSON: /],
  ['not an object', '{"reference":"r1"}\n[1]\n', 2, /not a JSON object/],
  ['null', '{"reference":"r1"}\nnull\n', 2, /not a JSON object/],
  ['text', '{"reference":"r1"}\n"r2"\n', 2, /not a JSON object/],
  ['an object without a text for its reference', '{"reference":null}', 1, /the reference is empty/],
  ['an object instead of text', '{"reference":{"id":1}}', 1, /reference is .*; give text/],
  ['items that are not items', '{"reference":"r1","items":[null]}', 1, /an item is "null"; give \{ "sku": "MUG"/],
  ['an item without a SKU', '{"reference":"r1","items":[{"sku":"","quantity":1}]}', 1, /an item is/],
  ['an item without a quantity', '{"reference":"r1","items":[{"sku":"MUG"}]}', 1, /the quantity is "undefined"/],
  [
    'a line of JSON that is too long',
    `{"reference":"r1"}\n{"reference":"${'x'.repeat(1_200_000)}"}`,
    2,
    /the line is too long/
  ]
]

for (const [name, list, line, problem, columns] of mistakes) {
  t.test(`refused: ${name}`, async t => {
    const { mistakes } = await read(list, columns)
    t.match(mistakes, [[line, problem]])
    t.equal(mistakes.length, 1)
  })
}

t.test('columns that have the name of a field are read unasked, and reported once', async t => {
  const columns = { reference: 'ref', total: 'sum' }
  t.strictSame((await read('ref,currency,sum,items,note\nr1,GBP,5,,\nr2,GBP,5,,\n', columns)).unasked, [
    'currency',
    'items'
  ])
  t.strictSame((await read('{"ref":"r1"}\n{"ref":"r2","order":"N1"}\n{"ref":"r3","order":"N2"}', columns)).unasked, [
    'order'
  ])
  t.strictSame((await read('reference,items\nr1,x\n', { items: '' })).unasked, ['reference'])
})

t.test('every invalid row is reported, and the valid ones between them are read', async t => {
  const { rows, mistakes } = await read('reference,total\nr1,x\nr2,5\nr3,y\n,5\nr5,6\n')
  t.strictSame(rows, [
    row(2, { isUnreadable: true }),
    row(3, { reference: 'r2', total: '5' }),
    row(4, { reference: 'r3', isUnreadable: true }),
    row(6, { reference: 'r5', total: '6' })
  ])
  t.strictSame(
    mistakes.map(([line]) => line),
    [2, 4, 5]
  )
})

t.test('invalid UTF-8 is refused where it matters, never replaced', async t => {
  const latin1 = (text: string) => Uint8Array.from(text, char => char.charCodeAt(0))
  t.match(await read(latin1('reference,sku,quantity\nr1,Caf\xe9,1\nr2,A,1\n')), {
    rows: [row(2, { isUnreadable: true }), { line: 3 }],
    mistakes: [[2, /not UTF-8/]]
  })
  t.match(
    await read(latin1('reference,city\nr1,K\xf6ln\n')),
    { rows: [{ line: 2 }], mistakes: [] },
    'the city is not read'
  )
  t.match(await read(latin1('{"reference":"r1"}\n{"reference":"\xe9"}\n')), { mistakes: [[2, /not UTF-8/]] })
})

t.test('a mistake in JSON leaves its order known, unless it is in what the order is known by', async t => {
  const list = [
    { reference: 'r1', items: [{ sku: 'MUG', quantity: 0 }] },
    { reference: 'r1', order: '1', total: true },
    { reference: 'r1', status: 1.5 },
    { reference: 'r1', sku: {}, quantity: 1 },
    { reference: 'r1', order: 1.5 },
    { reference: {} }
  ]
  const { rows, mistakes } = await read(JSON.stringify(list))
  t.strictSame(rows, [
    row(1, { isUnreadable: true }),
    row(2, { order: '1', isUnreadable: true }),
    row(3, { isUnreadable: true }),
    row(4, { item: pair('', 0), isUnreadable: true })
  ])
  t.match(mistakes, [
    [1, /^the quantity is "0"/],
    [2, 'total is "true"; give text'],
    [3, /^status is the number 1.5/],
    [4, 'sku is "{}"; give text'],
    [5, /^order is the number 1.5/],
    [6, 'reference is "{}"; give text']
  ])
})

t.test('a time of cancellation is read under each of its names', async t => {
  for (const name of ['Cancelled at', 'Canceled at', 'cancelled_at', 'canceled_at', 'cancelledAt', 'canceledAt']) {
    for (const list of [`reference,${name}\nr1,2026-11-28`, JSON.stringify({ reference: 'r1', [name]: '2026-11-28' })])
      t.strictSame((await read(list)).rows, [row(list.startsWith('{') ? 1 : 2, { status: 'cancelled' })], list)
  }
})

t.test('a status is read under each name that shops give it; of several, one that ends the order counts', async t => {
  const names = ['Status', 'Order Status', 'order_status', 'Financial Status', 'financial_status', 'Payment Status']
  for (const name of names) {
    const { rows, uncompared } = await read(
      `reference,${name},x\nr1,voided,\n`,
      { total: '', items: '' },
      undefined,
      true
    )
    t.strictSame([rows, uncompared], [[row(2, { status: 'cancelled' })], []], name)
  }
  const several =
    'reference,Status,Financial Status\nr1,shipped,refunded\nr1,voided,refunded\nr1,,paid\nr1,shipped,\nr1,,\n'
  const found: ListRow['status'][] = ['refunded', 'cancelled', 'placed', 'placed', undefined]
  t.strictSame(
    (await read(several)).rows.map(({ status }) => status),
    found
  )
  t.match(await read(several, { status: 'status' }), { rows: [{ status: 'placed' }] }, 'unless one is named')
  const json = '{"reference":"r1","status":"open","financial_status":"voided","order_status":null}'
  t.match(await read(json), { rows: [{ status: 'cancelled' }], unasked: ['reference', 'status'] })
  t.match(await read('reference,Status,Order Status,order status\n'), {
    mistakes: [[1, /two columns are named "order status"/]]
  })
})

t.test('a list that an API has wrapped in an object is read', async t => {
  const order = '{"reference":"r1","total":5}'
  for (const list of [
    `{"orders":[${order}]}`,
    `{\n  "object": "list",\n  "data": [${order}],\n "has_more": false,\n "url": "/v1/charges" }`,
    `{"data":[${order}],"meta":{"total":1}}`
  ])
    t.match(await read(list), { rows: [row(1, { total: '5' })], mistakes: [] }, list)
  t.strictSame((await read(`{"orders":[${order}],"refunds":[]}`)).mistakes, [
    [1, 'the list: it has several arrays; give that of the orders alone']
  ])
  t.match(await read('{"reference":"r1","data":[{"a":1}]}\n{"reference":"r2"}'), { rows: [row(1), { line: 2 }] })
})

t.test('a character split across two chunks is read correctly', async t => {
  for (const list of ['reference\nソ☕😀\n', '{"reference":"ソ☕😀"}']) {
    t.match(await read(list, {}, 16), { rows: [{ reference: 'ソ☕😀' }], mistakes: [] })
  }
})

t.test('an error while reading or storing is not reported as a mistake in a row', async t => {
  async function* failing() {
    yield new TextEncoder().encode('reference\nr1\n')
    throw new Error('the disk is gone')
  }
  const fine = {
    columns: {},
    mapPrefix: '',
    readStatus: () => 'placed' as const,
    onLeftOut: () => {},
    onUnasked: () => {},
    onUncompared: () => {},
    onRow: () => {},
    onMistake: () => {}
  }
  await t.rejects(readList(failing(), fine), { message: 'the disk is gone' })
  const full = {
    columns: {},
    mapPrefix: '',
    readStatus: () => 'placed' as const,
    onLeftOut: () => {},
    onUnasked: () => {},
    onUncompared: () => {},
    onRow: () => {
      throw new Error('the disk is full')
    },
    onMistake: () => {}
  }
  for (const list of ['reference\nr1\n', '{"reference":"r1"}']) {
    async function* chunks() {
      yield new TextEncoder().encode(list)
    }
    await t.rejects(readList(chunks(), full), { message: 'the disk is full' })
  }
})

t.test('columns that nobody reads are told if they could be what is not compared', async t => {
  const cases: [list: string, uncompared: Read['uncompared'], columns?: ColumnNames][] = [
    [
      'Ref;Sum;Date\nr1;1,00;x',
      [
        ['total', 'items'],
        ['Sum', 'Date']
      ],
      { reference: 'Ref' }
    ],
    ['reference,total,date\nr1,1.00,x', [['items'], ['date']]],
    ['reference,date,sku,quantity,total\nr1,x,MUG,1,1.00', []],
    ['reference,total,items,date\nr1,1.00,MUG:1,x', []],
    ['reference,sum\nr1,1.00', [], { total: '', items: '' }],
    ['reference\nr1', []]
  ]
  for (const [list, uncompared, columns] of cases)
    t.strictSame((await read(list, columns)).uncompared, uncompared, list)
  const own = 'reference,total,items,Zustand\nr1,1.00,MUG:1,weg'
  t.strictSame((await read(own, {}, undefined, true)).uncompared, [['status'], ['Zustand']], 'of a shop')
})

t.test('orders may be known by their numbers alone, if the list may lack references and has such a column', async t => {
  const list = 'Date,"Order #",Status,Attribution\nx,23,refunded,Unknown\nx,,completed,Unknown\n'
  const found = await read(list, {}, undefined, true)
  t.strictSame(found.rows, [row(2, { reference: '', order: '23', status: 'refunded', attribution: 'Unknown' })])
  t.strictSame(found.mistakes, [[3, 'the order is empty']])
  t.strictSame(found.unasked, ['order', 'status', 'attribution'])
  const named = await read('Bestellung,Order #\n24,x\n', { order: 'bestellung' }, undefined, true)
  t.strictSame(named.rows, [row(2, { reference: '', order: '24' })])
  const both = await read('Order,Order #\n25,x\n', { order: 'order' }, undefined, true)
  t.strictSame(both.rows, [row(2, { reference: '', order: '25' })], 'the whole name counts first')
  for (const refused of [await read(list), await read('Date,Status\nx,y\n', {}, undefined, true)]) {
    t.strictSame(refused.rows, [])
    t.match(refused.mistakes, [[1, /^the list: no column is named "reference"; there are "Date", /]])
  }
})

t.test('rows without a reference are left out of a list that may have them, and nothing in them is read', async t => {
  const list = 'order,reference,total,status\n1,r1,5,\n2,,x,gone\n3,,-6,\n4,r4,7,gone\n'
  const { rows, leftOut, mistakes, unknownWords } = await read(list, {}, undefined, true)
  t.strictSame(rows, [
    row(2, { order: '1', total: '5' }),
    row(5, { reference: 'r4', order: '4', total: '7', status: 'placed' })
  ])
  t.strictSame([leftOut, mistakes, unknownWords], [2, [], ['gone']])
  t.match(await read(list), {
    leftOut: 0,
    mistakes: [
      [3, 'the reference is empty'],
      [4, 'the reference is empty']
    ]
  })
  const json = '[{"reference":"r1"},{"reference":null},{"total":-1}]'
  t.match(await read(json, {}, undefined, true), { rows: [row(1)], leftOut: 2, mistakes: [] })
})

t.test('further rows of an order have the reference of its first row', async t => {
  const list = `Name,Payment Reference,Total,Lineitem sku,Lineitem quantity
#1,r1,5,MUG,1
#1,,,LAMP,2
#2,,9,MUG,1
#2,,,LAMP,1
,,,LAMP,1
#3,r3,5,MUG,1
,,,LAMP,-1
#3,,,,1
,,5,,
`
  const columns = { order: 'Name', reference: 'Payment Reference', sku: 'Lineitem sku', quantity: 'Lineitem quantity' }
  const { rows, leftOut, mistakes } = await read(list, columns, undefined, true)
  t.strictSame(rows, [
    row(2, { order: '#1', total: '5', item: pair('MUG', 1) }),
    row(3, { order: '#1', item: pair('LAMP', 2) }),
    row(7, { reference: 'r3', order: '#3', total: '5', item: pair('MUG', 1) }),
    row(8, { reference: 'r3', order: '#3', item: pair('', 0), isUnreadable: true }),
    row(9, { reference: 'r3', order: '#3', item: pair('', 0), isUnreadable: true })
  ])
  t.equal(leftOut, 4)
  t.match(mistakes, [
    [8, /^the quantity is "-1"/],
    [9, /^there is a quantity without a SKU; give it, or ignore both columns$/]
  ])

  const unnumbered = await read('reference,sku,quantity\nr1,MUG,1\n,LAMP,2\n', {}, undefined, true)
  t.strictSame(unnumbered.mistakes, [
    [
      3,
      'the reference is empty; if it belongs to the row above, name the column of its number: --map "orders.order=COLUMN"'
    ]
  ])
  const broken = await read('order,reference,total\n1,r1\n1,,5\n', {}, undefined, true)
  t.match(broken, { rows: [], leftOut: 1, mistakes: [[2, /2 cells/]] }, 'not of an order that could not be read')
})

t.test('of a row with a stray quotation mark, the reference is read if it is certain', async t => {
  const stray = await read('reference\ttotal\tnote\nr1\t5\t"mug\nr2\t6\trope 9"\n')
  t.strictSame(stray.rows, [row(2, { isUnreadable: true }), row(3, { reference: 'r2', total: '6' })])
  const item = await read('reference,sku,quantity,note\nr1,MUG,1,"mug\nr2,MUG,1,\n')
  t.match(item.rows, [row(2, { item: pair('', 0), isUnreadable: true }), { line: 3 }])
  const uncertain = await read('reference,total,note\nr1,5,"mug, blue\n"r2,6,\n,7,"\nr4,5,\n')
  t.match(uncertain, {
    rows: [{ line: 5 }],
    mistakes: [
      [2, /never closed/],
      [3, /never closed/],
      [4, /never closed/]
    ]
  })
  t.equal(uncertain.rows.length, 1)
  const numbers = await read('order,total\n1,5\n"2,6\n', {}, undefined, true)
  t.match(numbers, { rows: [{ line: 2 }], mistakes: [[3, /never closed/]] })
  const further = await read('order,reference,sku,quantity\n1,r1,MUG,1\n2,r2,MUG,"1\n,,LAMP,1\n', {}, undefined, true)
  t.match(further, { rows: [{ reference: 'r1' }, { reference: 'r2', isUnreadable: true }], leftOut: 1 })
  t.equal(further.rows.length, 2, 'no item goes to the order above')
})

t.test('so many stray quotation marks that reading would take too long end it', async t => {
  const { mistakes } = await read(`reference\tnote\n${'A"\t"B\n'.repeat(50_000)}`)
  t.match(mistakes.at(-1), [Number, /^the list: too many quotation marks are never closed$/])
  t.ok(mistakes.length < 50)
})

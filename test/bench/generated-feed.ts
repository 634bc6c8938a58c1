// Generates a feed of any size.

const COLUMNS =
  'id\ttitle\tdescription\tlink\timage_link\tavailability\tprice\tsale_price\tcondition\tbrand\titem_group_id'

/** A feed with this many products, `SKU-0` and up; the price in pence is the number, and every seventh is out of stock. */
export function generateFeed(products: number): Buffer {
  const rows: string[] = [COLUMNS]
  for (let i = 0; i < products; i++) {
    const group = `group-${Math.floor(i / 4)}`
    rows.push(
      [
        `SKU-${i}`,
        `Woollen jumper with a rolled collar No. ${i} – „Größe ${i % 50}“`,
        'A jumper of soft lambswool, knitted in one piece and washed by hand. The collar may be worn open or closed.',
        `https://shop.example/products/${group}?variant=${i}`,
        `https://images.example/products/${group}/${i}_925x.jpg`,
        i % 7 === 0 ? 'out_of_stock' : 'in_stock',
        `${(i / 100).toFixed(2)} GBP`,
        i % 5 === 0 ? `${(i / 200).toFixed(2)} GBP` : '',
        'new',
        'Example',
        group
      ].join('\t')
    )
  }
  return Buffer.from(rows.join('\n'))
}

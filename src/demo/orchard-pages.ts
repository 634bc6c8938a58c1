// The pages of Orchard Lane.

export type OrchardLine = { sku: string; title: string; picture: string; quantity: number; price: number }

export type OrchardBag = {
  id: string
  reference: string
  lines: OrchardLine[]
  /** In milliseconds. */
  expiresAt: number
  /** `reported` says what came of the report. */
  order?: { number: string; reported: string }
}

const DELIVERY = 490
const EUROS = new Intl.NumberFormat('en-IE', { style: 'currency', currency: 'EUR' })
const inEuros = (cents: number) => EUROS.format(cents / 100)

export const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self'; form-action 'self'; base-uri 'none'"

const STYLE = `
*{box-sizing:border-box;margin:0}
body{font:1rem/1.5 Georgia,'Times New Roman',serif;color:#26301c;background:#fbfaf4;max-width:34rem;margin:auto}
header{background:#2f4a22;color:#fff;padding:.9rem 1rem;font-size:1.25rem}
main{padding:1.25rem 1rem 2rem}
h1{font-size:1.6rem;line-height:1.25;margin-bottom:.75rem}
ul{list-style:none;padding:0}
li{display:grid;grid-template-columns:64px 1fr auto;gap:0 .85rem;padding:.85rem 0;border-bottom:1px solid #d9dcc8}
li img{grid-row:span 2;border-radius:50%}
li b{overflow-wrap:anywhere}
li span{grid-column:2/-1;color:#55604a}
dl div{display:flex;justify-content:space-between;padding:.35rem 0}
dl{padding:.75rem 0}
dl .sum{font-size:1.25rem;font-weight:bold;border-top:2px solid #2f4a22;margin-top:.4rem;padding-top:.6rem}
button,.button{display:block;width:100%;min-height:3.25rem;padding:.7rem 1rem;border:0;border-radius:3px;background:#a4331d;color:#fff;font:bold 1.1rem/1.6 Georgia,serif;text-align:center;text-decoration:none;cursor:pointer}
:focus-visible{outline:3px solid #26301c;outline-offset:3px}
p{margin-bottom:.9rem}
.made-up{background:#f3e8c8;border-left:4px solid #b98a1e;padding:.6rem .8rem;margin:1.25rem 0;font-size:.95rem;overflow-wrap:anywhere}`

const escaped = (text: string) => text.replace(/[&<>"']/g, found => `&#${found.charCodeAt(0)};`)

function page(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} – Orchard Lane</title>
<style>${STYLE}</style>
</head>
<body>
<header>Orchard Lane</header>
<main>
${content}
</main>
</body>
</html>
`
}

/** What is charged for these lines, in cents. */
export function totalOf(lines: OrchardLine[]): number {
  return lines.reduce((sum, { quantity, price }) => sum + quantity * price, DELIVERY)
}

function linesAndSums(lines: OrchardLine[]): string {
  const items = lines.map(
    ({ sku, title, picture, quantity, price }) => `<li class="line" data-article="${escaped(sku)}">
<img src="/${escaped(picture)}" alt="" width="64" height="64"><b>${escaped(title)}</b><strong>${inEuros(quantity * price)}</strong>
<span><span class="count">${quantity}</span> ${quantity > 1 ? `pieces, ${inEuros(price)} each` : 'piece'}</span></li>`
  )
  return `<ul>
${items.join('\n')}
</ul>
<dl>
<div><dt>Goods</dt><dd>${inEuros(totalOf(lines) - DELIVERY)}</dd></div>
<div><dt>Delivery in Ireland</dt><dd>${inEuros(DELIVERY)}</dd></div>
<div class="sum"><dt>Total</dt><dd class="total">${inEuros(totalOf(lines))}</dd></div>
</dl>`
}

export function orchardBagPage({ id, lines }: OrchardBag): string {
  return page(
    'Your bag',
    `<h1>Your bag</h1>
${linesAndSums(lines)}
<form method="post" action="/bag/${id}"><button>Order and pay ${inEuros(totalOf(lines))}</button></form>
<p class="made-up">This shop is made up. It asks for no address, takes no payment and sends nothing.</p>`
  )
}

const BACK = '<a class="button" href="orchard://continue">Back to the app</a>'

/** The app recognises a completed order by the title and the address of its page. */
export function orderPage(
  { lines, reference }: OrchardBag,
  { number, reported }: Required<OrchardBag>['order']
): string {
  return page(
    'Order complete',
    `<h1>Thank you</h1>
<p>Your order is <b>${number}</b>.</p>
${linesAndSums(lines)}
${BACK}
<p class="made-up">For engineers: it was placed under the reference <code>${escaped(reference)}</code> and reported to the server that handed the bag over: ${escaped(reported)}.</p>`
  )
}

export function lostPage(): string {
  return page(
    'No bag here',
    `<h1>There is no bag here</h1>
<p>A bag is kept for an hour. Go back to the app and tap checkout again.</p>
${BACK}`
  )
}

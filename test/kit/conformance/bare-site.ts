// A merchant site on bare node:http that shares no code with ours and speaks all options in its own way. It does
// everything right, or one thing wrong: the kit has to find exactly that.
import { hash } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { openCarts } from './bare-carts.ts'
import { type Bag, type Fault, type Line, No, readForm, readJson, readLink } from './bare-reading.ts'

export type Page = { status?: number; headers?: Record<string, string | string[]>; body: string }

const STOCK = ['red-mug', 'blue-mug', 'tea-pot', 'spoon & co', '4711']
const SOLD_OUT = ['lamp']
const LONGEST = 2048

export type BareSite = { url: string; close: () => void }

export async function startBareSite(option: string, ...faults: Fault[]): Promise<BareSite> {
  const asked = new Set<Fault>()
  const is = (fault: Fault) => asked.add(fault) && faults.includes(fault)
  const isLink = option === 'meta' || option === 'permalink'
  const wayOn = is('dead-end') ? '' : ' <a href="app:close">Back to the app</a>'
  const shown = new Map<string, Bag>()
  const byReference = new Map<string, Bag>()
  /** Ids by what a site may find a bag by instead: its reference, or what anybody can make of that. */
  const idByKey = new Map<string, string>()
  const visited = new Set<string>()
  let count = 0
  /** Of what anybody sent last. */
  let lastId = ''
  let current: Bag | undefined
  let origin = ''

  const answerPlatform = openCarts({ is, origin: () => origin, check, keep })

  async function answer(request: IncomingMessage): Promise<Page> {
    const { pathname, search } = new URL(String(request.url), origin)
    const body = await text(request)
    const method = option === '2B' || isLink ? 'GET' : 'POST'
    if (pathname.startsWith('/transfers/')) return status(decodeURIComponent(pathname.slice('/transfers/'.length)))
    if (pathname === '/complete') return page({ body: 'Bought' })
    if (pathname === '/never') return new Promise(() => {})
    if (search.includes('&n=')) await sleep(100)
    if (pathname === '/show') {
      const id = String(is('bag-in-session') ? cookies(request).bag : find(new URLSearchParams(body || search)))
      return show(request, is('last-bag') ? lastId : id)
    }
    if (option === 'ucp') return answerPlatform(request, pathname, body)
    if (is('busy')) throw new No(429, 'later')
    if (is('silent-later') && count > 0) request.socket.destroy()
    if (request.method !== method && !is('any-method')) throw new No(is('get-crashes') ? 500 : 405, 'not this way')
    const type = option === '1' ? 'application/json' : 'application/x-www-form-urlencoded'
    if (request.method === 'POST' && request.headers['content-type'] !== type && !is('any-type'))
      throw new No(415, 'not this')
    if (request.method !== method) return page({ body: `Welcome${wayOn}` })
    const bag = isLink ? readLink(pathname, search, is) : readBag(body, search)
    current = check({ ...bag, reference: bag.reference || (is('reference-guessed') ? 'guessed' : '') })
    const own = current
    await sleep(is('shared-variable') ? 30 : 0)
    const id = keep(is('shared-variable') ? current : own)
    return isLink ? leadOn(request, id, search) : land(request, id)
  }

  /** From a link to the page of its bag. */
  function leadOn(request: IncomingMessage, id: string, search: string): Page {
    const last = shown.get(String(cookies(request).last))
    const bag = bagOf(id)
    const skusOf = ({ lines }: Bag) => lines.map(({ sku }) => sku).join()
    if (is('adds-up') && last && skusOf(last) === skusOf(bag)) bag.lines = merged([...last.lines, ...bag.lines])
    if (is('shown-at-link')) return show(request, id)
    const others = new URLSearchParams(search)
    for (const name of ['products', 'coupon', 'reference', 'discounts/codes/0']) others.delete(name)
    const headers = {
      Location: `/show?id=${id}${is('parameters-lost') ? '' : `&${others}`}`,
      'Cache-Control': 'no-store',
      ...(!is('no-policy') && { 'Referrer-Policy': 'no-referrer' }),
      ...(is('adds-up') && { 'Set-Cookie': `last=${id}` })
    }
    return page({ status: is('permanent') ? 301 : 303, headers })
  }

  /** What became of a bag: none is ever ordered. */
  function status(reference: string): Page {
    if (!byReference.has(reference) && !is('unknown-is-open')) throw new No(404, 'no such bag')
    const body = is('state-as-page') ? 'It is open' : JSON.stringify({ state: 'open' })
    return { headers: { 'Content-Type': 'application/json' }, body }
  }

  function readBag(body: string, search: string): Bag {
    if (option === '1') return readJson(body, is)
    const query = option === '2A' ? body : search.slice(1)
    const length = origin.length + '/bag?'.length + query.length
    if (option === '2B' && length > (is('url-2047') ? LONGEST - 1 : LONGEST)) {
      if (!is('url-cut')) throw new No(414, 'too long')
      return readForm(query.slice(0, query.indexOf('&item_20_')) + query.slice(query.indexOf('&currency')), is)
    }
    return readForm(query, is)
  }

  /** Refuses what cannot be sold. */
  function check(bag: Bag): Bag {
    const { reference, currency, lines } = bag
    const longest = is('hyphenated-only') ? 36 : 32
    if (!reference || (!is('long-reference-taken') && reference.length > longest)) throw new No(400, 'which order?')
    if (is('hyphenated-only') && !reference.includes('-')) throw new No(400, 'no UUID')
    if (currency !== 'GBP' && !(currency && is('any-currency'))) throw new No(400, 'which currency?')
    if (lines.length > 50 && is('large-bag-refused')) throw new No(413, 'too many lines')
    if (lines.length === 0 && !is('empty-bag-taken')) throw new No(400, 'an empty bag')
    for (const { sku, quantity, price } of lines) {
      const isEnough = quantity >= 1 || (quantity === 0 && is('zero-taken'))
      if (!Number.isInteger(quantity) || !isEnough) throw new No(400, 'how many?')
      if (price !== undefined && is('price-must-match')) throw new No(400, 'not our price')
      if (is('quantity-limited') && quantity > 50) throw new No(422, 'not so many')
      const print = printed(sku)
      if (SOLD_OUT.includes(sku) && !is('sold-out-taken')) {
        const named = is('sold-out-titled') ? 'the brass lantern' : print
        throw new No(422, is('sold-out-unnamed') ? 'Sorry.' : `Sold out: ${named}`)
      }
      if (![...STOCK, ...SOLD_OUT].includes(sku) && !is('unknown-taken')) {
        throw new No(422, is('unknown-unnamed') ? 'Sorry.' : `We do not know ${print}`)
      }
    }
    return { ...bag, lines: lines.filter(({ sku }) => [...STOCK, ...SOLD_OUT].includes(sku)) }
  }

  /** A SKU in a refusal. */
  function printed(sku: string): string {
    if (is('sku-in-script')) return `${escaped(sku)}<script>window.lost = ${JSON.stringify(sku)}</script>`
    if (is('sku-in-textarea')) return `<textarea>${sku}</textarea>`
    return is('unescaped') ? sku : escaped(sku)
  }

  /** Stores a bag. @returns the word by which it is found */
  function keep(bag: Bag): string {
    const before = byReference.get(bag.reference)
    if (before && is('one-reference')) throw new No(410, 'you have sent this before')
    const isSame = JSON.stringify(before?.lines) === JSON.stringify(bag.lines)
    if (before && is('doubled') && isSame) bag.lines = bag.lines.map(line => ({ ...line, quantity: line.quantity * 2 }))
    if (before && is('mixed') && !isSame) bag.lines = [...before.lines, ...bag.lines]
    if (is('quantity-cut')) bag.lines = bag.lines.map(line => ({ ...line, quantity: Math.min(line.quantity, 10) }))
    if (is('bag-cut')) bag.lines = bag.lines.slice(0, 40)
    byReference.set(bag.reference, bag)
    lastId = `id${10_000 + ++count}`
    shown.set(lastId, bag)
    for (const key of [bag.reference, hash('md5', bag.reference)]) idByKey.set(key, lastId)
    return lastId
  }

  /** What the request for the page of a bag has, and finds it by. */
  function keyOf(id: string): string {
    const { reference } = bagOf(id)
    if (is('found-by-reference')) return `reference=${reference}`
    if (is('found-by-hash')) return `reference=${hash('md5', reference)}`
    return is('reference-before-id') || is('reference-beside-id') ? `reference=${reference}&id=${id}` : `id=${id}`
  }

  function find(sent: URLSearchParams): string {
    const [id, byKey] = [sent.get('id') ?? '', idByKey.get(sent.get('reference') ?? '') ?? '']
    if (is('found-by-reference') || is('found-by-hash') || is('reference-before-id')) return byKey
    if (is('reference-beside-id') && id !== byKey) throw new No(404, 'no such bag of this order')
    return id
  }

  function land(request: IncomingMessage, id: string): Page {
    if (option === '1') return describe(id)
    if (is('redirect-loop')) return page({ status: 307, headers: { Location: '/bag' } })
    if (is('last-bag')) return page({ status: 303, headers: { Location: '/show' } })
    if (is('bag-in-session')) return page({ status: 303, headers: { Location: '/show', 'Set-Cookie': `bag=${id}` } })
    if (is('redirects')) {
      const headers = {
        Location: `/show?${keyOf(id)}`,
        'Cache-Control': is('shared-redirect') ? 's-maxage=60' : 'no-cache'
      }
      return page({ status: 303, headers })
    }
    return show(request, id)
  }

  function describe(id: string): Page {
    const { lines } = bagOf(id)
    const items = is('growing-url') ? lines.map(({ sku }) => sku[0]).join('') : ''
    const extra = {
      ...(is('get-with-body') && { httpMethod: 'GET' }),
      ...(is('described-put') && { httpMethod: 'PUT' }),
      ...(is('described-get') && { httpMethod: undefined, url: `${origin}/show?id=${id}`, body: undefined }),
      ...(is('mistyped-field') && { httpmethod: 'POST', cookies: [{ name: 'shop', value: '1', secure: true }] }),
      ...(is('space-in-url') && { url: `${origin}/show?from=the app` }),
      ...(is('long-url') && { url: `${origin}/show?${'x'.repeat(2100)}` }),
      ...(is('item-in-url') && { url: `${origin}/show?first=${lines[0]?.sku}` }),
      ...(is('growing-url') && { url: `${origin}/show?${items}` }),
      ...(is('url-missing') && { url: undefined }),
      ...(is('nameless-cookie') && { cookies: [{ value: '1' }] }),
      ...(is('content-type-header') && { headers: [{ name: 'content-type', value: 'text/plain' }] }),
      ...(is('fractional-seconds') && {
        cookies: [{ name: 'shop', value: '1', expireDate: new Date(Date.now() + 9e5).toISOString() }]
      })
    }
    const headers = { 'Content-Type': 'application/json' }
    if (is('page-in-place-of-json')) return show(undefined, id)
    return { headers, body: JSON.stringify({ url: `${origin}/show`, httpMethod: 'POST', body: keyOf(id), ...extra }) }
  }

  function bagOf(id: string): Bag {
    const bag = shown.get(id)
    if (!bag) throw new No(404, 'no such bag')
    return bag
  }

  /** What keeps a browser from ever answering. */
  function endless(): string {
    if (is('opens-dialogs')) return 'for (;;) alert(1)'
    if (is('keeps-navigating')) return 'location.replace(location.href.replace(/&n=.*|$/, "&n=" + Math.random()))'
    // It waits, as a loop would keep a processor busy.
    return is('blocks') ? "const never = new XMLHttpRequest(); never.open('GET', '/never', false); never.send()" : ''
  }

  /** What a page does only after some seconds. */
  function laterScript(): string {
    if (is('later-title')) return "document.title = 'Thank you'"
    if (is('later-address')) return "location.replace('/complete')"
    return is('later-picture') ? "new Image().src = location.origin.replace('127.0.0.1', 'localhost') + '/p.png'" : ''
  }

  /** The checkout page of a bag, with everything that a site may do wrong about it. */
  function show(request: IncomingMessage | undefined, id: string): Page {
    const { lines: sent, reference, code } = bagOf(id)
    const jar = cookies(request)
    const isReload = visited.has(id)
    if (is('empty-on-reload') && isReload) return page({ body: 'Your bag is empty' })
    if (is('one-visit') && isReload) throw new No(410, 'you have been here before')
    const endlessScript = endless()
    visited.add(id)
    if (is('cookies-needed') && jar[id] === undefined) {
      const headers = { 'Set-Cookie': `${id}=1`, Location: `/show?id=${id}` }
      if (request?.url?.startsWith('/show?id=')) throw new No(403, 'please allow cookies')
      return page({ status: 303, headers })
    }
    let lines = is('last-on-reload') && isReload ? bagOf(lastId).lines : sent
    const last = is('old-session-item') && jar.last !== undefined ? bagOf(jar.last) : undefined
    if (last && last.reference !== reference) lines = [...lines, ...last.lines.slice(0, 1)]
    if (is('dropped-item') && lines.length > 2) lines = lines.slice(0, -1)
    if (is('merged-lines')) lines = merged(lines)
    const priceOf = ({ price }: Line) => (is('price-taken') && price !== undefined ? Number(price) : 5)
    if (is('emptied-line')) lines = [...merged(lines), ...lines.slice(0, 1).map(line => ({ ...line, quantity: 0 }))]
    if (is('sold-out-line')) lines = [...lines, { sku: 'lamp', quantity: 0 }]
    const rows = lines.map(line => {
      return row(line.sku, is('quantity-in-words') ? 'several' : String(line.quantity), priceOf(line))
    })
    if (is('hidden-item')) rows.push(String(rows.pop()).replace('<tr', '<tr style="display:none"'))
    const [first, second] = lines
    if (is('two-in-one-line') && first && second) rows.splice(0, 2, row(`${first.sku} + ${second.sku}`, '2', 5))
    const isApplied = code === 'TEN' && !is('code-without-effect')
    const sum = lines.reduce((total, line) => total + line.quantity * priceOf(line), 0) * (isApplied ? 0.9 : 1)
    const aboutCode =
      code === 'TEN' ? `<p>10 % off with ${code}</p>` : `<p>${escaped(code ?? '')} is no code of ours</p>`
    const table = `<table>${rows.join('')}</table><p class="sum">£${sum.toFixed(2)}</p>`
    const script = `<script>document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(table)})</script>`
    const later = laterScript()
    const picture = `<img src="${origin.replace('127.0.0.1', 'localhost')}/p.png" alt="">`
    return page({
      headers: {
        ...(!is('no-cache-control') && {
          'Cache-Control': is('no-store')
            ? 'no-store'
            : is('shared-cache')
              ? 'public, max-age=600'
              : 'private, no-cache'
        }),
        ...(is('old-session-item') && { 'Set-Cookie': `last=${id}` })
      },
      title: is('complete-title') ? 'Thank you' : 'Bag',
      body: [
        is('lines-by-script') ? script : table,
        code === undefined || (code !== 'TEN' && is('bad-code-unsaid')) ? '' : aboutCode,
        is('login-wanted') ? '<input type="password">' : '',
        is('foreign-picture') ? picture : '',
        endlessScript && `<script>${endlessScript}</script>`,
        later && `<script>setTimeout(() => { ${later} }, 3000)</script>`
      ].join('')
    })
  }

  const server = createServer((request, response) => {
    answer(request)
      .catch((error: Error) => {
        if (!(error instanceof No)) throw error
        if (is('refuses-with-silence')) request.socket.destroy()
        const status = is('refuses-with-200') ? 200 : is('refuses-with-429') ? 429 : error.status
        if (is('refuses-as-json')) {
          const body = JSON.stringify({ error: error.message }).replaceAll('-', '\\u002d')
          return { status, headers: { 'Content-Type': 'application/json' }, body }
        }
        return page({ status, body: error.message + wayOn })
      })
      .then(({ status = 200, headers = {}, body }) => response.writeHead(status, headers).end(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin}/bag`,
    close: () => {
      server.close()
      server.closeAllConnections()
      const never = faults.find(fault => !asked.has(fault))
      if (never !== undefined) throw new Error(`no request has met the fault ${never}; is that its name?`)
    }
  }
}

function merged(lines: Line[]): Line[] {
  const units = Map.groupBy(lines, ({ sku }) => sku)
  return [...units.values()].map(
    of => ({ ...of[0], quantity: of.reduce((sum, { quantity }) => sum + quantity, 0) }) as Line
  )
}

function row(sku: string, quantity: string, price: number): string {
  const cells = [`<b class="count">${quantity}</b>`, `<i class="each">£${price.toFixed(2)}</i>`]
  return `<tr class="position"><td class="article">${escaped(sku)}</td>${cells.map(cell => `<td> ${cell} </td>`).join('')}</tr>`
}

function page({ status = 200, headers = {}, body = '', title = 'Bag' }: Partial<Page> & { title?: string }): Page {
  const html = `<!doctype html><meta charset="utf-8"><title>${title}</title><body>${body}</body>`
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body: html }
}

function cookies(request: IncomingMessage | undefined): Record<string, string> {
  const pairs = (request?.headers.cookie ?? '').split('; ').map(pair => pair.split('='))
  return Object.fromEntries(pairs)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

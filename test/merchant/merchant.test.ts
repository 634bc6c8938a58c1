// publicUrl: which addresses a merchant may have, and the messages about those that cannot work.
import t from 'tap'
import { isWithin } from '../../src/merchant/merchant.ts'
import { readPublicUrl } from '../../src/merchant/public-url.ts'

t.test('a path without a host is accepted', async t => {
  const cases: [text: string, path: string][] = [
    ['/', ''],
    ['/harbour', '/harbour'],
    ['/app/Shop_1.0~b-c', '/app/Shop_1.0~b-c'],
    ['/.shop', '/.shop'],
    ['/...', '/...']
  ]
  for (const [text, path] of cases) t.strictSame(readPublicUrl(text), { path }, text)
})

t.test('an https address is split into origin and path, whatever its host', async t => {
  const cases: [text: string, origin: string, path: string][] = [
    ['https://shop.example', 'https://shop.example', ''],
    ['https://shop.example/app', 'https://shop.example', '/app'],
    ['https://shop.example:8443/app/de', 'https://shop.example:8443', '/app/de'],
    ['https://8.8.8.8/app', 'https://8.8.8.8', '/app'],
    ['https://[2001:db8::1]/app', 'https://[2001:db8::1]', '/app'],
    ['https://xn--mnchen-3ya.example', 'https://xn--mnchen-3ya.example', '']
  ]
  for (const [text, origin, path] of cases) t.strictSame(readPublicUrl(text), { origin, path }, text)
})

t.test('http is accepted only on loopback and private addresses', async t => {
  const local = ['localhost:3000', 'shop.localhost', '127.0.0.1:3000', '127.255.255.255', '[::1]:3000']
  const privateV4 = '10.0.0.1 10.255.255.255 172.16.0.0 172.31.255.255 192.168.0.1:8080 169.254.10.20'.split(' ')
  const privateV6 = '[fc00::1] [fdff:ffff::1] [fe80::1] [febf::1] [::ffff:7f00:1] [::ffff:a00:1]'.split(' ')
  for (const host of [...local, ...privateV4, ...privateV6]) {
    t.strictSame(readPublicUrl(`http://${host}`), { origin: `http://${host}`, path: '' }, host)
  }
  const names = ['shop.example', 'localhost.example', 'notlocalhost', '10.example']
  const besidePrivate = '9.255.255.255 11.0.0.0 126.255.255.255 128.0.0.0 172.15.255.255 172.32.0.0 192.167.255.255'
  const otherV4 = `${besidePrivate} 192.169.0.0 169.253.255.255 8.8.8.8 0.0.0.0`.split(' ')
  const otherV6 = '[::] [::2] [2001:db8::1] [fbff::1] [fe00::1] [fec0::1] [::ffff:808:808]'.split(' ')
  for (const host of [...names, ...otherV4, ...otherV6]) {
    const message = `use https: http is for loopback and private addresses only, and "${host}" is neither`
    t.equal(readPublicUrl(`http://${host}`), message, host)
  }
})

t.test('anything but an address is refused, with an example', async t => {
  const message = 'give an address such as "https://shop.example/app", or a path such as "/harbour"'
  const cases = ['', 'harbour', 'shop.example/app', 'ftp://shop.example', 'javascript:alert(1)', 'https://', '?x', '#x']
  for (const text of cases) t.equal(readPublicUrl(text), message, JSON.stringify(text))
})

t.test('a path has plain characters, no dot segments and no trailing slash', async t => {
  const message = 'a path is made of letters, digits, ".", "_", "~" and "-", without a slash at the end'
  const cases = ['/a/', '//', '//shop.example', '/a//b', '/.', '/..', '/a/../b', '/a/.', '/ü', '/a b', '/%61', '/:id']
  for (const text of [...cases, '/*', '/a?b', '/a#b', '/a;b', '/a\n', '/a\\b']) {
    t.equal(readPublicUrl(text), message, JSON.stringify(text))
  }
  const inAddress = 'its path is made of letters, digits, ".", "_", "~" and "-"'
  for (const path of ['/%C3%BC', '/a//b', '/:id', '/*', '/a;b', '//a']) {
    t.equal(readPublicUrl(`https://shop.example${path}`), inAddress, `https://shop.example${path}`)
  }
})

t.test('an address that is not in its normal form is refused, with the normal form', async t => {
  const cases: Record<string, string[]> = {
    'https://shop.example': [
      ...['https://shop.example/', 'https://user:pass@shop.example', 'https://@shop.example', 'https://shop.example#'],
      ...['https://Shop.Example', 'HTTPS://shop.example', 'https://shop.example:443', 'https:shop.example'],
      ...[' https://shop.example', 'https://shop.example\n']
    ],
    'https://shop.example/app': [
      ...['https://shop.example/app/', 'https://user@shop.example/app', 'https://shop.example/app?a=b'],
      ...['https://shop.example/app?', 'https://shop.example/app#top', 'https://shop.example/a/../app']
    ],
    'http://127.0.0.1': ['http://127.0.0.1:80', 'http://127.1'],
    'http://[::ffff:a00:1]': ['http://[::ffff:10.0.0.1]'],
    'https://xn--mnchen-3ya.example': ['https://münchen.example'],
    'https://shop.example/%C3%BC': ['https://shop.example/ü']
  }
  for (const [right, texts] of Object.entries(cases)) {
    const message = `write it as "${right}": no slash at the end, no user, query or fragment`
    for (const text of texts) t.equal(readPublicUrl(text), message, JSON.stringify(text))
  }
})

t.test('a path is within another if it is equal to it or beneath it', async t => {
  const cases: [path: string, outer: string, within: boolean][] = [
    ['/harbour', '/harbour', true],
    ['/harbour/cart', '/harbour', true],
    ['/harbour', '/har', false],
    ['/har', '/harbour', false],
    ['/harbour', '/harbour/cart', false],
    ['/harbour', '', true],
    ['', '', true],
    ['', '/harbour', false]
  ]
  for (const [path, outer, within] of cases) t.equal(isWithin(path, outer), within, `"${path}" in "${outer}"`)
})
